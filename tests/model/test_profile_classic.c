/* SPDX-License-Identifier: MIT */
/* Content that only logs of Mono 2 have. */
#include "profile_fixture.h"

#include "base/failing_allocator.h"
#include "model/profile/profile_events.h"
#include "model/profile/profile_internal.h"

static void add_numbered(test_log *log, uint32_t kind, uint32_t number, uint64_t counter, uint64_t value)
{
	add_full(log, kind, number, counter, value, 0);
}

static mprof_collection collection_at(const test_log *log, size_t index)
{
	mprof_collection collection = {.struct_size = sizeof(collection)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_COLLECTIONS, index, &collection), MPROF_OK);
	return collection;
}

static mprof_heap_resize resize_at(const test_log *log, size_t index)
{
	mprof_heap_resize resize = {.struct_size = sizeof(resize)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HEAP_RESIZES, index, &resize), MPROF_OK);
	return resize;
}

/* Changes of the heap size take numbers too, so the first collection need not have the first number. */
Test(profile_classic, collection_numbers_have_gaps)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MONO);
	begin_block(&log, 1, 0);
	add_numbered(&log, MPROF_EVENT_GC_RESIZE, 1, 0, 65536);
	add_numbered(&log, MPROF_EVENT_GC_START, 5, 1000, 0);
	add_numbered(&log, MPROF_EVENT_GC_MARK_START, 5, 1100, 0);
	add_numbered(&log, MPROF_EVENT_GC_MARK_END, 5, 1300, 0);
	add_numbered(&log, MPROF_EVENT_GC_END, 5, 2000, 0);
	add_numbered(&log, MPROF_EVENT_GC_RESIZE, 6, 2000, 131072);
	add_numbered(&log, MPROF_EVENT_GC_START, 9, 5000, 1);
	add_numbered(&log, MPROF_EVENT_GC_END, 9, 5500, 1);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 2);
	cr_expect_eq(collection_at(&log, 0).number, 5);
	cr_expect_eq(collection_at(&log, 0).is_counted, 0);
	cr_expect_eq(collection_at(&log, 0).generation, 0);
	cr_expect_eq(collection_at(&log, 0).duration_ns, 1000);
	cr_expect_eq(collection_at(&log, 0).mark_ns, 200);
	cr_expect_eq(collection_at(&log, 1).number, 9);
	cr_expect_eq(collection_at(&log, 1).generation, 1);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_RESIZES), 2);
	cr_expect_eq(resize_at(&log, 0).number, 1);
	cr_expect_eq(resize_at(&log, 1).number, 6);
	cr_expect_eq(resize_at(&log, 1).bytes, 131072);
	log_release(&log);
}

Test(profile_classic, collections_without_numbers_are_counted)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MAIL);
	begin_block(&log, 1, 0);
	for (uint32_t i = 0; i < 3; i++) {
		add_value(&log, MPROF_EVENT_GC_START, 0, 1000 * i);
		add_value(&log, MPROF_EVENT_GC_END, 0, 1000 * i + 500);
	}
	add_value(&log, MPROF_EVENT_GC_RESIZE, 4096, 9000);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 3);
	for (uint32_t i = 0; i < 3; i++) {
		cr_expect_eq(collection_at(&log, i).number, i + 1);
		cr_expect_eq(collection_at(&log, i).is_counted, 1);
	}
	cr_expect_eq(resize_at(&log, 0).number, 0);
	cr_expect_eq(resize_at(&log, 0).time_ns, 9000);
	log_release(&log);
}

/* Mono 2.6 wrote the end of a failed class load as an allocation. */
Test(profile_classic, allocations_of_a_size_that_no_object_has_are_failed_class_loads)
{
	mprof_profile_totals totals;
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MONO);
	begin_block(&log, 1, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, (UINT64_C(1) << 40) + 1, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 2, 0, UINT64_MAX / 4, 0);
	end_block(&log);
	log_profile(&log);
	totals = totals_of(&log);
	cr_expect_eq(totals.allocations, 1);
	cr_expect_eq(totals.allocated_bytes, 24);
	cr_expect_eq(totals.class_load_failures, 2);
	cr_expect_eq(totals.event_counts[MPROF_EVENT_ALLOCATION], 1);
	cr_expect_eq(totals.event_counts[MPROF_EVENT_CLASS_LOAD_END], 2);
	cr_expect_eq(class_of(&log, 1).allocations, 1);
	cr_expect_eq(class_of(&log, 2).allocations, 0);
	log_release(&log);
}

/* In other dialects there is no such quirk, and failed class loads have an event of their own. */
Test(profile_classic, allocations_of_any_size_count_in_mprof2)
{
	mprof_profile_totals totals;
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, (UINT64_C(1) << 40) + 1, 0);
	add_full(&log, MPROF_EVENT_CLASS_LOAD_END, 2, 0, 0, MPROF_EVENT_FLAG_FAILED);
	end_block(&log);
	log_profile(&log);
	totals = totals_of(&log);
	cr_expect_eq(totals.allocations, 1);
	cr_expect_eq(totals.allocated_bytes, (UINT64_C(1) << 40) + 1);
	cr_expect_eq(totals.class_load_failures, 1);
	log_release(&log);
}

static mprof_profile_options all_options(void)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_compilations = 1;
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	return options;
}

/* The child of a node for a call or, with the flag, a compilation of a method; the root if none. */
static uint32_t child_of(const test_log *log, uint32_t node, uint32_t method, uint32_t flags)
{
	uint32_t child = call_at(log, node).first_child;

	while (child != 0 && (call_at(log, child).method != method || call_at(log, child).flags != flags))
		child = call_at(log, child).next_sibling;
	return child;
}

/* m1 causes m2 to be compiled, which runs m3; then m1 calls m2. */
static void write_compilation(test_log *log)
{
	enter(log, 1, 0);
	add(log, MPROF_EVENT_METHOD_JIT_START, 2, 100);
	enter(log, 3, 150);
	leave(log, 3, 250);
	add(log, MPROF_EVENT_METHOD_JIT_END, 2, 300);
	enter(log, 2, 300);
	leave(log, 2, 700);
	leave(log, 1, 1000);
}

Test(profile_classic, compilations_as_nodes)
{
	mprof_profile_options options = all_options();
	uint32_t caller;
	uint32_t compilation;
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	write_compilation(&log);
	end_block(&log);
	log_profile_with(&log, &options);
	caller = child_of(&log, MPROF_CALL_ROOT, 1, 0);
	compilation = child_of(&log, caller, 2, MPROF_EVENT_FLAG_COMPILING);
	cr_assert_neq(compilation, 0);
	EXPECT_CALL(call_at(&log, compilation), 0, 200, 100);
	EXPECT_CALL(call_at(&log, child_of(&log, compilation, 3, 0)), 1, 100, 100);
	EXPECT_CALL(call_at(&log, child_of(&log, caller, 2, 0)), 1, 400, 400);
	EXPECT_METHOD(&log, 1, 1, 1000, 400);
	EXPECT_METHOD(&log, 2, 1, 400, 400);
	cr_expect_eq(method_of(&log, 2).jit_ns, 200);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	log_release(&log);
}

Test(profile_classic, compilations_are_no_nodes_unless_asked_for)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	write_compilation(&log);
	end_block(&log);
	log_profile(&log);
	EXPECT_CALL(CALL(&log, 1), 1, 1000, 500);
	EXPECT_CALL(CALL(&log, 1, 3), 1, 100, 100);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 400, 400);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), 4);
	log_release(&log);
}

/*
 * The start has the ID of the wrapper, m5, and the end that of the wrapped method, m6: neither the frame nor the stack
 * is lost.
 */
Test(profile_classic, a_compilation_node_that_ends_under_another_id)
{
	mprof_profile_options options = all_options();
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	enter(&log, 1, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 5, 100);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 6, 300);
	enter(&log, 2, 400);
	leave(&log, 2, 500);
	leave(&log, 1, 1000);
	end_block(&log);
	log_profile_with(&log, &options);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 100, 100);
	EXPECT_METHOD(&log, 1, 1, 1000, 700);
	cr_expect_eq(method_of(&log, 5).jit_ns, 200);
	cr_expect_eq(method_of(&log, 6).jit_ns, 0);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	log_release(&log);
}

/* A leave ends a call, not a compilation of the method; and it closes compilations above the call. */
Test(profile_classic, leaves_around_compilations)
{
	mprof_profile_options options = all_options();
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	enter(&log, 1, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 100);
	leave(&log, 2, 150);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 3, 200);
	leave(&log, 1, 300);
	enter(&log, 4, 400);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 3, 450);
	leave(&log, 4, 500);
	end_block(&log);
	log_profile_with(&log, &options);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
	EXPECT_METHOD(&log, 1, 1, 300, 100);
	EXPECT_CALL(CALL(&log, 4), 1, 100, 100);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	log_release(&log);
}

static mprof_allocation_site allocation_at(const test_log *log, size_t index)
{
	mprof_allocation_site site = {.struct_size = sizeof(site)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_ALLOCATION_SITES, index, &site), MPROF_OK);
	return site;
}

Test(profile_classic, calls_as_places_of_allocations)
{
	mprof_profile_options options = all_options();
	mprof_allocation_site site;
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MAIL);
	begin_block(&log, 1, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 16, 0);
	enter(&log, 1, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	enter(&log, 2, 100);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 100, 32, 0);
	leave(&log, 2, 200);
	leave(&log, 1, 300);
	end_block(&log);
	log_profile_with(&log, &options);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ALLOCATION_SITES), 2);
	site = allocation_at(&log, 0);
	cr_expect_eq(call_at(&log, site.call).method, 1);
	cr_expect_eq(site.stack, 0);
	cr_expect_eq(site.caller, 0);
	cr_expect_eq(site.allocations, 2);
	cr_expect_eq(site.bytes, 48);
	site = allocation_at(&log, 1);
	cr_expect_eq(call_at(&log, site.call).method, 2);
	cr_expect_eq(site.bytes, 32);
	log_release(&log);
}

static void add_monitor(test_log *log, uint64_t counter, mprof_monitor_state state, uint64_t object)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = object};

	add_detailed(log, MPROF_EVENT_MONITOR, 1, counter, state, &detail);
}

static mprof_monitor_site monitor_at(const test_log *log, size_t index)
{
	mprof_monitor_site site = {.struct_size = sizeof(site)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MONITOR_SITES, index, &site), MPROF_OK);
	return site;
}

static void write_waits(test_log *log)
{
	enter(log, 1, 0);
	add_monitor(log, 100, MPROF_MONITOR_CONTENDED, 0x1000);
	add_monitor(log, 150, MPROF_MONITOR_ACQUIRED, 0x1000);
	add_monitor(log, 200, MPROF_MONITOR_CONTENDED, 0x2000);
	add_monitor(log, 260, MPROF_MONITOR_FAILED, 0x2000);
	leave(log, 1, 300);
}

Test(profile_classic, waits_by_object)
{
	mprof_profile_options options = all_options();
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	write_waits(&log);
	end_block(&log);
	log_profile_with(&log, &options);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MONITOR_SITES), 2);
	for (size_t i = 0; i < 2; i++) {
		mprof_monitor_site site = monitor_at(&log, i);

		cr_expect_eq(site.object, i == 0 ? 0x1000 : 0x2000);
		cr_expect_eq(site.contentions, 1);
		cr_expect_eq(site.failures, i);
		cr_expect_eq(site.contended_ns, i == 0 ? 50 : 60);
		cr_expect_eq(call_at(&log, site.call).method, 1);
	}
	log_release(&log);
}

Test(profile_classic, waits_are_not_by_object_unless_asked_for)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	write_waits(&log);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MONITOR_SITES), 1);
	cr_expect_eq(monitor_at(&log, 0).object, 0);
	cr_expect_eq(monitor_at(&log, 0).call, 0);
	cr_expect_eq(monitor_at(&log, 0).contentions, 2);
	cr_expect_eq(monitor_at(&log, 0).failures, 1);
	cr_expect_eq(monitor_at(&log, 0).contended_ns, 110);
	log_release(&log);
}

/* 2000 counters per microsecond: the results are counters nevertheless. */
Test(profile_classic, raw_counters)
{
	mprof_profile_options options;
	test_log log;

	mprof_profile_options_init(&options, sizeof(options));
	options.raw_counters = 1;
	log_begin_at_rate(&log, MPROF_DIALECT_MPROF2, 2000);
	begin_block(&log, 1, 0);
	enter(&log, 1, 1001);
	leave(&log, 1, 3004);
	add_value(&log, MPROF_EVENT_GC_START, 0, 5005);
	add_value(&log, MPROF_EVENT_GC_END, 0, 5014);
	end_block(&log);
	log_profile_with(&log, &options);
	EXPECT_METHOD(&log, 1, 1, 2003, 2003);
	cr_expect_eq(collection_at(&log, 0).start_ns, 5005);
	cr_expect_eq(collection_at(&log, 0).duration_ns, 9);
	cr_expect_eq(totals_of(&log).wall_ns, SESSION_END - SESSION_START);
	log_release(&log);
}

Test(profile_classic, options_that_do_not_go_together)
{
	mprof_profile_options options;
	mprof_profile *profile;

	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = 1;
	options.with_compilations = 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.with_compilations = 0;
	options.with_call_sites = 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.with_call_sites = 0;
	options.raw_counters = 2;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	cr_expect_null(profile);
}

/* A block as Mono 2 writes it, a complete snapshot each; with \p flags, it has an object of \p bytes bytes. */
static void add_heap_block(heap_snapshot_list *shots, uint32_t number, uint32_t flags, uint64_t bytes)
{
	const mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = bytes};
	const mprof_event dead = {.kind = MPROF_EVENT_HEAP_FREE, .id = 2, .value = 8};
	mprof_block block;

	memset(&block, 0, sizeof(block));
	mprof_block_init(&block, sizeof(block));
	block.kind = MPROF_BLOCK_HEAP_DATA;
	block.as.heap_data.number = number;
	block.as.heap_data.flags = flags;
	block.as.heap_data.has_clocks = 1;
	block.as.heap_data.start.counter = 1000;
	cr_assert(heap_snapshots_begin_block(shots, &block));
	cr_assert(flags == 0 || heap_snapshots_add(shots, &object));
	cr_assert(heap_snapshots_add(shots, &dead));
	cr_assert(heap_snapshots_end_block(shots, &block, 1));
}

/*
 * A block that the option "free" causes is no snapshot. Numbers are labels: two snapshots may have the same one, and
 * the oldest logs have none.
 */
Test(profile_classic, heap_blocks)
{
	const uint32_t whole = MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST;
	failing_allocator counting = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&counting);
	heap_snapshot_list shots;

	heap_snapshots_init(&shots, &allocator);
	add_heap_block(&shots, 3, 0, 0);
	cr_expect_eq(shots.count, 0);
	add_heap_block(&shots, 7, whole, 24);
	add_heap_block(&shots, 7, whole, 32);
	add_heap_block(&shots, 0, whole, 40);
	add_heap_block(&shots, 0, whole, 48);
	cr_assert_eq(shots.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const heap_snapshot_record *shot = &shots.records[i];

		cr_expect_eq(shot->number, i < 2 ? 7 : i + 1);
		cr_expect_eq(shot->bytes, 24 + 8 * i);
		cr_expect_eq(shot->objects, 1);
		cr_expect_eq(shot->freed, 1);
		cr_expect_eq(shot->counter, 1000);
		cr_expect_not(shot->is_incomplete);
	}
	cr_expect_eq(shots.freed, 5);
	cr_expect_eq(shots.freed_bytes, 40);
	heap_snapshots_destroy(&shots);
	cr_expect_eq(counting.blocks, 0);
}

/* Logs of spring 2008 count the hits of native functions: a hit stands for that many samples. */
Test(profile_classic, hits_that_stand_for_several_samples)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .samples = 7};
	const mprof_event hits[] = {
		{.kind = MPROF_EVENT_SAMPLE, .id = 3, .more = {.detail = &detail}},
		{.kind = MPROF_EVENT_SAMPLE, .id = 3},
		{.kind = MPROF_EVENT_SAMPLE, .flags = MPROF_EVENT_FLAG_NATIVE, .more = {.detail = &detail}},
	};
	test_log log;

	log_begin(&log);
	log_close(&log, 0);
	log_open(&log, NULL);
	cr_assert(profile_events_add_samples(log.profile, log.reader, NULL, hits, 3));
	cr_assert_eq(mprof_profile_finish(log.profile, log.reader), MPROF_OK);
	cr_expect_eq(totals_of(&log).samples, 15);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_SAMPLE], 3);
	cr_expect_eq(method_of(&log, 3).samples, 8);
	log_release(&log);
}

/* Names are missing for IDs that are not defined; their metrics are present. */
Test(profile_classic, ids_that_are_not_defined)
{
	mprof_writer_options options;
	test_log log;

	memset(&log, 0, sizeof(log));
	log.counter = SESSION_START;
	log.counters_per_microsecond = 1000;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_MONO;
	options.clock = test_clock;
	options.clock_user = &log;
	options.runtime = "test";
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &log.writer), MPROF_OK);
	begin_block(&log, 1, 0);
	enter(&log, 4000, 100);
	add_full(&log, MPROF_EVENT_ALLOCATION, 5000, 100, 24, 0);
	leave(&log, 4000, 300);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 4000, 1, 200, 200);
	cr_expect_eq(class_of(&log, 5000).bytes, 24);
	log_release(&log);
}
