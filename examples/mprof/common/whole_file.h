/* SPDX-License-Identifier: MIT */
/**
 * \file common/whole_file.h
 * \brief A file that gets its name only when it is complete and synced to disk. An existing file of that name is kept
 * until then. If the file system supports it, the new file is unnamed until then, so that nothing of it remains however
 * this program ends.
 */
#ifndef COMMON_WHOLE_FILE_H
#define COMMON_WHOLE_FILE_H

#include <stddef.h>

typedef struct whole_file {
	int fd;          /**< -1 if it is not open. */
	char *path;      /**< The requested path, with links resolved. */
	char *temporary; /**< Temporary name; NULL if the file is unnamed, or is written in place. */
	int is_unnamed;  /**< The file is unnamed until it is complete. */
	int is_followed; /**< The path is that of a file, not of a descriptor of a process: its owner counts. */
} whole_file;

/**
 * The permissions that a file made from logs can have at most: those that all of the logs have, so that it is readable
 * by no user who cannot read them. A log from a pipe counts as one that only its owner can read. "-" is standard input.
 */
unsigned int whole_file_mode(const char *const *logs, size_t count);

/**
 * Opens a file for writing. "-" is standard output; a file that is not regular, such as a pipe or a device, is written
 * in place. A new file has the permissions \p most without those of the umask; an existing one keeps its own. Symbolic
 * links of other users are not followed, and their files are not replaced, except those of root. Returns NULL, or a
 * message; call whole_file_close() in both cases.
 */
const char *whole_file_open(whole_file *file, const char *path, unsigned int most);

/** Whether a path is a symbolic link of another user, not of this one and not of root. */
int whole_file_is_foreign_link(const char *path);

/** Whether it is the same regular file as that of the open descriptor \p fd. */
int whole_file_is(const whole_file *file, int fd);

/** Gives the file its name, or discards it if not \p is_whole. Returns NULL, or a message. */
const char *whole_file_close(whole_file *file, int is_whole);

#endif
