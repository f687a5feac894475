/* SPDX-License-Identifier: MIT */
/* A temporary file that is unlinked while it is open. */
#include "export/unlinked_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

static char *make_path(const char *beside)
{
	const char *slash = strrchr(beside, '/');
	const char *directory = getenv("TMPDIR");
	struct stat status;
	char *path;
	int length;

	if (strcmp(beside, "-") == 0 || (stat(beside, &status) == 0 && !S_ISREG(status.st_mode)))
		length = asprintf(&path, "%s/mprof.XXXXXX",
				  directory != NULL && *directory != '\0' ? directory : "/tmp");
	else if (slash != NULL)
		length = asprintf(&path, "%.*s/.mprof.XXXXXX", (int)(slash - beside), beside);
	else
		length = asprintf(&path, ".mprof.XXXXXX");
	return length >= 0 ? path : NULL;
}

const char *unlinked_file_create(unlinked_file *file, const char *beside)
{
	const char *problem;

	memset(file, 0, sizeof(*file));
	file->path = make_path(beside);
	file->fd = file->path != NULL ? mkstemp(file->path) : -1;
	if (file->fd >= 0)
		return NULL;
	problem = strerror(file->path != NULL ? errno : ENOMEM);
	free(file->path);
	return problem;
}

void unlinked_file_unlink(unlinked_file *file)
{
	if (!file->is_unlinked)
		unlink(file->path);
	file->is_unlinked = 1;
}

const char *unlinked_file_copy(const unlinked_file *file, FILE *stream)
{
	char buffer[BUFFER_SIZE];
	off_t offset = 0;

	for (;;) {
		ssize_t length = pread(file->fd, buffer, sizeof(buffer), offset);

		if (length < 0)
			return strerror(errno);
		if (length == 0)
			return NULL;
		/* The caller checks the stream when it closes it. */
		if (fwrite(buffer, 1, (size_t)length, stream) != (size_t)length)
			return NULL;
		offset += length;
	}
}

void unlinked_file_close(unlinked_file *file)
{
	unlinked_file_unlink(file);
	close(file->fd);
	free(file->path);
}
