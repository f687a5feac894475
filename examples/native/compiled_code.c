/* SPDX-License-Identifier: MIT */
/* Defines ranges of code that have no file in the log. */
#include "compiled_code.h"

#include "shared/perf_map.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* How often the map is read, in seconds. */
#define INTERVAL 1

static struct {
	mprof_recorder *recorder;
	char path[64];
	perf_map map;
	uint64_t since; /* The counter at the last reading: what is new was compiled after it. */
	time_t next;    /* When the map is read again, of the monotonic clock. */
} compiled;

/* Two threads that execute programs may both want to read. */
static atomic_flag is_reading = ATOMIC_FLAG_INIT;

void compiled_code_begin(mprof_recorder *recorder)
{
	/* A child of fork() may have the flag of a thread of its parent. */
	atomic_flag_clear(&is_reading);
	compiled.recorder = recorder;
	compiled.since = mprof_recorder_read_counter(recorder);
	compiled.next = 0;
	snprintf(compiled.path, sizeof(compiled.path), "/tmp/perf-%ld.map", (long)getpid());
	compiled.map = (perf_map){.path = compiled.path, .owner = geteuid(), .since = time(NULL)};
}

static void define(void *user, const perf_map_entry *entry)
{
	const mprof_code code = {.struct_size = sizeof(code),
				 .address = entry->start,
				 .size = entry->size,
				 .start = compiled.since,
				 .name = entry->name,
				 .kind = MPROF_CODE_RANGE_METHOD};
	uint32_t id;

	(void)user;
	(void)mprof_recorder_define_code(compiled.recorder, &code, &id);
}

void compiled_code_read(void)
{
	uint64_t now;

	if (atomic_flag_test_and_set(&is_reading))
		return;
	now = mprof_recorder_read_counter(compiled.recorder);
	(void)perf_map_read(&compiled.map, define, NULL);
	compiled.since = now;
	atomic_flag_clear(&is_reading);
}

void compiled_code_follow(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec < compiled.next)
		return;
	compiled.next = now.tv_sec + INTERVAL;
	compiled_code_read();
}
