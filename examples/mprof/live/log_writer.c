/* SPDX-License-Identifier: MIT */
/* Searches /proc for the process that writes a log. */
#include "live/log_writer.h"

#include <mprof/reader.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 96

static int is_number(const char *text)
{
	return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* The permissions of a link in /proc/PID/fd are those that the file was opened with. */
static int is_open_for_writing(const char *link)
{
	struct stat status;

	return lstat(link, &status) == 0 && (status.st_mode & S_IWUSR) != 0;
}

static int is_log_of(const log_writer *writer, const char *link)
{
	struct stat status;

	return stat(link, &status) == 0 && status.st_dev == writer->device && status.st_ino == writer->inode &&
	       is_open_for_writing(link);
}

/* Looks at the next descriptor of a process. Returns it, or -1 after the last one. */
static int next_descriptor(DIR *directory, const char *process, char *link, size_t size)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)) != NULL) {
		if (!is_number(entry->d_name))
			continue;
		snprintf(link, size, "/proc/%.20s/fd/%.20s", process, entry->d_name);
		return atoi(entry->d_name);
	}
	return -1;
}

static DIR *open_descriptors(const char *process)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
	return opendir(path);
}

static int find_in_process(log_writer *writer, const char *process)
{
	DIR *directory = open_descriptors(process);
	char link[PATH_SIZE];
	int fd;

	if (directory == NULL)
		return 0;
	while ((fd = next_descriptor(directory, process, link, sizeof(link))) >= 0 && !is_log_of(writer, link))
		;
	closedir(directory);
	writer->fd = fd;
	return fd >= 0;
}

int log_writer_find(log_writer *writer, int fd)
{
	const struct dirent *entry;
	struct stat status;
	DIR *processes;

	memset(writer, 0, sizeof(*writer));
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	writer->device = status.st_dev;
	writer->inode = status.st_ino;
	processes = opendir("/proc");
	while (processes != NULL && writer->process == 0 && (entry = readdir(processes)) != NULL) {
		if (is_number(entry->d_name) && atoi(entry->d_name) != getpid() &&
		    find_in_process(writer, entry->d_name))
			writer->process = atoi(entry->d_name);
	}
	if (processes != NULL)
		closedir(processes);
	return writer->process != 0;
}

int log_writer_is_there(const log_writer *writer)
{
	char link[PATH_SIZE];

	if (writer->process == 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/%ld/fd/%d", (long)writer->process, writer->fd);
	return is_log_of(writer, link);
}

static int is_log(const char *link)
{
	mprof_reader *reader = NULL;
	struct stat status;
	mprof_status opened;

	/* A pipe or a device must not be opened: that may wait, or have an effect. */
	if (stat(link, &status) != 0 || !S_ISREG(status.st_mode) || !is_open_for_writing(link))
		return 0;
	opened = mprof_reader_open_path(link, NULL, &reader);
	mprof_reader_destroy(reader);
	return opened == MPROF_OK;
}

char *log_writer_find_log(const char *process)
{
	DIR *directory = open_descriptors(process);
	char link[PATH_SIZE];
	int fd;

	if (directory == NULL)
		return NULL;
	while ((fd = next_descriptor(directory, process, link, sizeof(link))) >= 0 && !is_log(link))
		;
	closedir(directory);
	errno = ENOENT;
	return fd >= 0 ? strdup(link) : NULL;
}
