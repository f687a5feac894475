/* SPDX-License-Identifier: MIT */
/* Finds out whether a process has a log, and names it. */
#include "process_log.h"

#include "shared/late_log.h"
#include "shared/open_error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int process_log_collector(const char *words, char path[COLLECTOR_PATH_SIZE])
{
	path[0] = '\0';
	return instrument_options_text(words, "collector", path, COLLECTOR_PATH_SIZE);
}

int process_log_is_wanted(const char *words)
{
	/* The reader of the option makes no difference to its value. */
	const uint64_t parent = instrument_options_number(words, RECORD_OF_NATIVE, "parent");

	return parent == 0 || (uint64_t)getppid() == parent;
}

/* The pattern of the final names, for a process that gives its log its name itself. Returns 0 if there is none. */
static int find_late_pattern(const char *parts, const char *words, char pattern[INSTRUMENT_PATH_SIZE])
{
	return instrument_options_text(words, "final", pattern, INSTRUMENT_PATH_SIZE) ||
	       (parts != NULL && late_log_pattern(parts, pattern, INSTRUMENT_PATH_SIZE));
}

int process_log_path(const char *pattern, const char *words, int is_next, char path[INSTRUMENT_PATH_SIZE], int *lock)
{
	static char late[INSTRUMENT_PATH_SIZE];
	char collector[COLLECTOR_PATH_SIZE];

	*lock = LATE_LOG_UNLOCKED;
	if (process_log_collector(words, collector)) {
		*lock = late_log_lock(collector);
		if (*lock == LATE_LOG_ENDED && find_late_pattern(pattern, words, late))
			pattern = late;
	}
	return is_next ? instrument_options_next_path(pattern, path) : instrument_options_path(pattern, path);
}

void process_log_name(const char *pattern, const char *words, const char *path)
{
	char late[INSTRUMENT_PATH_SIZE];
	char name[INSTRUMENT_PATH_SIZE];
	char collector[COLLECTOR_PATH_SIZE];
	int lock;

	if (!process_log_collector(words, collector) || pattern == NULL || !late_log_is_part(path))
		return;
	lock = late_log_lock(collector);
	if (lock == LATE_LOG_ENDED && find_late_pattern(pattern, words, late) && instrument_options_path(late, name))
		(void)late_log_move(path, name, sizeof(name));
	late_log_unlock(lock);
}

void process_log_write_ring(mprof_recorder *recorder, const char *path, uint32_t gzip_level)
{
	mprof_error error;
	mprof_status status;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	error.what = "";
	status = mprof_recorder_dump_path(recorder, path, gzip_level, &error);
	if (status != MPROF_OK)
		fprintf(stderr, "mprof: cannot write %s: %s\n", path, open_error_text(&error, status));
}
