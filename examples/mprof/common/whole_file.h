/* SPDX-License-Identifier: MIT */
/**
 * \file common/whole_file.h
 * \brief A file that gets its name only when it is complete and synced to disk. An existing file of that name is kept
 * until then. If the file system supports it, the new file is unnamed until then, so that nothing of it remains however
 * this program ends.
 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

typedef struct whole_file {
	int fd;          /**< -1 if it is not open. */
	char *path;      /**< The requested path, with links resolved. */
	char *temporary; /**< Temporary name; NULL if the file is unnamed, or is written in place. */
	int is_unnamed;  /**< The file is unnamed until it is complete. */
} whole_file;

/**
 * Opens a file for writing. "-" is standard output; a file that is not regular, such as a pipe or a device, is written
 * in place. Returns NULL, or a message.
 */
const char *whole_file_open(whole_file *file, const char *path);

/** Whether it is the same regular file as that of the open descriptor \p fd. */
int whole_file_is(const whole_file *file, int fd);

/** Gives the file its name, or discards it if not \p is_whole. Returns NULL, or a message. */
const char *whole_file_close(whole_file *file, int is_whole);

#endif
