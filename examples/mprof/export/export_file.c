/* SPDX-License-Identifier: MIT */
/* Writes the file of an export. */
#include "export/export_file.h"

#include "export/gzip_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

static const char *open_whole(export_file *file, unsigned int flags, unsigned int mode)
{
	if (strcmp(file->path, "-") != 0)
		return whole_file_open(&file->whole, file->path, mode);
	file->whole.fd = STDOUT_FILENO;
	if ((flags & EXPORT_FILE_TEXT) == 0 && isatty(STDOUT_FILENO))
		return "this format is not written to a terminal; give a file name with -o";
	return NULL;
}

static int is_compressed(const export_file *file, unsigned int flags)
{
	const size_t length = strlen(file->path);

	if ((flags & EXPORT_FILE_GZIP) != 0)
		return gzip_stream_is_supported();
	return length > 3 && strcmp(file->path + length - 3, ".gz") == 0;
}

/* The stream has a descriptor of its own, because closing the whole file closes its descriptor. */
static const char *open_streams(export_file *file, unsigned int flags)
{
	int fd = fcntl(file->whole.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	file->target = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file->target == NULL) {
		const char *problem = strerror(errno);

		if (fd >= 0)
			close(fd);
		return problem;
	}
	setvbuf(file->target, NULL, _IOFBF, BUFFER_SIZE);
	file->stream = file->target;
	if (!is_compressed(file, flags))
		return NULL;
	file->stream = gzip_stream_open(file->target, &file->content_size);
	if (file->stream == NULL)
		return strerror(errno);
	setvbuf(file->stream, NULL, _IOFBF, BUFFER_SIZE);
	return NULL;
}

const char *export_file_open(export_file *file, const char *path, unsigned int flags, unsigned int mode)
{
	const char *problem;

	memset(file, 0, sizeof(*file));
	file->path = path;
	problem = open_whole(file, flags, mode);
	if (problem == NULL)
		problem = open_streams(file, flags);
	if (problem != NULL) {
		if (file->target != NULL)
			fclose(file->target);
		whole_file_close(&file->whole, 0);
	}
	return problem;
}

int export_file_has_failed(const export_file *file)
{
	return ferror(file->stream) || ferror(file->target);
}

/* Closes a stream. Returns NULL, or a message if data was lost. */
static const char *close_stream(FILE *stream)
{
	int has_failed = ferror(stream);

	errno = 0;
	if (fclose(stream) != 0)
		return strerror(errno != 0 ? errno : EIO);
	return has_failed ? strerror(EIO) : NULL;
}

static uint64_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

const char *export_file_close(export_file *file, int is_whole)
{
	const char *problem = NULL;
	const char *other;

	if (file->stream != file->target)
		problem = close_stream(file->stream);
	other = close_stream(file->target);
	problem = other != NULL ? other : problem;
	file->size = size_of(file->whole.fd);
	if (file->stream == file->target)
		file->content_size = file->size;
	other = whole_file_close(&file->whole, is_whole && problem == NULL);
	return problem != NULL ? problem : other;
}
