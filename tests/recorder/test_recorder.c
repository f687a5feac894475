/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_recorder.c
 * \brief One thread: every kind of event, definitions, code units, names, resolve functions, misuse.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_A = 0x1000, CLASS_B = 0x2000, METHOD_F = 0x5000, METHOD_G = 0x6000, UNKNOWN_KEY = 0xabc0 };

static mprof_recorder *open_counting(recorded_log *log)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	return recorded_log_open(log, &options);
}

static void define_usual(mprof_recorder *recorder)
{
	define_class(recorder, CLASS_A, "Space.A");
	define_class(recorder, CLASS_B, "Space.B");
	define_method(recorder, METHOD_F, CLASS_A, "F (int)");
	define_method(recorder, METHOD_G, CLASS_B, "G ()");
}

static void finish(mprof_recorder *recorder, mprof_thread *thread, recorded_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
}

Test(recorder, an_empty_session_is_a_complete_log)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);

	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 0);
	cr_assert_geq(log.blocks[MPROF_BLOCK_SESSION], 1);
	recorded_log_free(&log);
}

Test(recorder, calls_come_back_in_order_with_names_and_times)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread;
	const uint32_t kinds[] = {MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
				  MPROF_EVENT_ALLOCATION, MPROF_EVENT_METHOD_LEAVE_IMPLICIT};

	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 77, &thread), MPROF_OK);
	cr_assert_eq(mprof_thread_get_id(thread), 77);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_leave_method(thread, METHOD_G);
	mprof_thread_record_allocation(thread, CLASS_B, UINT64_C(1) << 40);
	mprof_thread_leave_method(thread, METHOD_F);
	finish(recorder, thread, &log);

	cr_assert_eq(log.event_count, 5);
	for (size_t i = 0; i < 5; i++) {
		cr_assert_eq(log.events[i].event.kind, kinds[i], "event %zu", i);
		cr_assert_eq(log.events[i].thread, 77);
	}
	cr_assert_str_eq(log.events[0].name, "F (int)");
	cr_assert_str_eq(log.events[0].class_name, "Space.A");
	cr_assert_str_eq(log.events[1].name, "G ()");
	cr_assert_str_eq(log.events[1].class_name, "Space.B");
	cr_assert_str_eq(log.events[3].name, "Space.B");
	cr_assert_eq(log.events[3].event.value, UINT64_C(1) << 40);
	/* The counter of the test adds one at each read. */
	cr_assert_eq(log.events[1].event.counter, log.events[0].event.counter + 1);
	cr_assert_eq(log.events[2].event.counter, log.events[0].event.counter + 2);
	cr_assert_eq(log.events[4].event.counter, log.events[0].event.counter + 3);
	recorded_log_free(&log);
}

Test(recorder, a_leave_of_another_method_names_it)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread;

	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_leave_method(thread, METHOD_G);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_leave_method(thread, METHOD_F);
	mprof_thread_leave_method(thread, METHOD_G);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 5);
	cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_eq(log.events[3].event.kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_str_eq(log.events[3].name, "F (int)");
	cr_assert_eq(log.events[4].event.kind, MPROF_EVENT_METHOD_LEAVE);
	recorded_log_free(&log);
}

Test(recorder, every_other_kind_is_recorded_with_its_subject)
{
	static const struct {
		mprof_event_kind kind;
		uint32_t flags;
		uint64_t subject;
		const char *name;
	} input[] = {
		{MPROF_EVENT_METHOD_JIT_START, 0, METHOD_F, "F (int)"},
		{MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED, METHOD_F, "F (int)"},
		{MPROF_EVENT_METHOD_JIT_END, 0, METHOD_G, "G ()"},
		{MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, METHOD_G, "G ()"},
		{MPROF_EVENT_METHOD_LEAVE_TAIL, 0, METHOD_G, "G ()"},
		{MPROF_EVENT_METHOD_FREED, 0, METHOD_G, "G ()"},
		{MPROF_EVENT_CLASS_LOAD_START, 0, CLASS_A, "Space.A"},
		{MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED, CLASS_A, "Space.A"},
		{MPROF_EVENT_CLASS_UNLOAD_START, 0, CLASS_B, "Space.B"},
		{MPROF_EVENT_CLASS_UNLOAD_END, 0, CLASS_B, "Space.B"},
		{MPROF_EVENT_EXCEPTION, 0, CLASS_B, "Space.B"},
		{MPROF_EVENT_THREAD_START, 0, UINT64_MAX, ""},
		{MPROF_EVENT_THREAD_END, 0, 0, ""},
		{MPROF_EVENT_GC_START, 0, 1, ""},
		{MPROF_EVENT_GC_END, 0, 1, ""},
		{MPROF_EVENT_GC_MARK_START, 0, 2, ""},
		{MPROF_EVENT_GC_MARK_END, 0, 2, ""},
		{MPROF_EVENT_GC_SWEEP_START, 0, 0, ""},
		{MPROF_EVENT_GC_SWEEP_END, 0, 0, ""},
		{MPROF_EVENT_GC_RESIZE, 0, UINT64_C(1) << 63, ""},
		{MPROF_EVENT_GC_STOP_WORLD_START, 0, 0, ""},
		{MPROF_EVENT_GC_STOP_WORLD_END, 0, 0, ""},
		{MPROF_EVENT_GC_START_WORLD_START, 0, 0, ""},
		{MPROF_EVENT_GC_START_WORLD_END, 0, 0, ""},
	};
	const size_t count = sizeof(input) / sizeof(input[0]);
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread;

	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	for (size_t i = 0; i < count; i++)
		mprof_thread_record_event(thread, input[i].kind, input[i].flags, input[i].subject);
	/* Kinds that other functions record, or none. */
	mprof_thread_record_event(thread, MPROF_EVENT_ALLOCATION, 0, CLASS_A);
	mprof_thread_record_event(thread, MPROF_EVENT_SAMPLE, 0, METHOD_F);
	mprof_thread_record_event(thread, 200, 0, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, count);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(log.events[i].event.kind, input[i].kind, "event %zu", i);
		cr_assert_eq(log.events[i].event.flags, input[i].flags, "event %zu", i);
		cr_assert_str_eq(log.events[i].name, input[i].name, "event %zu", i);
		if (input[i].name[0] == '\0')
			cr_assert_eq(log.events[i].event.value, input[i].subject, "event %zu", i);
	}
	recorded_log_free(&log);
}

static int resolve_method(void *user, mprof_key key, mprof_description *description)
{
	int *calls = user;

	++*calls;
	if (key != METHOD_F)
		return 1;
	description->name = "Resolved ()";
	description->name_length = 11;
	description->class_key = CLASS_A;
	return 0;
}

/* Defines the class of the method, as a runtime can that names methods when they are first used. */
static int resolve_with_class(void *user, mprof_key key, mprof_description *description)
{
	mprof_description class;

	mprof_description_init(&class, sizeof(class));
	class.name = "Late";
	class.name_length = 4;
	cr_assert_eq(mprof_recorder_define_class(*(mprof_recorder **)user, CLASS_A, &class), MPROF_OK);
	return resolve_method(&(int){0}, key, description);
}

Test(recorder, a_class_that_is_defined_while_its_method_is_resolved)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_recorder *recorder = NULL;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.resolve_method = resolve_with_class;
	options.resolve_user = &recorder;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
	for (int i = 0; i < 2; i++) {
		mprof_thread_enter_method(thread, METHOD_F);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_expect_eq(stats.unresolved_keys, 0);
	finish(recorder, thread, &log);
	cr_expect_str_eq(log.events[0].name, "Resolved ()");
	cr_expect_str_eq(log.events[0].class_name, "Late");
	cr_expect_str_eq(log.events[1].class_name, "Late");
	recorded_log_free(&log);
}

Test(recorder, keys_without_a_definition_are_asked_for_once)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats;
	mprof_thread *thread;
	int calls = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.resolve_method = resolve_method;
	options.resolve_user = &calls;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
	for (int i = 0; i < 3; i++) {
		mprof_thread_enter_method(thread, METHOD_F);
		mprof_thread_enter_method(thread, UNKNOWN_KEY);
		mprof_thread_record_allocation(thread, UNKNOWN_KEY, 8);
	}
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	/* A method, a class that only the description names, and a class that only an allocation names. */
	cr_assert_eq(stats.unresolved_keys, 3);
	cr_assert_eq(stats.events, 9);
	cr_assert_eq(calls, 2);
	finish(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].name, "Resolved ()");
	cr_assert_str_eq(log.events[0].class_name, "(unknown 0x1000)");
	cr_assert_str_eq(log.events[1].name, "(unknown 0xabc0)");
	cr_assert_str_eq(log.events[2].name, "(unknown 0xabc0)");
	recorded_log_free(&log);
}

Test(recorder, an_address_used_again_is_another_method)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread;

	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	/*
	 * None of this is drained before the end: the counters determine the version of the definition that an event refers
	 * to.
	 */
	mprof_thread_enter_method(thread, METHOD_F);
	define_method(recorder, METHOD_F, CLASS_B, "Second ()");
	mprof_thread_enter_method(thread, METHOD_F);
	define_method(recorder, METHOD_F, CLASS_B, "Second ()");
	mprof_thread_enter_method(thread, METHOD_F);
	define_method(recorder, METHOD_F, CLASS_A, "F (int)");
	mprof_thread_enter_method(thread, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].name, "F (int)");
	cr_assert_str_eq(log.events[1].name, "Second ()");
	cr_assert_eq(log.events[1].event.id, log.events[2].event.id);
	cr_assert_str_eq(log.events[3].name, "F (int)");
	cr_assert_neq(log.events[3].event.id, log.events[0].event.id);
	recorded_log_free(&log);
}

Test(recorder, ids_of_the_client_are_kept)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.keys_are_ids = 1;
	recorder = recorded_log_open(&log, &options);
	define_class(recorder, 9, "Nine");
	define_method(recorder, 4000000000, 9, "Large ()");
	define_method(recorder, 4000000000, 9, "Ignored ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, 4000000000);
	finish(recorder, thread, &log);
	cr_assert_eq(log.events[0].event.id, 4000000000);
	cr_assert_str_eq(log.events[0].name, "Large ()");
	cr_assert_str_eq(log.events[0].class_name, "Nine");
	recorded_log_free(&log);
}

Test(recorder, an_event_without_a_key_is_kept)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_recorder_stats stats;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, 0);
	mprof_thread_leave_method(thread, 0);
	mprof_thread_record_allocation(thread, 0, 8);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.unresolved_keys, 2, "a method and a class");
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 3);
	cr_assert_str_eq(log.events[0].name, "(no key)");
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	cr_assert_str_eq(log.events[2].name, "(no key)");
	recorded_log_free(&log);
}

Test(recorder, ids_that_do_not_fit_are_not_taken_for_others)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_description description;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.keys_are_ids = 1;
	recorder = recorded_log_open(&log, &options);
	mprof_description_init(&description, sizeof(description));
	description.name = "Wide ()";
	description.name_length = 7;
	cr_assert_eq(mprof_recorder_define_method(recorder, UINT64_C(0x100000005), &description), MPROF_ERR_ARGUMENT);
	define_method(recorder, 5, 0, "Five ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, 5);
	mprof_thread_enter_method(thread, UINT64_C(0x100000005));
	mprof_thread_enter_method(thread, 0);
	finish(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].name, "Five ()");
	cr_assert_str_eq(log.events[1].name, "(no key)");
	cr_assert_eq(log.events[2].event.id, log.events[1].event.id);
	recorded_log_free(&log);
}

Test(recorder, elements_and_thread_names_become_blocks)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_assembly_name split = {sizeof(mprof_assembly_name), "demo", "neutral", "null", 1, 2, 3, 4, 0, 0};
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				 0,
				 5,
				 6,
				 7,
				 "demo, Version=1.2.3.4",
				 21,
				 &split};
	mprof_description description;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_record_loaded(recorder, 0x99, &element), MPROF_OK);
	mprof_description_init(&description, sizeof(description));
	description.name = "In.Demo";
	description.name_length = 7;
	description.assembly_key = 0x99;
	cr_assert_eq(mprof_recorder_define_class(recorder, CLASS_A, &description), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_thread_name(recorder, 7, "wörker", 7), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	mprof_thread_record_allocation(thread, CLASS_A, 16);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	element.kind = MPROF_ELEMENT_ASSEMBLY;
	element.assembly = NULL;
	cr_assert_eq(mprof_recorder_record_unloaded(recorder, 0x99, &element), MPROF_OK);
	finish(recorder, thread, &log);
	cr_assert_eq(log.blocks[MPROF_BLOCK_LOADED], 1);
	cr_assert_eq(log.blocks[MPROF_BLOCK_UNLOADED], 1);
	cr_assert_eq(log.blocks[MPROF_BLOCK_THREAD], 1);
	cr_assert_str_eq(log.events[0].name, "In.Demo");
	recorded_log_free(&log);
}

Test(recorder, properties_are_added_to_the_session)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	mprof_reader *reader = NULL;
	mprof_block block = {.struct_size = sizeof(block)};
	const char *key;
	const char *value;
	int found = 0;

	cr_assert_eq(mprof_recorder_set_property(recorder, "", "value"), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_set_property(recorder, "key", NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_set_property(recorder, "key", "first"), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_property(recorder, "key", ""), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_property(recorder, "key", "late"), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_SESSION &&
		       mprof_reader_next_property(reader, &key, &value) == MPROF_OK) {
			if (strcmp(key, "key") == 0)
				cr_assert_str_eq(value, found++ == 0 ? "first" : "");
		}
	}
	cr_assert_eq(found, 2);
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

Test(recorder, what_was_drained_is_whole_before_the_end)
{
	recorded_log log = {0};
	recorded_log so_far = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread;

	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	for (int round = 1; round <= 3; round++) {
		mprof_thread_enter_method(thread, METHOD_F);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		so_far.bytes = log.bytes;
		so_far.length = log.length;
		recorded_log_read(&so_far);
		cr_assert_eq(so_far.status, MPROF_END);
		cr_assert_eq(so_far.event_count, (size_t)round);
		cr_assert_not(so_far.complete);
	}
	finish(recorder, thread, &log);
	so_far.bytes = NULL;
	recorded_log_free(&so_far);
	recorded_log_free(&log);
}

static int sink_closes;

static int count_close(void *user)
{
	(void)user;
	sink_closes++;
	return 0;
}

Test(recorder, refuses_what_the_contract_forbids)
{
	recorded_log log = {0};
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mprof_description description;
	mprof_element element = {
		sizeof(mprof_element), MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_MODULE, 0, 0, 0, 0, "two types", 9, NULL};
	mprof_error error;

	error.struct_size = sizeof(error);
	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 127;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, &error), MPROF_ERR_ARGUMENT);
	cr_assert_null(recorder);
	cr_assert_eq(error.status, MPROF_ERR_ARGUMENT);
	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	options.writer = &writer;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, &error), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_recorder_open_path("/no/such/folder/x.mprof", NULL, &recorder, &error), MPROF_ERR_IO);
	cr_assert_eq(error.system_error, ENOENT);
	cr_assert_eq(mprof_recorder_open_path(NULL, NULL, &recorder, &error), MPROF_ERR_ARGUMENT);

	free(log.bytes);
	memset(&log, 0, sizeof(log));
	recorder = recorded_log_open(&log, NULL);
	mprof_description_init(&description, sizeof(description));
	cr_assert_eq(mprof_recorder_define_class(recorder, 1, &description), MPROF_ERR_ARGUMENT);
	description.name = "a\0b";
	description.name_length = 3;
	cr_assert_eq(mprof_recorder_define_class(recorder, 1, &description), MPROF_ERR_NAME);
	description.name_length = 1;
	cr_assert_eq(mprof_recorder_define_class(recorder, 0, &description), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_loaded(recorder, 1, &element), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	mprof_recorder_destroy(NULL);
	mprof_thread_detach(NULL);
	recorded_log_free(&log);
}

Test(recorder, refuses_options_out_of_range)
{
	const mprof_recorder_options input[] = {
		{.buffer_events = 127},
		{.buffer_events = 1048577},
		{.max_buffers = 1},
		{.max_buffers = 65537},
		{.overflow = MPROF_OVERFLOW_DROP + 1},
		{.keys_are_ids = 2},
		{.machine_ticks = 2},
		{.property_count = 1},
		{.allocation_detail = 8},
		{.start_disabled = 2},
		{.max_sample_bytes = (UINT64_C(64) << 10) - 1},
		{.max_sample_bytes = (UINT64_C(1) << 30) + 1},
		{.max_heap_bytes = (UINT64_C(1) << 20) - 1},
		{.track_objects = 2},
		{.without_symbols = 2},
		{.keys_are_functions = 2},
		{.keys_are_functions = 1, .keys_are_ids = 1},
		{.object_events = 2},
		{.resolution_ns = 10001},
		{.resolution_ns = 100, .counter = counting_counter},
	};

	for (size_t i = 0; i < sizeof(input) / sizeof(input[0]); i++) {
		mprof_recorder_options options = input[i];
		recorded_log log = {0};
		mprof_sink sink = recorded_log_sink(&log);
		mprof_recorder *recorder;

		sink_closes = 0;
		sink.close = count_close;
		options.struct_size = sizeof(options);
		cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_ARGUMENT,
			     "options %zu", i);
		cr_assert_null(recorder);
		cr_assert_eq(log.length, 0);
		cr_assert_eq(sink_closes, 1, "options %zu", i);
	}
}

Test(recorder, the_mail_dialect_holds_what_it_can_when_lossy)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mprof_recorder_stats stats;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	writer.lossy = 1;
	options.writer = &writer;
	recorder = recorded_log_open(&log, &options);
	define_usual(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_leave_method(thread, METHOD_F);
	mprof_thread_record_event(thread, MPROF_EVENT_GC_STOP_WORLD_START, 0, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_geq(stats.left_out, 1);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 2);
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_str_eq(log.events[1].name, "F (int)");
	recorded_log_free(&log);
}
