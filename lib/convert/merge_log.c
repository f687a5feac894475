/* SPDX-License-Identifier: MIT */
/* Reads what a log states about its process and its clock, and compares it with other logs. */
#include "convert/merge_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const property_keys[LOG_PROPERTY_COUNT] = {
	[LOG_PROGRAM] = "program",
	[LOG_ARGUMENTS] = "arguments",
	[LOG_PID] = "pid",
	[LOG_PARENT_PID] = "parent_pid",
	[LOG_COUNTER] = "counter",
	[LOG_ALLOCATIONS] = "alloc_sample_kind",
	[LOG_OFFSETS] = "reference_offsets",
	[LOG_SAMPLE_CLOCK] = "sample_clock",
	[LOG_SAMPLE_SOURCE] = "sample_source",
	[LOG_SAMPLE_SCOPE] = "sample_scope",
	[LOG_SAMPLE_RATE] = "sample_hz",
};

/* Properties about what a log contains, and why two logs with different ones cannot be one. */
static const struct {
	log_property property;
	uint64_t flag; /* The property matters only to logs with this. */
	int must_be_stated;
	const char *conflict;
} conflicts[] = {
	{LOG_ALLOCATIONS, MPROF_INTRO_FLAG_ALLOCATION, 0,
	 "the logs cannot be merged: some have all allocations, others a sample of them"},
	{LOG_OFFSETS, MPROF_INTRO_FLAG_HEAP, 0,
	 "the logs cannot be merged: some count the offsets of references in bytes, others in slots"},
	{LOG_SAMPLE_CLOCK, MPROF_INTRO_FLAG_STATISTICAL, 1,
	 "the logs cannot be merged: some have samples of processor time, others of real time"},
	{LOG_SAMPLE_SOURCE, MPROF_INTRO_FLAG_STATISTICAL, 1,
	 "the logs cannot be merged: their samples were taken in different ways, and have different weights"},
};

/* A session is stated at the start, before anything that threads did. More blocks are not read. */
#define MAX_FIRST_BLOCKS 64

static char *copy_text(const mprof_allocator *allocator, const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = allocator_allocate(allocator, size);

	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static void release_text(const mprof_allocator *allocator, char *text)
{
	if (text != NULL)
		allocator_release(allocator, text, strlen(text) + 1);
}

static int read_properties(merge_log *log, const mprof_allocator *allocator, mprof_reader *reader)
{
	const char *key;
	const char *value;

	while (mprof_reader_next_property(reader, &key, &value) == MPROF_OK) {
		for (size_t i = 0; i < LOG_PROPERTY_COUNT; i++) {
			char *copy;

			if (strcmp(key, property_keys[i]) != 0)
				continue;
			copy = copy_text(allocator, value);
			if (copy == NULL)
				return 0;
			release_text(allocator, log->properties[i]);
			log->properties[i] = copy;
		}
	}
	return 1;
}

static int is_of_threads(const mprof_block *block)
{
	return block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES ||
	       block->kind == MPROF_BLOCK_TYPED;
}

static uint64_t number_of(const char *text)
{
	return text != NULL ? strtoull(text, NULL, 10) : 0;
}

mprof_status merge_log_read(merge_log *log, const mprof_allocator *allocator, mprof_reader *reader)
{
	mprof_status status = MPROF_OK;

	memset(log, 0, sizeof(*log));
	log->resolution.divisor = 1;
	for (int i = 0; i < MAX_FIRST_BLOCKS && status != MPROF_END && status != MPROF_ERR_MEMORY; i++) {
		mprof_block block;

		memset(&block, 0, sizeof(block));
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(reader, &block);
		if (status == MPROF_ERR_INTERRUPTED || status == MPROF_AGAIN)
			return status;
		if (status != MPROF_OK || !block.loaded)
			continue;
		if (block.kind == MPROF_BLOCK_SESSION && !read_properties(log, allocator, reader))
			return MPROF_ERR_MEMORY;
		if (is_of_threads(&block))
			break;
	}
	log->start.struct_size = sizeof(log->start);
	if (status == MPROF_ERR_MEMORY || mprof_reader_get_session(reader, &log->start) != MPROF_OK)
		return MPROF_ERR_MEMORY;
	/* It is the reader's. */
	log->start.runtime = NULL;
	log->system_id = number_of(log->properties[LOG_PID]);
	log->parent_id = number_of(log->properties[LOG_PARENT_PID]);
	log->start_counter = log->start.start.counter;
	return log->start.start.time != 0 ? MPROF_OK : MPROF_ERR_STATE;
}

void merge_log_release(merge_log *log, const mprof_allocator *allocator)
{
	for (size_t i = 0; i < LOG_PROPERTY_COUNT; i++)
		release_text(allocator, log->properties[i]);
}

static const char *stated(const merge_log *log, log_property property)
{
	return log->properties[property] != NULL ? log->properties[property] : "";
}

const char *merge_log_conflict(const merge_log *log, const merge_log *other)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		const char *mine = stated(log, conflicts[i].property);
		const char *others = stated(other, conflicts[i].property);

		if ((log->start.flags & other->start.flags & conflicts[i].flag) == 0)
			continue;
		if (conflicts[i].must_be_stated && (*mine == '\0' || *others == '\0'))
			continue;
		if (strcmp(mine, others) != 0)
			return conflicts[i].conflict;
	}
	return NULL;
}

const char *merge_log_find_difference(const merge_log *logs, size_t count, log_property property)
{
	const char *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *one = stated(&logs[i], property);

		if ((logs[i].start.flags & MPROF_INTRO_FLAG_STATISTICAL) == 0)
			continue;
		if (first != NULL && strcmp(first, one) != 0)
			return property_keys[property];
		first = one;
	}
	return NULL;
}

/* If the two clocks of a machine differ by more, the logs are of two machines, or it was started between them. */
#define OTHER_MACHINE_NS 1e10

/*
 * Nanoseconds from the first log's reading of the clocks to that of another one: by the clock of the machine that is
 * never set if both state it, else by the wall clock.
 */
static double elapsed_by_clock(const merge_log *log, const merge_log *first, int *is_monotonic)
{
	const double monotonic = (double)(int64_t)(log->start.monotonic_ns - first->start.monotonic_ns);
	const double wall = (double)(int64_t)(log->start.clocks.time - first->start.clocks.time) * 1000;

	*is_monotonic = log->start.monotonic_ns != 0 && first->start.monotonic_ns != 0 &&
			fabs(monotonic - wall) < OTHER_MACHINE_NS;
	if (*is_monotonic)
		return monotonic;
	return (double)(int64_t)(log->start.start.time - first->start.start.time) * 1000;
}

static const mprof_clock *reading_of(const merge_log *log, int is_monotonic)
{
	return is_monotonic ? &log->start.clocks : &log->start.start;
}

/*
 * Counters of one machine differ from its clock by the error of the rate, which is known to a few parts in a thousand
 * at the start of a log, and by the time between two readings. The wall clock may also be adjusted.
 */
#define RATE_ERROR 0.01
#define READING_ERROR_NS 1e6
#define WALL_ERROR_NS 1e8

static int is_same_counter(const merge_log *log, const merge_log *first)
{
	const double rate = first->start.counters_per_second;
	int is_monotonic;
	const double by_clock = elapsed_by_clock(log, first, &is_monotonic);
	const double by_counter =
		(double)(int64_t)(reading_of(log, is_monotonic)->counter - reading_of(first, is_monotonic)->counter) *
		1e9 / rate;
	const double error = is_monotonic ? READING_ERROR_NS : WALL_ERROR_NS;

	return strcmp(stated(log, LOG_COUNTER), stated(first, LOG_COUNTER)) == 0 &&
	       fabs(log->start.counters_per_second / rate - 1) < RATE_ERROR &&
	       fabs(by_counter - by_clock) < error + RATE_ERROR * fabs(by_clock);
}

/* Counters in some nanoseconds. Longer times than a counter can measure are cut. */
static uint64_t counters_in(double nanoseconds, double counters_per_second)
{
	const double counters = nanoseconds * counters_per_second / 1e9;

	if (!(fabs(counters) < MAX_SCALED_DISTANCE))
		return counters > 0 ? (uint64_t)MAX_SCALED_DISTANCE : (uint64_t) - (int64_t)MAX_SCALED_DISTANCE;
	return (uint64_t)(int64_t)counters;
}

int merge_log_choose_clock(merge_log *log, const merge_log *first)
{
	copy_resolution *resolution = &log->resolution;
	int is_monotonic;
	double elapsed;

	if (!(log->start.counters_per_second > 0) || !(first->start.counters_per_second > 0))
		return 0;
	if (is_same_counter(log, first))
		return 1;
	elapsed = elapsed_by_clock(log, first, &is_monotonic);
	resolution->is_scaled = 1;
	resolution->origin = reading_of(log, is_monotonic)->counter;
	resolution->scale = first->start.counters_per_second / log->start.counters_per_second;
	resolution->scaled_origin =
		reading_of(first, is_monotonic)->counter + counters_in(elapsed, first->start.counters_per_second);
	log->start_counter = resolution_counter(resolution, log->start.start.counter);
	log->clock = is_monotonic
			     ? "converted by the monotonic clock, to about 10 microseconds, and up to 1 percent of "
			       "the time since the start"
			     : "converted by the wall clock, to about 0.1 seconds unless it was set, and up to 1 "
			       "percent of the time since the start";
	return 1;
}

static int is_same_text(const char *one, const char *other)
{
	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

size_t merge_log_find_parent(const merge_log *logs, size_t count, size_t index)
{
	const merge_log *log = &logs[index];

	/* A process that executes another program keeps its number and its parent. The latest candidate counts. */
	for (size_t i = index; log->system_id != 0 && i > 0; i--) {
		if (logs[i - 1].system_id == log->system_id &&
		    is_same_text(logs[i - 1].properties[LOG_PARENT_PID], log->properties[LOG_PARENT_PID]))
			return i - 1;
	}
	for (size_t i = index; log->parent_id != 0 && i > 0; i--) {
		if (logs[i - 1].system_id == log->parent_id)
			return i - 1;
	}
	return count;
}
