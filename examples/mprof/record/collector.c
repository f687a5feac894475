/* SPDX-License-Identifier: MIT */
/* The file in memory by which processes find out whether mprof record still collects logs. */
#include "record/collector.h"

#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

int collector_create(char option[COLLECTOR_OPTION_SIZE])
{
	int fd = memfd_create("mprof-collector", MFD_CLOEXEC);

	option[0] = '\0';
	if (fd >= 0)
		snprintf(option, COLLECTOR_OPTION_SIZE, ",collector=/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

void collector_end(int fd)
{
	if (fd < 0)
		return;
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	/* Processes find a size other than 0. */
	while (ftruncate(fd, 1) != 0 && errno == EINTR)
		continue;
	(void)flock(fd, LOCK_UN);
}

void collector_release(int fd)
{
	if (fd >= 0)
		close(fd);
}
