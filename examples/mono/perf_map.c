/* SPDX-License-Identifier: MIT */
/* Writes a map with one line for each range of code: start and size in hexadecimal, and the name. */
#include "perf_map.h"

#include "output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	int fd;
	char path[64];
} map = {.fd = -1};

int perf_map_open(void)
{
	snprintf(map.path, sizeof(map.path), "/tmp/perf-%ld.map", (long)getpid());
	map.fd = output_file_create(map.path);
	if (map.fd < 0)
		fprintf(stderr, "mprof: cannot write %s: %s\n", map.path, strerror(errno));
	return map.fd >= 0;
}

void perf_map_code(const void *start, size_t size, const char *name)
{
	char numbers[48];
	char newline[] = "\n";
	struct iovec parts[3];

	if (map.fd < 0)
		return;
	snprintf(numbers, sizeof(numbers), "%" PRIxPTR " %zx ", (uintptr_t)start, size);
	parts[0] = (struct iovec){numbers, strlen(numbers)};
	/* Method names may contain any character; a name ends at the first line feed, for one line per method. */
	parts[1] = (struct iovec){(void *)(uintptr_t)name, strcspn(name, "\n")};
	parts[2] = (struct iovec){newline, 1};
	if (output_file_write(map.fd, parts, 3))
		return;
	fprintf(stderr, "mprof: cannot write %s: %s; code compiled from now on is missing in it\n", map.path,
		strerror(errno));
	perf_map_close();
}

void perf_map_close(void)
{
	if (map.fd >= 0)
		close(map.fd);
	map.fd = -1;
}
