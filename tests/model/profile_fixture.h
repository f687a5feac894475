/* SPDX-License-Identifier: MIT */
/**
 * \file profile_fixture.h
 * \brief Makes logs in memory, whose counters are nanoseconds, and profiles of them.
 */
#ifndef MODEL_PROFILE_FIXTURE_H
#define MODEL_PROFILE_FIXTURE_H

#include <mprof/profile.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/** Counter and wall-clock time at the start and the end of all logs: one second, a thousand million counters. */
#define SESSION_START UINT64_C(1000000)
#define SESSION_END (SESSION_START + UINT64_C(1000000000))

/** Methods and classes 1 to 9 are defined as "m1 ()" and "c1". */
#define DEFINED_IDS 9

typedef struct test_log {
	mprof_writer *writer;
	uint64_t counter; /**< Current value of the clock. */
	uint64_t counters_per_microsecond;
	uint8_t *bytes; /**< A copy of the log after it was closed. */
	size_t length;
	mprof_reader *reader;
	mprof_profile *profile;
} test_log;

static inline void test_clock(void *user, mprof_clock *clock)
{
	const test_log *log = user;

	clock->counter = log->counter;
	clock->time = log->counter / log->counters_per_microsecond;
}

static inline void define_names(mprof_writer *writer)
{
	for (uint32_t id = 1; id <= DEFINED_IDS; id++) {
		char class_name[8] = {'c', (char)('0' + id)};
		char method_name[8] = {'m', (char)('0' + id), ' ', '(', ')'};
		mprof_class_definition class_definition = {sizeof(mprof_class_definition), id, 0, class_name, 2, 0, 0};
		mprof_method_definition method_definition = {
			sizeof(mprof_method_definition), id, id, 0, 0, method_name, 5, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_class(writer, &class_definition), MPROF_OK);
		cr_assert_eq(mprof_writer_define_method(writer, &method_definition), MPROF_OK);
	}
}

static inline void log_begin_in(test_log *log, mprof_dialect dialect, uint64_t counters_per_microsecond,
				int has_columns)
{
	mprof_writer_options options;

	memset(log, 0, sizeof(*log));
	log->counter = SESSION_START;
	log->counters_per_microsecond = counters_per_microsecond;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.has_columns = (uint32_t)has_columns;
	options.clock = test_clock;
	options.clock_user = log;
	options.runtime = "test";
	if (dialect == MPROF_DIALECT_MONO)
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	else if (dialect == MPROF_DIALECT_MPROF2)
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS) |
					     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS);
	cr_assert_eq(mprof_writer_open_memory(&options, &log->writer), MPROF_OK);
	define_names(log->writer);
}

static inline void log_begin_at_rate(test_log *log, mprof_dialect dialect, uint64_t counters_per_microsecond)
{
	log_begin_in(log, dialect, counters_per_microsecond, 0);
}

static inline void log_begin_with(test_log *log, mprof_dialect dialect)
{
	log_begin_at_rate(log, dialect, 1000);
}

static inline void log_begin(test_log *log)
{
	log_begin_with(log, MPROF_DIALECT_MPROF2);
}

/** Counters of events are relative to the start of the session. */
static inline void begin_block(test_log *log, uint64_t thread, uint64_t base)
{
	cr_assert_eq(mprof_writer_begin_events(log->writer, thread, SESSION_START + base), MPROF_OK);
}

static inline void end_block(test_log *log)
{
	cr_assert_eq(mprof_writer_end_events(log->writer), MPROF_OK);
}

static inline void add_full(test_log *log, uint32_t kind, uint32_t id, uint64_t counter, uint64_t value, uint32_t flags)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.flags = (uint8_t)flags;
	event.id = id;
	event.counter = SESSION_START + counter;
	event.value = value;
	cr_assert_eq(mprof_writer_write_events(log->writer, &event, 1, NULL), MPROF_OK);
}

static inline void enter(test_log *log, uint32_t method, uint64_t counter)
{
	add_full(log, MPROF_EVENT_METHOD_ENTER, method, counter, 0, 0);
}

static inline void leave(test_log *log, uint32_t method, uint64_t counter)
{
	add_full(log, MPROF_EVENT_METHOD_LEAVE, method, counter, 0, 0);
}

/** Events of methods and classes without a value. */
static inline void add(test_log *log, uint32_t kind, uint32_t id, uint64_t counter)
{
	add_full(log, kind, id, counter, 0, 0);
}

/** Events with a value and no ID. */
static inline void add_value(test_log *log, uint32_t kind, uint64_t value, uint64_t counter)
{
	add_full(log, kind, 0, counter, value, 0);
}

/** Events with optional fields. */
static inline void add_detailed(test_log *log, uint32_t kind, uint32_t id, uint64_t counter, uint64_t value,
				const mprof_event_detail *detail)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.counter = SESSION_START + counter;
	event.value = value;
	event.more.detail = detail;
	cr_assert_eq(mprof_writer_write_events(log->writer, &event, 1, NULL), MPROF_OK);
}

/** A block with these records. */
static inline void write_records(test_log *log, mprof_block_kind kind, uint32_t number, const mprof_record *records,
				 size_t count)
{
	cr_assert_eq(mprof_writer_write_records(log->writer, kind, number, records, sizeof(*records), count), MPROF_OK);
}

#define WRITE_RECORDS(log, kind, number, ...)                                                                          \
	do {                                                                                                           \
		const mprof_record written_records[] = {__VA_ARGS__};                                                  \
                                                                                                                       \
		write_records(log, kind, number, written_records,                                                      \
			      sizeof(written_records) / sizeof(written_records[0]));                                   \
	} while (0)

/** A call stack: a method or a native location, with the caller's stack. */
#define STACK_OF_METHOD(chain, called_by, method)                                                                      \
	{                                                                                                              \
		.kind = MPROF_RECORD_STACK, .id = chain, .as.stack.caller = called_by, .as.stack.target = method       \
	}
#define STACK_OF_LOCATION(chain, called_by, location)                                                                  \
	{                                                                                                              \
		.kind = MPROF_RECORD_STACK, .id = chain, .as.stack.caller = called_by, .as.stack.target = location,    \
		.as.stack.is_native = 1                                                                                \
	}

/** Keeps the written log; it has END unless \p is_cut. */
static inline void log_close(test_log *log, int is_cut)
{
	const uint8_t *bytes;

	log->counter = SESSION_END;
	cr_assert_eq(is_cut ? mprof_writer_flush(log->writer) : mprof_writer_close(log->writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(log->writer, &bytes, &log->length), MPROF_OK);
	log->bytes = malloc(log->length);
	cr_assert_not_null(log->bytes);
	memcpy(log->bytes, bytes, log->length);
	mprof_writer_destroy(log->writer);
	log->writer = NULL;
}

static inline void log_open(test_log *log, const mprof_profile_options *options)
{
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &log->reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(options, &log->profile), MPROF_OK);
}

static inline void log_forget_profile(test_log *log)
{
	mprof_profile_destroy(log->profile);
	mprof_reader_destroy(log->reader);
	log->profile = NULL;
	log->reader = NULL;
}

static inline void log_release(test_log *log)
{
	log_forget_profile(log);
	free(log->bytes);
}

/** Profiles a closed log, which must have no errors. \p options may be NULL. */
static inline void log_read(test_log *log, const mprof_profile_options *options)
{
	log_open(log, options);
	cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
}

/** Closes a log and profiles it. */
static inline void log_profile_with(test_log *log, const mprof_profile_options *options)
{
	log_close(log, 0);
	log_read(log, options);
}

static inline void log_profile(test_log *log)
{
	log_profile_with(log, NULL);
}

static inline mprof_profile_totals totals_of(const test_log *log)
{
	mprof_profile_totals totals;

	memset(&totals, 0xff, sizeof(totals));
	totals.struct_size = sizeof(totals);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_OK);
	return totals;
}

/** Adds the next block. Returns 0 at the end of the log. */
static inline int add_next_block(test_log *log)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_next_block(log->reader, &block);
	if (status == MPROF_END)
		return 0;
	cr_assert_eq(status, MPROF_OK);
	cr_assert_eq(mprof_profile_add_block(log->profile, log->reader, &block), MPROF_OK);
	return 1;
}

static inline void finish(test_log *log)
{
	cr_assert_eq(mprof_profile_finish(log->profile, log->reader), MPROF_OK);
}

/** Compares all rows of a table, an #mprof_profile_table. */
static inline void expect_same_rows(uint32_t table, const test_log *one, const test_log *other)
{
	const mprof_table_info *info = mprof_table_get_info(table);
	const size_t count = mprof_profile_get_row_count(one->profile, table);
	size_t *row = calloc(1, info->row_size);
	size_t *other_row = calloc(1, info->row_size);

	cr_assert(row != NULL && other_row != NULL);
	cr_assert_eq(mprof_profile_get_row_count(other->profile, table), count);
	for (size_t i = 0; i < count; i++) {
		*row = info->row_size;
		*other_row = info->row_size;
		cr_assert_eq(mprof_profile_get_row(one->profile, table, i, row), MPROF_OK);
		cr_assert_eq(mprof_profile_get_row(other->profile, table, i, other_row), MPROF_OK);
		cr_assert_arr_eq(row, other_row, info->row_size, "%s %zu", info->name, i);
	}
	free(row);
	free(other_row);
}

/** Compares the tables of calls, allocations, exceptions and threads, and the totals. */
static inline void expect_same_results(const test_log *one, const test_log *other)
{
	const mprof_profile_totals totals = totals_of(one);
	const mprof_profile_totals other_totals = totals_of(other);

	expect_same_rows(MPROF_TABLE_METHODS, one, other);
	expect_same_rows(MPROF_TABLE_CALLS, one, other);
	expect_same_rows(MPROF_TABLE_CLASSES, one, other);
	expect_same_rows(MPROF_TABLE_THREADS, one, other);
	expect_same_rows(MPROF_TABLE_ALLOCATION_SITES, one, other);
	expect_same_rows(MPROF_TABLE_EXCEPTION_SITES, one, other);
	cr_assert_arr_eq(&totals, &other_totals, sizeof(totals), "totals");
}

/** Metrics of a method; all 0 if it has none. */
static inline mprof_method_stats method_of(const test_log *log, uint32_t id)
{
	mprof_method_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_METHODS); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_METHODS, i, &stats), MPROF_OK);
		if (stats.id == id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

static inline mprof_class_stats class_of(const test_log *log, uint32_t id)
{
	mprof_class_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_CLASSES); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_CLASSES, i, &stats), MPROF_OK);
		if (stats.id == id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

static inline mprof_thread_stats thread_of(const test_log *log, uint64_t id)
{
	mprof_thread_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_THREADS); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_THREADS, i, &stats), MPROF_OK);
		if (stats.id == id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

static inline mprof_call_stats call_at(const test_log *log, uint32_t node)
{
	mprof_call_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_CALLS, node, &stats), MPROF_OK);
	return stats;
}

/** The node of a path of method IDs from the outermost one, terminated by 0; fails if it does not exist. */
static inline mprof_call_stats call_of(const test_log *log, const uint32_t *path)
{
	mprof_call_stats stats = call_at(log, MPROF_CALL_ROOT);

	for (; *path != 0; path++) {
		uint32_t node = stats.first_child;

		while (node != 0 && call_at(log, node).method != *path)
			node = call_at(log, node).next_sibling;
		cr_assert_neq(node, 0, "no path to method %u", *path);
		stats = call_at(log, node);
	}
	return stats;
}

#define CALL(log, ...) call_of(log, (const uint32_t[]){__VA_ARGS__, 0})

#define EXPECT_METHOD(log, id, expected_calls, expected_total, expected_self)                                          \
	do {                                                                                                           \
		mprof_method_stats expected_figures = method_of(log, id);                                              \
                                                                                                                       \
		cr_expect_eq(expected_figures.calls, expected_calls, "method %u: %lu calls", id,                       \
			     (unsigned long)expected_figures.calls);                                                   \
		cr_expect_eq(expected_figures.total_ns, expected_total, "method %u: %lu ns in all", id,                \
			     (unsigned long)expected_figures.total_ns);                                                \
		cr_expect_eq(expected_figures.self_ns, expected_self, "method %u: %lu ns of its own", id,              \
			     (unsigned long)expected_figures.self_ns);                                                 \
	} while (0)

#define EXPECT_CALL(stats, expected_calls, expected_total, expected_self)                                              \
	do {                                                                                                           \
		mprof_call_stats expected_call = stats;                                                                \
                                                                                                                       \
		cr_expect_eq(expected_call.calls, expected_calls);                                                     \
		cr_expect_eq(expected_call.total_ns, expected_total);                                                  \
		cr_expect_eq(expected_call.self_ns, expected_self);                                                    \
	} while (0)

#endif
