/* SPDX-License-Identifier: MIT */
/* Finds the log of a process, and copies standard input where it must be read twice. */
#include "live/top_source.h"

#include "live/log_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The log of a process or of a child: that of "mprof record" has none itself. Returns NULL with errno set. */
static char *find_log(const char *process)
{
	char path[64];
	char child[16];
	char *found = log_writer_find_log(process);
	const int error = errno;
	FILE *children;

	if (found != NULL)
		return found;
	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/children", process, process);
	children = fopen(path, "re");
	while (children != NULL && found == NULL && fscanf(children, "%15s", child) == 1)
		found = log_writer_find_log(child);
	if (children != NULL)
		fclose(children);
	errno = error;
	return found;
}

static int find_process(top_source *source, const char *process)
{
	char *link = find_log(process);
	ssize_t length;

	if (link == NULL) {
		fprintf(stderr, "mprof: top: process %s: %s\n", process,
			errno == ENOENT ? "it does not exist, or has no log open for writing; a log in a ring buffer "
					  "is not a file"
					: strerror(errno));
		return 0;
	}
	snprintf(source->path, sizeof(source->path), "%s", link);
	length = readlink(link, source->name, sizeof(source->name) - 1);
	if (length < 0)
		snprintf(source->name, sizeof(source->name), "%s", link);
	else
		source->name[length] = '\0';
	free(link);
	return 1;
}

static int copy_input(int fd)
{
	static char bytes[1 << 16];
	ssize_t count;

	while ((count = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		for (ssize_t done = 0; done < count;) {
			const ssize_t written = write(fd, bytes + done, (size_t)(count - done));

			if (written < 0)
				return 0;
			done += written;
		}
	}
	return count == 0;
}

/* The copy has no name, so that nothing of it remains however this program ends. */
static int spool_input(top_source *source)
{
	const char *directory = getenv("TMPDIR");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/mprof-top.XXXXXX", directory != NULL ? directory : "/tmp");
	source->spool = mkstemp(path);
	if (source->spool >= 0)
		unlink(path);
	if (source->spool < 0 || !copy_input(source->spool)) {
		fprintf(stderr, "mprof: -: %s\n", strerror(errno));
		return 0;
	}
	snprintf(source->path, sizeof(source->path), "/proc/self/fd/%d", source->spool);
	return 1;
}

int top_source_find(top_source *source, const char *argument, int is_whole)
{
	source->spool = -1;
	snprintf(source->name, sizeof(source->name), "%s", argument);
	snprintf(source->path, sizeof(source->path), "%s", argument);
	if (strcmp(argument, "-") == 0)
		return !is_whole || spool_input(source);
	if (strspn(argument, "0123456789") == strlen(argument) && argument[0] != '\0' && access(argument, F_OK) != 0)
		return find_process(source, argument);
	return 1;
}

void top_source_release(top_source *source)
{
	if (source->spool >= 0)
		close(source->spool);
}
