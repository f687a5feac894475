/* SPDX-License-Identifier: MIT */
/**
 * \file ages_fixture.h
 * \brief Makes logs of a managed heap: from single events, and from random programs.
 */
#ifndef MODEL_AGES_FIXTURE_H
#define MODEL_AGES_FIXTURE_H

#include "model/profile_fixture.h"

/** A log whose allocations have call stacks and addresses. */
static inline void log_begin_objects(test_log *log)
{
	mprof_writer_options options;

	memset(log, 0, sizeof(*log));
	log->counter = SESSION_START;
	log->counters_per_microsecond = 1000;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MPROF2;
	options.clock = test_clock;
	options.clock_user = log;
	options.runtime = "test";
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_OBJECT_EVENTS);
	cr_assert_eq(mprof_writer_open_memory(&options, &log->writer), MPROF_OK);
	define_names(log->writer);
}

static inline void allocate_object(test_log *log, uint32_t class_id, uint64_t counter, uint64_t address, uint64_t size,
				   uint32_t stack)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = address, .stack = stack};

	add_detailed(log, MPROF_EVENT_ALLOCATION, class_id, counter, size, &detail);
}

static inline void collect(test_log *log, uint32_t number, uint64_t counter)
{
	add_full(log, MPROF_EVENT_GC_START, number, counter, 1, 0);
	add_full(log, MPROF_EVENT_GC_END, number, counter + 1, 1, 0);
}

/** An event of a HEAP_DATA block: a death, or a move if \p to is not 0. */
typedef struct heap_step {
	uint64_t address;
	uint64_t to;
	uint64_t size;
	uint32_t class_id;
} heap_step;

#define HEAP_STEPS_MAX 4096

static inline void write_heap_steps(test_log *log, uint64_t counter, const heap_step *steps, size_t count)
{
	static mprof_event events[HEAP_STEPS_MAX];
	static mprof_event_detail details[HEAP_STEPS_MAX];

	cr_assert(count <= HEAP_STEPS_MAX);
	memset(events, 0, sizeof(events));
	for (size_t i = 0; i < count; i++) {
		details[i] = (mprof_event_detail){.struct_size = sizeof(details[i]), .object = steps[i].address};
		events[i].kind = (uint8_t)(steps[i].to != 0 ? MPROF_EVENT_HEAP_MOVE : MPROF_EVENT_HEAP_FREE);
		events[i].id = steps[i].class_id;
		events[i].value = steps[i].to != 0 ? steps[i].to : steps[i].size;
		events[i].counter = SESSION_START + counter;
		events[i].more.detail = &details[i];
	}
	cr_assert_eq(mprof_writer_write_heap(log->writer, 0, 0, SESSION_START + counter, events, count), MPROF_OK);
}

static inline void write_death(test_log *log, uint64_t counter, uint32_t class_id, uint64_t address, uint64_t size)
{
	const heap_step step = {address, 0, size, class_id};

	write_heap_steps(log, counter, &step, 1);
}

static inline void write_move(test_log *log, uint64_t counter, uint64_t from, uint64_t to)
{
	const heap_step step = {from, to, 0, 0};

	write_heap_steps(log, counter, &step, 1);
}

static inline mprof_age_stats ages_of(const test_log *log)
{
	mprof_age_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_AGES, 0, &stats), MPROF_OK);
	return stats;
}

static inline mprof_age_class age_class_of(const test_log *log, uint32_t class_id)
{
	mprof_age_class row = {.struct_size = sizeof(row)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_AGE_CLASSES); i++) {
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_AGE_CLASSES, i, &row), MPROF_OK);
		if (row.class_id == class_id)
			return row;
	}
	memset(&row, 0, sizeof(row));
	return row;
}

static inline mprof_age_site age_site_of(const test_log *log, uint32_t class_id, uint32_t stack)
{
	mprof_age_site site = {.struct_size = sizeof(site)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_AGE_SITES); i++) {
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_AGE_SITES, i, &site), MPROF_OK);
		if (site.class_id == class_id && site.stack == stack)
			return site;
	}
	memset(&site, 0, sizeof(site));
	return site;
}

static inline mprof_heap_change_entry heap_change_at(const test_log *log, size_t index)
{
	mprof_heap_change_entry entry = {.struct_size = sizeof(entry)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HEAP_CHANGES, index, &entry), MPROF_OK);
	return entry;
}

/** Profiles a closed log with ages of objects. */
static inline void log_read_ages(test_log *log, uint64_t start, uint64_t end)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.window_start_ns = (int64_t)start;
	options.window_end_ns = (int64_t)end;
	log_read(log, &options);
}

#endif
