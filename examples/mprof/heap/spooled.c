/* SPDX-License-Identifier: MIT */
/* Copies standard input to a temporary file. */
#include "heap/spooled.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

/* Returns 0 with errno set if reading or writing failed. */
static int copy_input(FILE *file)
{
	static char buffer[BUFFER_SIZE];
	ssize_t length;

	do {
		length = read(STDIN_FILENO, buffer, sizeof(buffer));
		if (length > 0 && fwrite(buffer, 1, (size_t)length, file) != (size_t)length)
			return 0;
	} while (length > 0 || (length < 0 && errno == EINTR));
	return length == 0 && fflush(file) == 0;
}

const char *spooled_path(const char *path)
{
	struct stat stats;
	FILE *file;
	int is_copied;

	if (strcmp(path, "-") != 0)
		return path;
	if (fstat(STDIN_FILENO, &stats) == 0 && S_ISREG(stats.st_mode))
		return "/dev/stdin";
	file = tmpfile();
	is_copied = file != NULL && copy_input(file) && dup2(fileno(file), STDIN_FILENO) >= 0;
	if (!is_copied)
		fprintf(stderr, "mprof: -: cannot copy standard input to a temporary file: %s\n", strerror(errno));
	if (file != NULL)
		fclose(file);
	return is_copied ? "/dev/stdin" : NULL;
}
