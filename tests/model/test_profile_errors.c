/* SPDX-License-Identifier: MIT */
/* Logs that are damaged or truncated, and refused or limited memory. */
#include "profile_fixture.h"

#include "base/failing_allocator.h"

typedef struct damage_list {
	size_t count;
	uint32_t first_status;
	uint64_t first_offset;
} damage_list;

static void note_damage(void *user, const mprof_error *error)
{
	damage_list *list = user;

	cr_expect_not_null(error->what);
	if (list->count++ == 0) {
		list->first_status = error->status;
		list->first_offset = error->offset;
	}
}

/* Metrics, markers, and a heap snapshot. */
static void write_beside_events(test_log *log)
{
	const uint64_t reference = 0x2000;
	mprof_event_detail details[] = {{.struct_size = sizeof(mprof_event_detail),
					 .object = 0x1000,
					 .reference_count = 1,
					 .references = &reference},
					{.struct_size = sizeof(mprof_event_detail), .object = 0x2000},
					{.struct_size = sizeof(mprof_event_detail), .object = 0x1000}};
	mprof_event events[] = {{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 24},
				{.kind = MPROF_EVENT_HEAP_FREE, .id = 4, .value = 48},
				{.kind = MPROF_EVENT_HEAP_ROOT, .value = MPROF_ROOT_HANDLE}};

	WRITE_RECORDS(log, MPROF_BLOCK_METRICS, 0,
		      {.kind = MPROF_RECORD_METRIC, .id = 1, .as.metric.section = "section", .as.metric.name = "name"},
		      {.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = 5});
	WRITE_RECORDS(log, MPROF_BLOCK_HEAP_SUMMARY, 1,
		      {.kind = MPROF_RECORD_SUMMARY, .id = 5, .as.summary = {1, 2, 0, 0}});
	cr_assert_eq(mprof_writer_write_mark(log->writer, 7, SESSION_START, "mark", 4), MPROF_OK);
	for (size_t i = 0; i < 3; i++)
		events[i].more.detail = &details[i];
	cr_assert_eq(mprof_writer_write_heap(log->writer, 1, MPROF_HEAP_FLAG_FIRST, SESSION_START, events, 3),
		     MPROF_OK);
	events[0].id = 5;
	cr_assert_eq(mprof_writer_write_heap(log->writer, 1, MPROF_HEAP_FLAG_LAST, SESSION_START, events, 1), MPROF_OK);
}

static void write_stacks_and_samples(test_log *log)
{
	mprof_event samples[] = {{.kind = MPROF_EVENT_SAMPLE, .counter = SESSION_START, .value = 2},
				 {.kind = MPROF_EVENT_SAMPLE, .counter = SESSION_START, .value = 3}};

	WRITE_RECORDS(log, MPROF_BLOCK_CODE, 0, {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = 0x5000});
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_LOCATION(3, 2, 1));
	cr_assert_eq(mprof_writer_write_samples(log->writer, 9, SESSION_START, samples, 2), MPROF_OK);
}

static void add_detailed_events(test_log *log, uint64_t start)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000, .stack = 2};

	add_detailed(log, MPROF_EVENT_ALLOCATION, 2, 0, 8, &detail);
	add_detailed(log, MPROF_EVENT_MONITOR, 1, start + 340, MPROF_MONITOR_CONTENDED, &detail);
	add_detailed(log, MPROF_EVENT_MONITOR, 1, start + 350, MPROF_MONITOR_ACQUIRED, &detail);
	add_detailed(log, MPROF_EVENT_HANDLE_CREATED, 1, start + 360, 1, &detail);
	add_detailed(log, MPROF_EVENT_FINALIZER_START, 1, start + 370, 0, &detail);
	add_detailed(log, MPROF_EVENT_FINALIZER_END, 1, start + 380, 0, &detail);
}

/* Three blocks of one thread, and a little of everything that needs memory. */
static void write_much(test_log *log, mprof_dialect dialect)
{
	const mprof_property property = {"key", "value"};
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_SUCCESS,
				 0,
				 1,
				 2,
				 7,
				 "module",
				 6,
				 NULL};

	log_begin_with(log, dialect);
	if (dialect == MPROF_DIALECT_MPROF2) {
		cr_assert_eq(mprof_writer_write_session(log->writer, &property, sizeof(property), 1), MPROF_OK);
		cr_assert_eq(mprof_writer_write_thread_name(log->writer, 7, "name", 4), MPROF_OK);
		write_beside_events(log);
		write_stacks_and_samples(log);
	}
	cr_assert_eq(mprof_writer_write_loaded(log->writer, &element), MPROF_OK);
	for (uint64_t block = 0; block < 3; block++) {
		uint64_t start = 1000 * block;

		begin_block(log, 7, start);
		add(log, MPROF_EVENT_METHOD_JIT_START, 9, start);
		add(log, MPROF_EVENT_METHOD_JIT_END, 9, start + 1);
		enter(log, 1, start + 10);
		for (uint32_t id = 2; id <= 8; id++) {
			enter(log, id, start + 20 * id);
			add_full(log, MPROF_EVENT_ALLOCATION, id, 0, 8, 0);
			leave(log, id, start + 20 * id + 10);
		}
		add_value(log, MPROF_EVENT_GC_START, 0, start + 300);
		add_value(log, MPROF_EVENT_GC_RESIZE, 1, start + 300);
		add_value(log, MPROF_EVENT_GC_END, 0, start + 310);
		add(log, MPROF_EVENT_CLASS_LOAD_START, 2, start + 320);
		add(log, MPROF_EVENT_CLASS_LOAD_END, 2, start + 330);
		if (dialect == MPROF_DIALECT_MPROF2)
			add_detailed_events(log, start);
		leave(log, 1, start + 400);
		end_block(log);
	}
}

static mprof_status read_with(test_log *log, const mprof_profile_options *options, damage_list *damage)
{
	memset(damage, 0, sizeof(*damage));
	log_open(log, options);
	return mprof_profile_read(log->profile, log->reader, note_damage, damage);
}

Test(profile_errors, a_log_that_was_not_closed)
{
	damage_list damage;
	test_log log;

	write_much(&log, MPROF_DIALECT_MPROF2);
	log_close(&log, 1);
	cr_expect_eq(read_with(&log, NULL, &damage), MPROF_ERR_TRUNCATED);
	cr_expect_eq(damage.count, 1);
	cr_expect_eq(damage.first_status, MPROF_ERR_TRUNCATED);
	cr_expect_eq(damage.first_offset, log.length);
	cr_expect_eq(method_of(&log, 1).calls, 3);
	cr_expect_eq(totals_of(&log).collections, 3);
	log_release(&log);
}

/* Wherever the log is truncated, the complete part is counted, and nothing that was not written. */
static void cut_everywhere(mprof_dialect dialect)
{
	damage_list damage;
	test_log log;
	size_t length;
	uint64_t calls_before = 0;

	write_much(&log, dialect);
	log_close(&log, 0);
	length = log.length;
	for (log.length = 64; log.length < length; log.length++) {
		mprof_status status = read_with(&log, NULL, &damage);

		cr_assert_neq(status, MPROF_OK, "%zu of %zu bytes", log.length, length);
		cr_expect_geq(damage.count, 1);
		cr_expect_geq(totals_of(&log).calls, calls_before);
		cr_expect_leq(totals_of(&log).calls, 24);
		calls_before = totals_of(&log).calls;
		log_forget_profile(&log);
	}
	cr_expect_eq(calls_before, 24);
	log_release(&log);
}

Test(profile_errors, a_log_that_is_cut)
{
	cut_everywhere(MPROF_DIALECT_MPROF2);
}

Test(profile_errors, a_log_of_the_mail_that_is_cut)
{
	cut_everywhere(MPROF_DIALECT_MAIL);
}

/* A damaged byte in a block of mprof2 loses this block; only one in the length of a block may lose more. */
Test(profile_errors, a_damaged_byte)
{
	size_t lost_more = 0;
	damage_list damage;
	test_log log;

	write_much(&log, MPROF_DIALECT_MPROF2);
	log_close(&log, 0);
	for (size_t i = 100; i < log.length; i++) {
		uint64_t calls;

		log.bytes[i] ^= 0x10;
		cr_assert_neq(read_with(&log, NULL, &damage), MPROF_OK, "byte %zu", i);
		cr_expect_geq(damage.count, 1);
		calls = totals_of(&log).calls;
		cr_expect_leq(calls, 24);
		lost_more += calls < 16;
		log_forget_profile(&log);
		log.bytes[i] ^= 0x10;
	}
	cr_expect_leq(lost_more, 8, "%zu bytes lose more than a block", lost_more);
	log_release(&log);
}

/* Without checksums the result may be arbitrary, but there must be no crash. */
Test(profile_errors, damaged_bytes_of_the_mail)
{
	damage_list damage;
	test_log log;

	write_much(&log, MPROF_DIALECT_MAIL);
	log_close(&log, 0);
	for (size_t i = 40; i < log.length; i++) {
		for (int bit = 0; bit < 8; bit++) {
			log.bytes[i] ^= (uint8_t)(1 << bit);
			(void)read_with(&log, NULL, &damage);
			log_forget_profile(&log);
			log.bytes[i] ^= (uint8_t)(1 << bit);
		}
	}
	log_release(&log);
}

/* The leaves of a lost block are missing, and those after it meet other frames. */
Test(profile_errors, frames_around_a_lost_block)
{
	damage_list damage;
	test_log log;
	size_t middle;
	const uint8_t *bytes;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	end_block(&log);
	cr_assert_eq(mprof_writer_get_memory(log.writer, &bytes, &middle), MPROF_OK);
	begin_block(&log, 7, 10);
	leave(&log, 2, 20);
	enter(&log, 3, 30);
	end_block(&log);
	begin_block(&log, 7, 30);
	leave(&log, 3, 40);
	leave(&log, 1, 100);
	end_block(&log);
	log_close(&log, 0);
	log.bytes[middle + 8] ^= 1;
	cr_expect_eq(read_with(&log, NULL, &damage), MPROF_ERR_CHECKSUM);
	cr_expect_eq(damage.count, 1);
	EXPECT_METHOD(&log, 1, 1, 100, 10);
	EXPECT_METHOD(&log, 2, 1, 90, 90);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	log_release(&log);
}

/* With any limit the log is read to its end, and totals show that content is missing. */
Test(profile_errors, memory_limit)
{
	mprof_profile_options options;
	damage_list damage;
	test_log log;
	size_t limited = 0;
	int is_limited = 1;

	write_much(&log, MPROF_DIALECT_MPROF2);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	for (options.max_memory = 256; is_limited; options.max_memory += 64) {
		cr_assert_lt(options.max_memory, 1 << 20);
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		if (mprof_profile_create(&options, &log.profile) == MPROF_OK) {
			memset(&damage, 0, sizeof(damage));
			cr_assert_eq(mprof_profile_read(log.profile, log.reader, note_damage, &damage), MPROF_OK);
			cr_expect_eq(damage.count, 0, "a limit of the profile is not damage of the log");
			is_limited = totals_of(&log).limited != 0;
			limited += (size_t)is_limited;
		}
		log_forget_profile(&log);
	}
	cr_expect_gt(limited, 10);
	log_release(&log);
}

/* Each request for memory fails, alone or with all later ones; nothing leaks, and the failure is reported. */
static void fail_everywhere(mprof_profile_options options, int fail_once)
{
	failing_allocator failing;
	mprof_allocator allocator = failing_allocator_interface(&failing);
	mprof_status status = MPROF_ERR_MEMORY;
	test_log log;

	write_much(&log, MPROF_DIALECT_MPROF2);
	log_close(&log, 0);
	options.allocator = &allocator;
	for (size_t fail_at = 1; status != MPROF_OK; fail_at++) {
		cr_assert_lt(fail_at, 1000);
		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		failing.fail_once = fail_once;
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		status = mprof_profile_create(&options, &log.profile);
		if (status == MPROF_OK)
			status = mprof_profile_read(log.profile, log.reader, NULL, NULL);
		else
			cr_expect_null(log.profile);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY, "%d", status);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		log_forget_profile(&log);
		cr_expect_eq(failing.blocks, 0, "%zu blocks leak when request %zu fails", failing.blocks, fail_at);
	}
	log_release(&log);
}

static mprof_profile_options default_options(void)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	return options;
}

static mprof_profile_options options_without_call_tree(void)
{
	mprof_profile_options options = default_options();

	options.without_call_tree = 1;
	return options;
}

static mprof_profile_options options_with_everything(void)
{
	mprof_profile_options options = default_options();

	options.with_compilations = 1;
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	return options;
}

Test(profile_errors, no_memory_with_a_call_tree)
{
	fail_everywhere(default_options(), 0);
}

Test(profile_errors, no_memory_without_a_call_tree)
{
	fail_everywhere(options_without_call_tree(), 0);
}

Test(profile_errors, no_memory_with_everything)
{
	fail_everywhere(options_with_everything(), 0);
}

Test(profile_errors, no_memory_once)
{
	fail_everywhere(default_options(), 1);
	fail_everywhere(options_without_call_tree(), 1);
	fail_everywhere(options_with_everything(), 1);
}

Test(profile_errors, wrong_arguments)
{
	mprof_profile_options options;
	mprof_profile_totals totals = {.struct_size = sizeof(size_t) - 1};
	mprof_method_stats stats = {.struct_size = sizeof(stats)};
	mprof_profile *profile = NULL;
	test_log log;

	mprof_profile_options_init(&options, sizeof(options));
	cr_expect_eq(mprof_profile_create(NULL, NULL), MPROF_ERR_ARGUMENT);
	options.struct_size = sizeof(size_t) - 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	cr_expect_null(profile);
	mprof_profile_destroy(NULL);
	log_begin(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_read(NULL, log.reader, NULL, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_read(log.profile, NULL, NULL, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_TOTALS, 0, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_METHODS, 0, &stats), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_CALLS, 1, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_PROPERTIES, 0, NULL), MPROF_ERR_ARGUMENT);
	log_release(&log);
}

/* A caller that was compiled with headers of an earlier release has a shorter struct. */
Test(profile_errors, shorter_structs)
{
	struct {
		size_t struct_size;
		uint32_t id;
		uint32_t reserved;
		uint64_t calls;
		uint64_t untouched;
	} stats = {0, 0, 0, 0, 77};
	const size_t earlier_size = (size_t)((char *)&stats.untouched - (char *)&stats);
	test_log log;

	stats.struct_size = earlier_size;
	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 3, 0);
	leave(&log, 3, 10);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_METHODS, 0, (mprof_method_stats *)&stats),
		     MPROF_OK);
	cr_expect_eq(stats.struct_size, earlier_size);
	cr_expect_eq(stats.id, 3);
	cr_expect_eq(stats.calls, 1);
	cr_expect_eq(stats.untouched, 77);
	log_release(&log);
}
