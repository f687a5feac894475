/* SPDX-License-Identifier: MIT */
/**
 * \file thread_files.h
 * \brief What the system states in files about the threads of this process, read without memory of the heap.
 */
#ifndef SHARED_THREAD_FILES_H
#define SHARED_THREAD_FILES_H

#include <stddef.h>
#include <sys/types.h>

/** Reads the start of a file of a thread, such as "comm", as a string. Returns 0 if it cannot be read. */
int thread_files_read(pid_t thread, const char *name, char *text, size_t size);

/** Whether the thread blocks a signal; 0 if the system does not state it. */
int thread_files_blocks(pid_t thread, int signal_number);

/** Calls \p add for each thread of the process until it returns 0. Returns 0 then, or if there is no list. */
int thread_files_list(int (*add)(void *user, pid_t thread), void *user);

/** Closes all descriptors of the calling thread, whose table must be its own. */
void thread_files_close_all(void);

#endif
