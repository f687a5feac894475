/* SPDX-License-Identifier: MIT */
/* What stands out in profiles of known content. */
#include "base/failing_allocator.h"
#include "model/results/finding_list.h"
#include "profile_fixture.h"

#include <stdio.h>

/* Method 1 runs for 700 ms of a second, of which method 2 takes 600; method 3 runs for 1 ms. */
static void write_calls(test_log *log)
{
	const uint64_t millisecond = 1000000;

	log_begin(log);
	begin_block(log, 7, SESSION_START);
	enter(log, 1, SESSION_START);
	enter(log, 2, SESSION_START + 50 * millisecond);
	leave(log, 2, SESSION_START + 650 * millisecond);
	leave(log, 1, SESSION_START + 700 * millisecond);
	enter(log, 3, SESSION_START + 800 * millisecond);
	leave(log, 3, SESSION_START + 801 * millisecond);
	end_block(log);
	log_profile(log);
}

static mprof_finding_list *find(const test_log *log, const mprof_finding_list_options *options)
{
	mprof_finding_list *findings;

	cr_assert_eq(mprof_finding_list_create(log->profile, log->reader, options, &findings), MPROF_OK);
	return findings;
}

static mprof_finding get(const mprof_finding_list *findings, size_t index)
{
	mprof_finding found = {.struct_size = sizeof(found)};

	cr_assert_eq(mprof_finding_list_get(findings, index, &found), MPROF_OK);
	return found;
}

Test(findings, name_the_hot_method_with_its_share_and_caller)
{
	mprof_finding_list *findings;
	mprof_finding first;
	test_log log;

	write_calls(&log);
	findings = find(&log, NULL);
	cr_assert_geq(mprof_finding_list_get_count(findings), 1);
	first = get(findings, 0);
	cr_expect_str_eq(first.kind, "hot-method");
	cr_expect_str_eq(first.section, "methods");
	cr_expect_str_eq(first.text, "c2.m2 takes 85.6 % of the time in methods; c1.m1 calls it for 100.0 % of that.");
	cr_expect_str_eq(first.command, "mprof report --callers='c2.m2' FILE");
	cr_expect_eq(first.severity, 85);
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

/* Method 1 runs for a second and calls methods 2 and 3 for 400 and 350 ms. */
Test(findings, name_the_parts_of_the_path_that_most_time_has_in_common)
{
	const uint64_t millisecond = 1000000;
	mprof_finding_list *findings;
	mprof_finding path = {.struct_size = sizeof(path)};
	int has_path = 0;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, SESSION_START);
	enter(&log, 1, SESSION_START);
	enter(&log, 2, SESSION_START);
	leave(&log, 2, SESSION_START + 400 * millisecond);
	enter(&log, 3, SESSION_START + 400 * millisecond);
	leave(&log, 3, SESSION_START + 750 * millisecond);
	leave(&log, 1, SESSION_START + 1000 * millisecond);
	end_block(&log);
	log_profile(&log);
	findings = find(&log, NULL);
	for (size_t i = 0; !has_path && mprof_finding_list_get(findings, i, &path) == MPROF_OK; i++)
		has_path = strcmp(path.kind, "hot-path") == 0;
	cr_assert(has_path);
	cr_expect_str_eq(path.text, "c1.m1 with all that it calls takes 100.0 % of the time in methods: 40.0 % in "
				    "c2.m2, 35.0 % in c3.m3.");
	cr_expect_str_eq(path.command, "mprof report --callees='c1.m1' FILE");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

static void name_everything(void *user, uint32_t kind, uint32_t id, char *text, size_t size)
{
	(void)kind;
	snprintf(text, size, "%s%u", (const char *)user, (unsigned int)id);
}

Test(findings, quote_names_and_logs_for_a_shell)
{
	mprof_finding_list_options options;
	mprof_finding_list *findings;
	test_log log;
	char marks[] = "it's [all] *\t";

	write_calls(&log);
	mprof_finding_list_options_init(&options, sizeof(options));
	options.log = "a log's name.mprof";
	options.name = name_everything;
	options.user = marks;
	findings = find(&log, &options);
	cr_expect_str_eq(get(findings, 0).command, "mprof report --callers='it?s ?all? ??2' 'a log'\\''s name.mprof'");
	cr_expect_null(strchr(get(findings, 0).text, '\t'));
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

Test(findings, name_no_log_in_part)
{
	mprof_finding_list_options options;
	mprof_finding_list *findings;
	char name[FINDING_COMMAND_SIZE];
	test_log log;

	write_calls(&log);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	mprof_finding_list_options_init(&options, sizeof(options));
	options.log = name;
	findings = find(&log, &options);
	cr_expect_str_eq(get(findings, 0).command, "mprof report --callers='c2.m2' FILE");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

/* The start of the name of a span, which a character of two bytes follows. */
#define NAME_OF_59 "\twork.............................................59 bytes."

Test(findings, cut_names_of_spans_between_characters)
{
	const mprof_argument_value duration = {500000000, NULL, 0};
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	mprof_finding_list *findings;
	uint8_t bytes[16];
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_TYPES, 0,
		      {.kind = MPROF_RECORD_ARGUMENT,
		       .id = 1,
		       .as.argument = {.kind = MPROF_ARGUMENT_DURATION,
				       .encoding = MPROF_ENCODING_UNSIGNED,
				       .role = MPROF_ROLE_DURATION,
				       .name = "duration",
				       .unit_name = ""}},
		      {.kind = MPROF_RECORD_TYPE,
		       .id = 1,
		       .as.type = {.form = MPROF_TYPE_SPAN,
				   .first_argument = 1,
				   .argument_count = 1,
				   .name = NAME_OF_59 "\xc3\xa9 and more",
				   .source = ""}});
	detail.argument_size = mprof_argument_encode(&duration, MPROF_ENCODING_UNSIGNED, bytes, sizeof(bytes));
	detail.arguments = bytes;
	begin_block(&log, 7, SESSION_START);
	add_detailed(&log, MPROF_EVENT_TYPED, 1, SESSION_START + 600000000, 0, &detail);
	end_block(&log);
	log_profile(&log);
	findings = find(&log, NULL);
	cr_assert_eq(sizeof(NAME_OF_59) - 1, 59);
	cr_expect_str_eq(get(findings, 0).kind, "span");
	cr_expect_eq(strncmp(get(findings, 0).text, "?work", 5), 0, "%s", get(findings, 0).text);
	cr_expect_eq(strncmp(get(findings, 0).text + 59, ": 1 span,", 9), 0, "%s", get(findings, 0).text);
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

/* As damaged logs have them. */
Test(findings, have_shares_of_parts_beyond_their_whole)
{
	cr_expect_eq(finding_percent(UINT64_MAX, 1), FINDING_SCALED_MAX);
	cr_expect_eq(finding_scaled(UINT64_MAX, 1, 1e9), FINDING_SCALED_MAX);
	cr_expect_eq(finding_percent(1, 0), 0);
}

/* The finding of a kind; one without a text if there is none. */
static mprof_finding find_kind(const mprof_finding_list *findings, const char *kind)
{
	for (size_t i = 0; i < mprof_finding_list_get_count(findings); i++) {
		if (strcmp(get(findings, i).kind, kind) == 0)
			return get(findings, i);
	}
	return (mprof_finding){.text = ""};
}

/* A collection that stops the world for 100 ms, and a longer one that runs beside the program. */
Test(findings, count_pauses_only_of_collections_that_have_one)
{
	const uint64_t millisecond = 1000000;
	mprof_finding_list *findings;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, SESSION_START);
	add_full(&log, MPROF_EVENT_GC_START, 1, SESSION_START, 0, 0);
	add_full(&log, MPROF_EVENT_GC_STOP_WORLD_START, 1, SESSION_START, 0, 0);
	add_full(&log, MPROF_EVENT_GC_STOP_WORLD_END, 1, SESSION_START, 0, 0);
	add_full(&log, MPROF_EVENT_GC_START_WORLD_START, 1, SESSION_START + 100 * millisecond, 0, 0);
	add_full(&log, MPROF_EVENT_GC_START_WORLD_END, 1, SESSION_START + 100 * millisecond, 0, 0);
	add_full(&log, MPROF_EVENT_GC_END, 1, SESSION_START + 100 * millisecond, 0, 0);
	add_full(&log, MPROF_EVENT_GC_START, 2, SESSION_START + 200 * millisecond, 0, 0);
	add_full(&log, MPROF_EVENT_GC_END, 2, SESSION_START + 700 * millisecond, 0, 0);
	end_block(&log);
	log_profile(&log);
	findings = find(&log, NULL);
	cr_expect_eq(strncmp(find_kind(findings, "pause").text, "1 collection stopped the program for 100.0 ms (", 47),
		     0, "%s", find_kind(findings, "pause").text);
	cr_expect_not_null(strstr(find_kind(findings, "pause").text, ", 100.0 ms at most: generation 0, at "));
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

/* Two snapshots of the heap, the second one larger and whole or not. */
static void write_snapshots(test_log *log, int is_whole)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = 0x1000};
	mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 1000, .more.detail = &detail};
	const uint32_t last = is_whole ? MPROF_HEAP_FLAG_LAST : 0;

	log_begin(log);
	cr_assert_eq(mprof_writer_write_heap(log->writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST,
					     SESSION_START, &object, 1),
		     MPROF_OK);
	object.value = 9000;
	cr_assert_eq(
		mprof_writer_write_heap(log->writer, 2, MPROF_HEAP_FLAG_FIRST | last, SESSION_START + 100, &object, 1),
		MPROF_OK);
	log_profile(log);
}

Test(findings, compare_only_whole_snapshots)
{
	mprof_finding_list *findings;
	test_log log;

	write_snapshots(&log, 1);
	findings = find(&log, NULL);
	cr_expect_str_eq(find_kind(findings, "heap-growth").text,
			 "The heap grew from 1.00 kB to 9.00 kB in 2 snapshots; objects of c3 hold 8.00 kB more.");
	mprof_finding_list_destroy(findings);
	log_release(&log);

	write_snapshots(&log, 0);
	findings = find(&log, NULL);
	cr_expect_str_empty(find_kind(findings, "heap-growth").text);
	cr_expect_str_eq(find_kind(findings, "heap").text,
			 "The last heap snapshot, which is incomplete, has 9.00 kB in 1 "
			 "object; 100.0 % of the bytes are c3.");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

static uint64_t hold(void *user, char *text, size_t size)
{
	snprintf(text, size, "%s", (const char *)user);
	return 7000;
}

Test(findings, name_what_holds_a_heap_that_grew)
{
	mprof_finding_list_options options;
	mprof_finding_list *findings;
	char path[] = "static Shop.orders\t-> []";
	char unknown[] = "";
	test_log log;

	write_snapshots(&log, 1);
	mprof_finding_list_options_init(&options, sizeof(options));
	options.holder = hold;
	options.user = path;
	findings = find(&log, &options);
	cr_expect_str_eq(find_kind(findings, "heap-growth").text,
			 "The heap grew from 1.00 kB to 9.00 kB in 2 snapshots; objects of c3 hold 8.00 kB more; "
			 "7.00 kB more are held by static Shop.orders?-> [].");
	mprof_finding_list_destroy(findings);
	options.user = unknown;
	findings = find(&log, &options);
	cr_expect_not_null(strstr(find_kind(findings, "heap-growth").text, " hold 8.00 kB more."));
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

/* Function 1 is one of the C library that waits, function 2 of the program; each has a location of the same number. */
static void write_waiting_samples(test_log *log)
{
	mprof_event samples[12];

	log_begin(log);
	WRITE_RECORDS(
		log, MPROF_BLOCK_CODE, 0,
		{.kind = MPROF_RECORD_MODULE,
		 .id = 1,
		 .as.module = {.address = 0x1000, .size = 0x1000, .file = "/lib/libc.so.6"}},
		{.kind = MPROF_RECORD_MODULE,
		 .id = 2,
		 .as.module = {.address = 0x8000, .size = 0x1000, .file = "/bin/program"}},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 1,
		 .as.function = {.module = 1, .offset = 0x10, .size = 64, .name = "poll"}},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 2,
		 .as.function = {.module = 2, .offset = 0x10, .size = 64, .name = "compute"}},
		{.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location = {.module = 1, .offset = 0x14, .function = 1}},
		{.kind = MPROF_RECORD_LOCATION, .id = 2, .as.location = {.module = 2, .offset = 0x14, .function = 2}});
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0,
		      {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.target = 1, .is_native = 1}},
		      {.kind = MPROF_RECORD_STACK, .id = 2, .as.stack = {.target = 2, .is_native = 1}});
	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < 12; i++)
		samples[i] =
			(mprof_event){.kind = MPROF_EVENT_SAMPLE, .counter = SESSION_START + i, .value = i < 9 ? 1 : 2};
	cr_assert_eq(mprof_writer_write_samples(log->writer, 7, SESSION_START, samples, 12), MPROF_OK);
}

/* Full collections leave the heap at the given sizes in megabytes; after each, it grows by half of that. */
static void write_heap_sizes(test_log *log, const uint64_t *sizes, size_t count)
{
	const uint64_t megabyte = 1000000;

	log_begin(log);
	begin_block(log, 7, SESSION_START);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t start = 1000 * (uint64_t)i;

		add_full(log, MPROF_EVENT_GC_START, i + 1, start, 1, 0);
		add_full(log, MPROF_EVENT_GC_END, i + 1, start + 10, 1, 0);
		add_value(log, MPROF_EVENT_GC_RESIZE, sizes[i] * megabyte, start + 20);
		add_value(log, MPROF_EVENT_GC_RESIZE, sizes[i] * megabyte * 3 / 2, start + 500);
	}
	end_block(log);
	log_profile(log);
}

Test(findings, name_the_recording_that_finds_what_a_growing_heap_holds)
{
	static const uint64_t growing[] = {10, 20, 30, 40, 50};
	static const uint64_t settled[] = {10, 30, 40, 40, 41};
	mprof_finding_list *findings;
	mprof_finding found = {.struct_size = sizeof(found)};
	test_log log;

	write_heap_sizes(&log, growing, 5);
	findings = find(&log, NULL);
	cr_expect_str_eq(
		find_kind(findings, "heap-growth").text,
		"The heap grew from 10.00 MB to 50.00 MB, and 5 full collections did not bring it back: record "
		"--heap, then mprof heap --leaks, shows what holds the objects.");
	mprof_finding_list_destroy(findings);
	log_release(&log);
	write_heap_sizes(&log, settled, 5);
	findings = find(&log, NULL);
	for (size_t i = 0; mprof_finding_list_get(findings, i, &found) == MPROF_OK; i++)
		cr_expect_str_neq(found.kind, "heap-growth");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

Test(findings, leave_out_samples_of_threads_that_wait)
{
	mprof_profile_options options;
	mprof_finding_list *findings;
	test_log log;

	write_waiting_samples(&log);
	log_close(&log, 0);
	for (uint32_t with_locations = 0; with_locations <= 1; with_locations++) {
		mprof_profile_options_init(&options, sizeof(options));
		options.with_locations = with_locations;
		log_read(&log, &options);
		findings = find(&log, NULL);
		cr_expect_str_eq(find_kind(findings, "hot-method").text,
				 "compute takes 100.0 % of the 3 samples of running threads.");
		mprof_finding_list_destroy(findings);
		log_forget_profile(&log);
	}
	log_release(&log);
}

/* Threads wait in poll() for method 1 in 9 of 12 samples. */
Test(findings, name_the_method_in_which_threads_wait)
{
	mprof_event samples[12] = {{0}};
	mprof_finding_list *findings;
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(
		&log, MPROF_BLOCK_CODE, 0, {.kind = MPROF_RECORD_MODULE, .id = 1, .as.module.file = "/lib/libc.so.6"},
		{.kind = MPROF_RECORD_FUNCTION, .id = 1, .as.function = {.module = 1, .size = 64, .name = "poll"}},
		{.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location = {.module = 1, .offset = 4, .function = 1}});
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 1},
		      {.kind = MPROF_RECORD_STACK, .id = 2, .as.stack = {.caller = 1, .target = 1, .is_native = 1}});
	for (size_t i = 0; i < 12; i++)
		samples[i] =
			(mprof_event){.kind = MPROF_EVENT_SAMPLE, .counter = SESSION_START + i, .value = i < 9 ? 2 : 1};
	cr_assert_eq(mprof_writer_write_samples(log.writer, 7, SESSION_START, samples, 12), MPROF_OK);
	log_profile(&log);
	findings = find(&log, NULL);
	cr_expect_str_eq(find_kind(findings, "wait").text,
			 "In 75.0 % of the 12 samples, threads wait in c1.m1, or in what it calls.");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

Test(findings, are_there_for_every_log)
{
	mprof_finding_list *findings;
	test_log log;

	log_begin(&log);
	log_profile(&log);
	findings = find(&log, NULL);
	cr_assert_eq(mprof_finding_list_get_count(findings), 1);
	cr_expect_str_eq(get(findings, 0).kind, "summary");
	mprof_finding_list_destroy(findings);
	log_release(&log);
}

Test(findings, are_sorted_and_limited)
{
	mprof_finding_list_options options;
	mprof_finding_list *findings;
	test_log log;

	write_calls(&log);
	mprof_finding_list_options_init(&options, sizeof(options));
	options.max_count = 1;
	findings = find(&log, &options);
	cr_expect_eq(mprof_finding_list_get_count(findings), 1);
	mprof_finding_list_destroy(findings);
	options.max_count = 100;
	findings = find(&log, &options);
	for (size_t i = 1; i < mprof_finding_list_get_count(findings); i++)
		cr_expect_leq(get(findings, i).severity, get(findings, i - 1).severity);
	mprof_finding_list_destroy(findings);
	options.reserved = 1;
	cr_expect_eq(mprof_finding_list_create(log.profile, log.reader, &options, &findings), MPROF_ERR_ARGUMENT);
	cr_expect_null(findings);
	log_release(&log);
}

Test(findings, refused_memory_is_an_error)
{
	mprof_finding_list_options options;
	mprof_status status = MPROF_ERR_MEMORY;
	mprof_finding_list *findings;
	test_log log;
	size_t fail_at;

	write_calls(&log);
	mprof_finding_list_options_init(&options, sizeof(options));
	for (fail_at = 1; status == MPROF_ERR_MEMORY; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		options.allocator = &allocator;
		status = mprof_finding_list_create(log.profile, log.reader, &options, &findings);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		mprof_finding_list_destroy(findings);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 8);
	log_release(&log);
}
