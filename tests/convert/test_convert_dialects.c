/* SPDX-License-Identifier: MIT */
/* Every event and block, from each dialect to each other one, is either in the copy or counted as left out. */
#include "convert_fixture.h"
#include "format/events/event_kinds.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_DIALECT MPROF_DIALECT_MAIL
#define LAST_DIALECT MPROF_DIALECT_MPROF2
#define BLOCK_KINDS 64

/* The number of events and blocks of each kind in a log. */
typedef struct log_counts {
	uint64_t events[EVENT_KIND_COUNT];
	uint64_t blocks[BLOCK_KINDS];
} log_counts;

static log_counts count_log(const log_bytes *log)
{
	log_counts counts = {{0}, {0}};
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	mprof_reader *reader;
	mprof_status status;
	size_t count;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		counts.blocks[block.kind]++;
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				counts.events[events[i].kind]++;
		}
	}
	cr_assert_eq(status, MPROF_END, "%s", reader_error_of(reader).what);
	mprof_reader_destroy(reader);
	return counts;
}

/* Events that become others: some dialects do not represent the cause of a leave, or its method. */
static uint32_t plain_kind(uint32_t kind)
{
	switch (kind) {
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		return MPROF_EVENT_METHOD_LEAVE;
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		return MPROF_EVENT_ALLOCATION;
	default:
		return kind;
	}
}

static void make_plain(uint64_t counts[], size_t count)
{
	for (uint32_t kind = 0; kind < count; kind++) {
		if (plain_kind(kind) != kind) {
			counts[plain_kind(kind)] += counts[kind];
			counts[kind] = 0;
		}
	}
}

/* Events that exist only inside blocks of one kind and are counted with these, or that writers generate. */
static int is_counted_with_blocks(uint32_t kind)
{
	return kind == MPROF_EVENT_STACK_SECTION || kind == MPROF_EVENT_HEAP_REFERENCES ||
	       (kind >= MPROF_EVENT_HEAP_OBJECT && kind <= MPROF_EVENT_HEAP_FREE);
}

static void expect_events(const log_counts *before, const log_counts *after, const mprof_writer_stats *stats,
			  const char *what)
{
	uint64_t all[EVENT_KIND_COUNT];
	uint64_t there[EVENT_KIND_COUNT];
	uint64_t left_out[EVENT_KIND_COUNT];
	int has_shots = after->blocks[MPROF_BLOCK_HEAP_DATA] > 0;

	memcpy(all, before->events, sizeof(all));
	memcpy(there, after->events, sizeof(there));
	memcpy(left_out, stats->left_out_events, sizeof(left_out));
	make_plain(all, EVENT_KIND_COUNT);
	make_plain(there, EVENT_KIND_COUNT);
	make_plain(left_out, EVENT_KIND_COUNT);
	for (uint32_t kind = 1; kind < EVENT_KIND_COUNT; kind++) {
		if (is_counted_with_blocks(kind))
			continue;
		if (!has_shots && (kind == MPROF_EVENT_HEAP_ROOT || kind == MPROF_EVENT_HEAP_MOVE))
			continue;
		cr_expect_eq(all[kind], there[kind] + left_out[kind],
			     "%s: %s: of %llu %llu are there and %llu left out", what, mprof_event_get_name(kind),
			     (unsigned long long)all[kind], (unsigned long long)there[kind],
			     (unsigned long long)left_out[kind]);
	}
}

/* Blocks that are copied one to one. Blocks with lists may be split or joined. */
static void expect_blocks(const log_counts *before, const log_counts *after, const mprof_writer_stats *stats,
			  const char *what)
{
	static const uint8_t kinds[] = {
		MPROF_BLOCK_LOADED,       MPROF_BLOCK_UNLOADED, MPROF_BLOCK_EVENTS,    MPROF_BLOCK_SESSION,
		MPROF_BLOCK_HEAP_SUMMARY, MPROF_BLOCK_THREAD,   MPROF_BLOCK_LOST,      MPROF_BLOCK_MARK,
		MPROF_BLOCK_METRICS,      MPROF_BLOCK_ROOTS,    MPROF_BLOCK_WATERMARK, MPROF_BLOCK_END,
	};

	for (size_t i = 0; i < sizeof(kinds); i++) {
		uint32_t kind = kinds[i];

		cr_expect_eq(before->blocks[kind], after->blocks[kind] + stats->left_out_blocks[kind],
			     "%s: %s: of %llu %llu are there and %llu left out", what, mprof_block_get_name(kind),
			     (unsigned long long)before->blocks[kind], (unsigned long long)after->blocks[kind],
			     (unsigned long long)stats->left_out_blocks[kind]);
	}
}

static void expect_there_or_counted(const log_bytes *log, mprof_dialect source, mprof_dialect target)
{
	log_counts before = count_log(log);
	conversion created = convert(log, target);
	log_counts after = count_log(&created.log);
	char what[64];

	snprintf(what, sizeof(what), "%s to %s", mprof_dialect_get_name(source), mprof_dialect_get_name(target));
	cr_assert_eq(created.status, MPROF_OK, "%s: %s", what, mprof_status_get_text(created.status));
	expect_events(&before, &after, &created.stats, what);
	expect_blocks(&before, &after, &created.stats, what);
	log_free(&created.log);
}

/* All pairs of dialects, starting with a log of mprof2 that has more than the others can represent. */
static void go_all_ways(log_bytes log)
{
	for (uint32_t source = FIRST_DIALECT; source <= LAST_DIALECT; source++) {
		conversion first = convert(&log, (mprof_dialect)source);

		cr_assert_eq(first.status, MPROF_OK);
		for (uint32_t target = FIRST_DIALECT; target <= LAST_DIALECT; target++)
			expect_there_or_counted(&first.log, (mprof_dialect)source, (mprof_dialect)target);
		log_free(&first.log);
	}
	expect_there_or_counted(&log, MPROF_DIALECT_MPROF2, MPROF_DIALECT_MPROF2);
	log_free(&log);
}

Test(convert_dialects, blocks_and_events_that_the_mail_has)
{
	go_all_ways(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES));
	go_all_ways(log_make(MPROF_DIALECT_MAIL, 0));
}

Test(convert_dialects, blocks_that_only_mprof2_has)
{
	go_all_ways(log_make_more(FIXTURE_ALL_DIRECTIVES));
}

/* A log of mprof2 with one event of each kind. */
static log_bytes log_of_each_event(void)
{
	static const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
						  .object = 0x1000,
						  .caller = 1,
						  .handle_type = MPROF_HANDLE_PINNED};
	const mprof_record type = {.kind = MPROF_RECORD_TYPE, .id = 1, .as.type.name = "t"};
	mprof_writer_options options;
	const uint8_t *bytes;
	mprof_writer *writer;
	log_bytes log;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = FIXTURE_ALL_DIRECTIVES | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_OBJECT_EVENTS);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_define_class(writer,
					       &(mprof_class_definition){.struct_size = sizeof(mprof_class_definition),
									 .id = 1,
									 .name = "C",
									 .name_length = 1}),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_define_method(
			     writer, &(mprof_method_definition){.struct_size = sizeof(mprof_method_definition),
								.id = 1,
								.name = "M ()",
								.name_length = 4}),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_TYPES, 0, &type, sizeof(type), 1), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 100), MPROF_OK);
	for (uint32_t kind = 1; kind < EVENT_KIND_COUNT; kind++) {
		mprof_event event = {
			.kind = (uint8_t)kind, .id = 1, .counter = 100 + kind, .value = 1, .more.detail = &detail};

		if (kind == MPROF_EVENT_SAMPLE || kind == MPROF_EVENT_STACK_SECTION ||
		    (kind >= MPROF_EVENT_HEAP_OBJECT && kind <= MPROF_EVENT_HEAP_REFERENCES))
			continue;
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK, "kind %u", kind);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	memcpy(log.bytes, bytes, log.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return log;
}

Test(convert_dialects, each_event)
{
	go_all_ways(log_of_each_event());
}

/* The table of doc/convert.md: the events of mprof2 that a dialect has. */
Test(convert_dialects, has_what_the_manual_lists)
{
	static const struct {
		uint32_t kind;
		int mail;
		int drop;
		int mono;
	} expected[] = {
		{MPROF_EVENT_METHOD_ENTER, 1, 1, 1},
		{MPROF_EVENT_METHOD_JIT_START, 1, 1, 1},
		{MPROF_EVENT_METHOD_FREED, 1, 1, 1},
		{MPROF_EVENT_CLASS_UNLOAD_END, 1, 1, 1},
		{MPROF_EVENT_EXCEPTION, 1, 1, 1},
		{MPROF_EVENT_GC_SWEEP_END, 1, 1, 1},
		{MPROF_EVENT_GC_RESIZE, 1, 1, 1},
		{MPROF_EVENT_GC_STOP_WORLD_START, 0, 1, 1},
		{MPROF_EVENT_GC_START_WORLD_END, 0, 1, 1},
		{MPROF_EVENT_ALLOCATION_AT_JIT, 0, 0, 1},
		{MPROF_EVENT_MONITOR, 0, 0, 1},
		{MPROF_EVENT_HANDLE_CREATED, 0, 0, 0},
		{MPROF_EVENT_HANDLE_DELETED, 0, 0, 0},
		{MPROF_EVENT_FINALIZER_START, 0, 0, 0},
		{MPROF_EVENT_FINALIZATION_END, 0, 0, 0},
		{MPROF_EVENT_RECORDING_RESUMED, 0, 0, 0},
		{MPROF_EVENT_MEMORY_ALLOCATED, 0, 0, 0},
		{MPROF_EVENT_MEMORY_FREED, 0, 0, 0},
		{MPROF_EVENT_MEMORY_RESIZED, 0, 0, 0},
		{MPROF_EVENT_STACK_SWITCH, 0, 0, 0},
		{MPROF_EVENT_STACK_END, 0, 0, 0},
		{MPROF_EVENT_EXCEPTION_CLAUSE, 0, 0, 0},
		{MPROF_EVENT_METHOD_CODE, 0, 0, 0},
		{MPROF_EVENT_MONITOR_HOLDER, 0, 0, 0},
		{MPROF_EVENT_TYPED, 0, 0, 0},
	};
	log_bytes log = log_of_each_event();
	conversion mail = convert(&log, MPROF_DIALECT_MAIL);
	conversion drop = convert(&log, MPROF_DIALECT_DROP);
	conversion mono = convert(&log, MPROF_DIALECT_MONO);
	log_counts in_mail = count_log(&mail.log);
	log_counts in_drop = count_log(&drop.log);
	log_counts in_mono = count_log(&mono.log);

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint32_t kind = expected[i].kind;
		const char *name = mprof_event_get_name(kind);

		cr_expect_eq(in_mail.events[kind], (uint64_t)expected[i].mail, "mail, %s", name);
		cr_expect_eq(in_drop.events[kind], (uint64_t)expected[i].drop, "drop, %s", name);
		cr_expect_eq(in_mono.events[kind], (uint64_t)expected[i].mono, "mono, %s", name);
	}
	log_free(&mono.log);
	log_free(&drop.log);
	log_free(&mail.log);
	log_free(&log);
}
