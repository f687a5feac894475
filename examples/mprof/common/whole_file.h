/* SPDX-License-Identifier: MIT */
/**
 * \file common/whole_file.h
 * \brief A file that gets its name when all is in it and on the disk. What had the name before stays until then. Where
 * the file system can, the file has no name until then, so that nothing is left of it however this program ends.
 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

typedef struct whole_file {
	int fd;          /**< -1 if there is none. */
	char *path;      /**< What was asked for, links followed. */
	char *temporary; /**< The name until then; NULL if there is none, or the file is written as it stands. */
	int is_unnamed;  /**< It has no name until then. */
} whole_file;

/**
 * Opens it for writing. "-" is standard output; what is no plain file, as a pipe or a device, is written as it stands.
 * Returns NULL, or what is wrong.
 */
const char *whole_file_open(whole_file *file, const char *path);

/** Whether it is the same file as one that is open. */
int whole_file_is(const whole_file *file, int fd);

/** Gives it its name, or if not \p is_whole throws it away. Returns NULL, or what is wrong. */
const char *whole_file_close(whole_file *file, int is_whole);

#endif
