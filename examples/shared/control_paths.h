/* SPDX-License-Identifier: MIT */
/**
 * \file control_paths.h
 * \brief The directories with the sockets of recorded programs, and the removal of sockets whose program has ended.
 */
#ifndef SHARED_CONTROL_PATHS_H
#define SHARED_CONTROL_PATHS_H

#include <stddef.h>
#include <sys/types.h>

#define CONTROL_DIRECTORY_COUNT 3
#define CONTROL_DIRECTORY_SIZE 96

/** The directories where programs of a user may listen; unused entries are empty. */
void control_paths_list(char directories[CONTROL_DIRECTORY_COUNT][CONTROL_DIRECTORY_SIZE], uid_t user);

/** Whether the path is a socket of this user that no process listens on. */
int control_paths_is_left_over(const char *path);

/**
 * Removes the sockets of this user in a directory whose processes are gone. A directory of another user is not touched.
 * Returns the number of removed sockets.
 */
unsigned control_paths_clean(const char *directory);

/** Removes such sockets in all directories of this user. Returns the number of removed sockets. */
unsigned control_paths_clean_all(void);

/**
 * After a program that may have been killed, and then has not removed its socket: the same, and for \p path, which it
 * was to listen on if that is not NULL.
 */
void control_paths_clean_after(const char *path);

#endif
