/* SPDX-License-Identifier: MIT */
/* Sets limits of a process that works on untrusted data for another one. */
#include "common/process_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void process_limit(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value)
		return;
	limit.rlim_cur = limit.rlim_max = (rlim_t)value;
	(void)setrlimit(resource, &limit);
}

/* The size of the address space, which a sanitizer makes huge. */
static uint64_t used_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%" SCNu64, &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void process_limit_memory(uint64_t more)
{
	if (sizeof(void *) > 4)
		process_limit(RLIMIT_AS, used_bytes() + more);
}
