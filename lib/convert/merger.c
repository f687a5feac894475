/* SPDX-License-Identifier: MIT */
/* Merges logs of several processes: each is copied by a converter of its own, block by block in the order of time. */
#include <mprof/convert.h>

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "convert/converter.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"
#include "convert/copy_events.h"
#include "convert/merge_blocks.h"
#include "convert/merge_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is known of a log before it is merged: its process, its clock, and how it was recorded.
 */

/* Properties of the session that decide how logs are merged. */
typedef enum log_property {
	LOG_PROGRAM,
	LOG_ARGUMENTS,
	LOG_PID,
	LOG_PARENT_PID,
	LOG_COUNTER,
	LOG_ALLOCATIONS, /* From here on, logs that are merged must have the same. */
	LOG_OFFSETS,
	LOG_SAMPLE_CLOCK,
	LOG_SAMPLE_SOURCE,
	LOG_SAMPLE_SCOPE, /* From here on, the merged log states what all logs with samples have in common. */
	LOG_SAMPLE_RATE,
	LOG_PROPERTY_COUNT
} log_property;

typedef struct merge_log {
	size_t number;                        /* In the order in which the caller added it. */
	mprof_session start;                  /* The state of the log after its first blocks; the runtime is not set. */
	char *properties[LOG_PROPERTY_COUNT]; /* NULL: not stated. */
	uint64_t system_id;                   /* Of its process; 0: not known. */
	uint64_t parent_id;                   /* Of the process that started it; 0: not known. */
	uint64_t process;                     /* The number of its process in the merged log. */
	copy_resolution resolution;           /* Converts its counters. */
	uint64_t start_counter;               /* When it begins, in the merged log. */
	const char *clock;                    /* How its counters are converted; NULL: they are not. */
} merge_log;

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

/*
 * Reads the first blocks of a log. Returns MPROF_OK, MPROF_ERR_MEMORY, or MPROF_ERR_STATE if the log does not state
 * when it began. Release it with merge_log_release() in any case.
 */
static mprof_status merge_log_read(merge_log *log, const mprof_allocator *allocator, mprof_reader *reader)
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

static void merge_log_release(merge_log *log, const mprof_allocator *allocator)
{
	for (size_t i = 0; i < LOG_PROPERTY_COUNT; i++)
		release_text(allocator, log->properties[i]);
}

static const char *stated(const merge_log *log, log_property property)
{
	return log->properties[property] != NULL ? log->properties[property] : "";
}

/* Why a log cannot be merged with another one; NULL if it can. */
static const char *merge_log_conflict(const merge_log *log, const merge_log *other)
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

/*
 * The key of a property that differs between the logs with samples, so that it concerns none of them as a whole; NULL
 * if they have the same.
 */
static const char *merge_log_find_difference(const merge_log *logs, size_t count, log_property property)
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

/*
 * Determines how the counters of a log become those of the merged log, which are those of first. Returns 0 if that
 * is not known.
 */
static int merge_log_choose_clock(merge_log *log, const merge_log *first)
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

/*
 * The process that started that of a log, or that executed its program: the index of its log. Returns count if it is
 * not among the logs, which are in the order of time.
 */
static size_t merge_log_find_parent(const merge_log *logs, size_t count, size_t index)
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

typedef struct merged_input merged_input;

/* A log that is open. */
struct merged_input {
	merge_input input;
	mprof_merger *merger;
	const merge_log *log;
	mprof_reader *reader;
	mprof_converter *converter;
	uint64_t reached;   /* Counter of its next block, in the merged log. */
	uint64_t watermark; /* All its events of native memory before it have been read. */
};

#define RUNTIME_SIZE 256

struct mprof_merger {
	mprof_allocator allocator;
	mprof_merger_options options;
	mprof_writer_options writer_options;
	merge_log *logs; /* In the order of time when merging has begun. */
	size_t log_count;
	size_t log_capacity;
	size_t opened; /* Logs that were opened. */
	int has_begun;
	int is_strict; /* Merging ends when information is left out. */
	merge_state state;
	merged_input **open; /* The logs that are open, in no particular order; one element for each log. */
	size_t open_count;
	mprof_converter *current;  /* Has the clocks of the block that is written. */
	mprof_converter *previous; /* May have left a block of events open; NULL: none has. */
	int has_first;             /* The first log has begun. */
	int is_closed;
	mprof_writer *writer;
	uint64_t watermark;
	uint64_t flags; /* Of all logs. */
	char runtime[RUNTIME_SIZE];
	mprof_status first;   /* The first error in a log. */
	mprof_status failure; /* What ended merging. */
	mprof_error error;
};

void mprof_merger_options_init(mprof_merger_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

static mprof_status refuse(mprof_merger *merger, mprof_status status, const char *what)
{
	merger->error.status = (uint32_t)status;
	merger->error.what = what;
	return status;
}

/* Whether logs of a dialect can be of several processes. */
static int can_be_merged(uint32_t dialect)
{
	const dialect_rules *rules = dialect_get((mprof_dialect)dialect);

	return rules != NULL && dialect_has_directive(rules, MPROF_DIRECTIVE_PROCESSES);
}

static mprof_status read_options(const mprof_merger_options *input, mprof_merger_options *options,
				 mprof_writer_options *writer)
{
	if (input == NULL || struct_copy_in(options, input, sizeof(*options)) != MPROF_OK || options->open == NULL ||
	    options->close == NULL)
		return MPROF_ERR_ARGUMENT;
	mprof_writer_options_init(writer, sizeof(*writer));
	if (options->writer != NULL && struct_copy_in(writer, options->writer, sizeof(*writer)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	return can_be_merged(writer->dialect) ? MPROF_OK : MPROF_ERR_ARGUMENT;
}

mprof_status mprof_merger_create(const mprof_merger_options *options, mprof_merger **merger)
{
	mprof_merger_options copy;
	mprof_writer_options writer;
	mprof_allocator allocator;
	mprof_merger *created;

	if (merger == NULL)
		return MPROF_ERR_ARGUMENT;
	*merger = NULL;
	if (read_options(options, &copy, &writer) != MPROF_OK || !allocator_init(&allocator, writer.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	created->allocator = allocator;
	created->options = copy;
	created->writer_options = writer;
	created->error.struct_size = sizeof(created->error);
	created->error.what = "no error";
	*merger = created;
	return MPROF_OK;
}

/*
 * Adding logs.
 */

/* Programs show which runtimes there were. What does not fit is left out; a damaged INTRO states none. */
static void add_runtime(mprof_merger *merger, const char *runtime)
{
	const size_t length = strlen(merger->runtime);

	if (runtime == NULL || *runtime == '\0' || strstr(merger->runtime, runtime) != NULL)
		return;
	if (length + strlen(runtime) + 3 > sizeof(merger->runtime))
		return;
	snprintf(merger->runtime + length, sizeof(merger->runtime) - length, "%s%s", length > 0 ? ", " : "", runtime);
}

/* Returns 0 if there is no memory. */
static int append_log(mprof_merger *merger, const merge_log *log)
{
	void *logs = merger->logs;
	const int has_room = array_reserve(&merger->allocator, &logs, &merger->log_capacity, merger->log_count + 1,
					   sizeof(*merger->logs));

	merger->logs = logs;
	if (!has_room)
		return 0;
	merger->logs[merger->log_count] = *log;
	merger->logs[merger->log_count].number = merger->log_count;
	merger->log_count++;
	return 1;
}

/* Why a log cannot be merged with those before it; NULL if it can. */
static const char *find_conflict(const mprof_merger *merger, const merge_log *log)
{
	if (!can_be_merged(log->start.dialect) && merger->log_count > 0)
		return "only logs of mprof2 can be merged: convert the log first";
	for (size_t i = 0; i < merger->log_count; i++) {
		const char *conflict = merge_log_conflict(log, &merger->logs[i]);

		if (!can_be_merged(merger->logs[i].start.dialect))
			return "only logs of mprof2 can be merged: convert the log before this one first";
		if (conflict != NULL)
			return conflict;
	}
	return NULL;
}

static mprof_status add_log(mprof_merger *merger, merge_log *log, mprof_reader *reader)
{
	const mprof_status status = merge_log_read(log, &merger->allocator, reader);
	const char *conflict;

	if (status == MPROF_ERR_STATE)
		return refuse(merger, status, "the log does not state when it began");
	if (status != MPROF_OK)
		return refuse(merger, status, mprof_status_get_text(status));
	conflict = find_conflict(merger, log);
	if (conflict != NULL)
		return refuse(merger, MPROF_ERR_UNSUPPORTED, conflict);
	if (!append_log(merger, log))
		return refuse(merger, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	merger->flags |= log->start.flags;
	add_runtime(merger, reader_runtime(reader));
	return MPROF_OK;
}

mprof_status mprof_merger_add(mprof_merger *merger, mprof_reader *reader)
{
	merge_log log;
	mprof_status status;

	if (merger == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (merger->has_begun)
		return refuse(merger, MPROF_ERR_STATE, "merging has begun");
	status = add_log(merger, &log, reader);
	if (status != MPROF_OK)
		merge_log_release(&log, &merger->allocator);
	return status;
}

/*
 * Opening logs.
 */

static void read_clock(void *user, mprof_clock *clock)
{
	const mprof_merger *merger = user;

	if (merger->current != NULL)
		converter_read_clock(merger->current, clock);
	else
		*clock = merger->logs[0].start.start;
}

static void report_damage(void *user, const mprof_error *error)
{
	const merged_input *one = user;
	const mprof_merger *merger = one->merger;

	if (merger->options.damage != NULL)
		merger->options.damage(merger->options.user, one->log->number, error);
}

static void close_input(merged_input *one)
{
	mprof_merger *merger = one->merger;

	if (merger->current == one->converter)
		merger->current = NULL;
	mprof_converter_destroy(one->converter);
	if (one->reader != NULL)
		merger->options.close(merger->options.user, one->log->number, one->reader);
	if (merger->log_count > 1)
		merge_input_destroy(&one->input);
	allocator_release(&merger->allocator, one, sizeof(*one));
}

static mprof_status open_reader(merged_input *one)
{
	mprof_merger *merger = one->merger;
	mprof_converter_options options;
	mprof_status status = merger->options.open(merger->options.user, one->log->number, &one->reader);

	if (status != MPROF_OK)
		return refuse(merger, status, mprof_status_get_text(status));
	mprof_converter_options_init(&options, sizeof(options));
	options.writer = &merger->writer_options;
	status = mprof_converter_create(one->reader, &options, &one->converter);
	if (status != MPROF_OK)
		return refuse(merger, status, "the log was changed while it was merged");
	one->converter->faults.damage = report_damage;
	one->converter->faults.user = one;
	one->converter->is_strict = merger->is_strict;
	return MPROF_OK;
}

/* Opens the next log. */
static mprof_status open_next(mprof_merger *merger)
{
	const merge_log *log = &merger->logs[merger->opened];
	merged_input *one = allocator_allocate_zeroed(&merger->allocator, sizeof(*one));
	mprof_status status;

	if (one == NULL)
		return refuse(merger, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	one->merger = merger;
	one->log = log;
	one->reached = log->start_counter;
	one->watermark = log->start_counter;
	if (merger->log_count > 1) {
		merge_input_init(&one->input, &merger->state, merger->opened, log->process);
		one->input.start = log->start_counter;
	}
	status = open_reader(one);
	if (status != MPROF_OK) {
		close_input(one);
		return status;
	}
	merger->opened++;
	merger->open[merger->open_count++] = one;
	return MPROF_OK;
}

/*
 * Beginning: the order of the logs, the numbers of their processes, and the options of the writer.
 */

static int compare_starts(const void *one, const void *other)
{
	const merge_log *a = one;
	const merge_log *b = other;
	const int64_t difference = (int64_t)(a->start_counter - b->start_counter);

	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static const merge_log *find_earliest(const mprof_merger *merger)
{
	const merge_log *earliest = &merger->logs[0];

	for (size_t i = 1; i < merger->log_count; i++) {
		if (merger->logs[i].start.start.time < earliest->start.start.time)
			earliest = &merger->logs[i];
	}
	return earliest;
}

static mprof_status choose_clocks(mprof_merger *merger)
{
	const merge_log first = *find_earliest(merger);

	for (size_t i = 0; i < merger->log_count; i++) {
		if (!merge_log_choose_clock(&merger->logs[i], &first))
			return refuse(merger, MPROF_ERR_UNSUPPORTED,
				      "the logs cannot be merged: one of them does not state the rate of its clock");
	}
	qsort(merger->logs, merger->log_count, sizeof(*merger->logs), compare_starts);
	return MPROF_OK;
}

static mprof_status number_processes(mprof_merger *merger)
{
	for (size_t i = 0; i < merger->log_count; i++) {
		merge_log *log = &merger->logs[i];

		log->process = used_numbers_take(&merger->state.used[MERGE_PROCESS], log->system_id);
		if (log->process == 0)
			return refuse(merger, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	}
	return MPROF_OK;
}

static mprof_status begin_merging(mprof_merger *merger)
{
	mprof_status status = MPROF_OK;

	merge_state_init(&merger->state, &merger->allocator);
	merger->has_begun = 1;
	merger->open = allocator_allocate_zeroed(&merger->allocator, merger->log_count * sizeof(*merger->open));
	if (merger->open == NULL)
		return refuse(merger, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	if (merger->log_count > 1) {
		status = choose_clocks(merger);
		if (status == MPROF_OK)
			status = number_processes(merger);
		for (size_t i = 0; i < MERGE_DIFFERING; i++)
			merger->state.differing[i] = merge_log_find_difference(merger->logs, merger->log_count,
									       (log_property)(LOG_SAMPLE_SCOPE + i));
	}
	return status == MPROF_OK ? open_next(merger) : status;
}

static void set_writer_options(mprof_merger *merger)
{
	mprof_writer_options *options = &merger->writer_options;

	*options = merger->open[0]->converter->writer_options;
	if (merger->log_count == 1)
		return;
	/* Not those of a later version. */
	options->intro_flags = merger->flags & dialect_get((mprof_dialect)options->dialect)->intro_flags;
	mprof_number_set_add(&options->directives, MPROF_DIRECTIVE_PROCESSES);
	options->runtime = merger->runtime;
	options->clock = read_clock;
	options->clock_user = merger;
}

mprof_status mprof_merger_get_writer_options(mprof_merger *merger, mprof_writer_options *options)
{
	if (merger == NULL || options == NULL || options->struct_size < SIZE_UP_TO(mprof_writer_options, codec_level))
		return MPROF_ERR_ARGUMENT;
	if (merger->log_count == 0)
		return refuse(merger, MPROF_ERR_STATE, "no log was added");
	if (!merger->has_begun) {
		merger->is_strict = !merger->writer_options.lossy;
		merger->failure = begin_merging(merger);
		if (merger->failure == MPROF_OK)
			set_writer_options(merger);
	}
	if (merger->failure != MPROF_OK)
		return merger->failure;
	return struct_copy_out(options, &merger->writer_options, sizeof(merger->writer_options));
}

/*
 * Merging.
 */

/* The name of a program without its directories. */
static const char *name_of_program(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : program;
}

/* "PROGRAM ARGUMENTS", from the allocator. NULL if there is no memory. */
static char *make_command(const mprof_merger *merger, const merge_log *log, size_t *size)
{
	const char *program = log->properties[LOG_PROGRAM] != NULL ? log->properties[LOG_PROGRAM] : "";
	const char *arguments = log->properties[LOG_ARGUMENTS] != NULL ? log->properties[LOG_ARGUMENTS] : "";
	char *command;

	*size = strlen(program) + strlen(arguments) + 2;
	command = allocator_allocate(&merger->allocator, *size);
	if (command != NULL)
		snprintf(command, *size, "%s%s%s", program, *arguments != '\0' ? " " : "", arguments);
	return command;
}

/* Describes the process of a log; \p end is 0 as long as it is not known. */
static mprof_status describe_process(merged_input *one, uint64_t end)
{
	mprof_merger *merger = one->merger;
	const merge_log *log = one->log;
	const size_t parent = merge_log_find_parent(merger->logs, merger->log_count, (size_t)(log - merger->logs));
	size_t size;
	char *command = make_command(merger, log, &size);
	mprof_record record;
	mprof_status status;

	if (command == NULL)
		return MPROF_ERR_MEMORY;
	memset(&record, 0, sizeof(record));
	record.kind = MPROF_RECORD_PROCESS;
	record.id = ++merger->state.defined[MPROF_RECORD_PROCESS];
	record.as.process.number = log->process;
	record.as.process.system_id = log->system_id;
	record.as.process.parent = parent < merger->log_count ? merger->logs[parent].process : 0;
	record.as.process.start = log->start_counter;
	record.as.process.end = end;
	record.as.process.name =
		log->properties[LOG_PROGRAM] != NULL ? name_of_program(log->properties[LOG_PROGRAM]) : "";
	record.as.process.command = command;
	status = mprof_writer_write_records(merger->writer, MPROF_BLOCK_PROCESSES, 0, &record, sizeof(record), 1);
	allocator_release(&merger->allocator, command, size);
	return status;
}

/* Begins to copy a log that was opened. */
static mprof_status begin_input(merged_input *one)
{
	mprof_merger *merger = one->merger;
	mprof_status status;

	converter_merge(one->converter, &one->input, merger->writer, &one->log->resolution);
	if (one->log->system_id != 0 &&
	    !own_numbers_set(&one->input.numbers[MERGE_PROCESS], one->log->system_id, one->log->process))
		return MPROF_ERR_MEMORY;
	merger->current = one->converter;
	status = writer_declare_more(merger->writer, one->converter->target.directives);
	if (status == MPROF_OK)
		status = describe_process(one, 0);
	if (status == MPROF_OK && one->log->clock != NULL)
		status = merge_session_state(one->converter, "clock", one->log->clock);
	return status;
}

/* Ends a log: states when its process ended, or what it lacks. */
static mprof_status end_input(merged_input *one)
{
	mprof_merger *merger = one->merger;
	mprof_converter *converter = one->converter;
	const mprof_status fault = converter->faults.first;
	mprof_status status = copy_events_end(converter);

	converter->next_clock = converter->clock_count - 1;
	if (status == MPROF_OK && converter->is_closed)
		status = describe_process(one, converter->clocks[converter->clock_count - 1].counter);
	if (status == MPROF_OK && fault != MPROF_OK)
		status = merge_session_state(converter, "incomplete",
					     fault == MPROF_ERR_TRUNCATED ? "the log has no end"
									  : mprof_status_get_text(fault));
	if (merger->first == MPROF_OK)
		merger->first = fault;
	return status;
}

static void forget_input(mprof_merger *merger, size_t index)
{
	close_input(merger->open[index]);
	merger->open[index] = merger->open[--merger->open_count];
}

static int has_counter(const mprof_block *block)
{
	return block->loaded && (block->has_clocks || block->kind == MPROF_BLOCK_WATERMARK);
}

/*
 * Looks where a log continues. A block belongs to the time when it was written. A block that does not state that comes
 * next, as what cannot be read does.
 */
static void look_ahead(merged_input *one)
{
	const mprof_block *block = converter_peek(one->converter);
	uint64_t counter;

	if (block == NULL || !has_counter(block))
		return;
	counter = block->kind == MPROF_BLOCK_WATERMARK ? block->as.watermark.counter : block->start.counter;
	counter = resolution_counter(&one->log->resolution, counter);
	if (block->kind == MPROF_BLOCK_WATERMARK)
		one->watermark = counter;
	else if ((int64_t)(counter - one->reached) > 0)
		one->reached = counter;
}

static size_t find_next(const mprof_merger *merger)
{
	size_t next = 0;

	for (size_t i = 1; i < merger->open_count; i++) {
		if ((int64_t)(merger->open[i]->reached - merger->open[next]->reached) < 0)
			next = i;
	}
	return next;
}

/* Opens the logs that begin before the next block of those that are open. */
static mprof_status open_until(mprof_merger *merger)
{
	mprof_status status = MPROF_OK;

	while (status == MPROF_OK && merger->opened < merger->log_count &&
	       (merger->open_count == 0 || (int64_t)(merger->logs[merger->opened].start_counter -
						     merger->open[find_next(merger)]->reached) <= 0)) {
		merged_input *one;

		status = open_next(merger);
		if (status != MPROF_OK)
			return status;
		one = merger->open[merger->open_count - 1];
		if (merger->previous != NULL)
			status = copy_events_end(merger->previous);
		merger->previous = NULL;
		if (status == MPROF_OK)
			status = begin_input(one);
		if (status == MPROF_OK)
			look_ahead(one);
	}
	return status;
}

/* States up to where the events of native memory of all processes have been read. */
static mprof_status raise_watermark(mprof_merger *merger)
{
	uint64_t lowest = 0;
	int has_lowest = 0;

	for (size_t i = 0; i < merger->open_count; i++) {
		const merged_input *one = merger->open[i];

		if ((one->log->start.flags & MPROF_INTRO_FLAG_MEMORY) == 0)
			continue;
		if (!has_lowest || (int64_t)(one->watermark - lowest) < 0)
			lowest = one->watermark;
		has_lowest = 1;
	}
	if (merger->opened < merger->log_count && (int64_t)(merger->logs[merger->opened].start_counter - lowest) < 0)
		lowest = merger->logs[merger->opened].start_counter;
	if (!has_lowest || (merger->watermark != 0 && (int64_t)(lowest - merger->watermark) <= 0))
		return MPROF_OK;
	merger->watermark = lowest;
	return mprof_writer_write_watermark(merger->writer, lowest);
}

/* Copies the next block of a log. */
static mprof_status copy_from(mprof_merger *merger, merged_input *one)
{
	mprof_converter *converter = one->converter;
	const mprof_block *block = converter_peek(converter);
	const int is_watermark = block != NULL && block->loaded && block->kind == MPROF_BLOCK_WATERMARK;
	mprof_status status = MPROF_OK;

	if (merger->previous != NULL && merger->previous != converter)
		status = copy_events_end(merger->previous);
	merger->previous = converter;
	merger->current = converter;
	if (status == MPROF_OK)
		status = converter_copy_next(converter);
	if (status == MPROF_OK && is_watermark)
		status = raise_watermark(merger);
	return status;
}

static mprof_status merge_next(mprof_merger *merger)
{
	mprof_status status = open_until(merger);
	size_t next;
	merged_input *one;

	if (status != MPROF_OK)
		return status;
	next = find_next(merger);
	one = merger->open[next];
	status = copy_from(merger, one);
	if (status != MPROF_OK)
		return status;
	if (!one->converter->is_over) {
		look_ahead(one);
		return MPROF_OK;
	}
	status = end_input(one);
	if (status == MPROF_OK)
		status = mprof_writer_flush(merger->writer);
	merger->previous = NULL;
	forget_input(merger, next);
	return status;
}

static mprof_status merge_all(mprof_merger *merger)
{
	mprof_status status = MPROF_OK;

	if (!merger->has_first) {
		status = begin_input(merger->open[0]);
		if (status == MPROF_OK)
			look_ahead(merger->open[0]);
		merger->has_first = 1;
	}
	while (status == MPROF_OK && (merger->open_count > 0 || merger->opened < merger->log_count))
		status = merge_next(merger);
	return status;
}

static mprof_status copy_single(mprof_merger *merger)
{
	mprof_converter *converter = merger->open[0]->converter;
	const mprof_status status = mprof_converter_run(converter, merger->writer, report_damage, merger->open[0]);

	if (mprof_converter_has_failed(converter))
		merger->failure = status;
	return status;
}

mprof_status mprof_merger_run(mprof_merger *merger, mprof_writer *writer)
{
	mprof_status status;

	if (merger == NULL || writer == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!merger->has_begun)
		return refuse(merger, MPROF_ERR_STATE, "the options of the writer were not asked for");
	if (merger->failure != MPROF_OK)
		return merger->failure;
	merger->writer = writer;
	if (merger->log_count == 1)
		return copy_single(merger);
	status = merge_all(merger);
	if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
		return status;
	if (status == MPROF_OK && !merger->is_closed)
		status = mprof_writer_close(writer);
	merger->is_closed = status == MPROF_OK;
	merger->failure = status;
	return status != MPROF_OK ? status : merger->first;
}

int mprof_merger_has_failed(const mprof_merger *merger)
{
	return merger != NULL && merger->failure != MPROF_OK;
}

mprof_status mprof_merger_get_error(const mprof_merger *merger, mprof_error *error)
{
	if (merger == NULL || error == NULL)
		return MPROF_ERR_ARGUMENT;
	return struct_copy_out(error, &merger->error, sizeof(merger->error));
}

void mprof_merger_destroy(mprof_merger *merger)
{
	mprof_allocator allocator;

	if (merger == NULL)
		return;
	allocator = merger->allocator;
	while (merger->open_count > 0)
		forget_input(merger, merger->open_count - 1);
	if (merger->has_begun)
		merge_state_destroy(&merger->state);
	allocator_release(&allocator, merger->open, merger->log_count * sizeof(*merger->open));
	for (size_t i = 0; i < merger->log_count; i++)
		merge_log_release(&merger->logs[i], &allocator);
	allocator_release(&allocator, merger->logs, merger->log_capacity * sizeof(*merger->logs));
	allocator_release(&allocator, merger, sizeof(*merger));
}
