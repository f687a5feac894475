/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_unloading.c
 * \brief Retired keys have no meaning any more, and events that were recorded before keep their names.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_A = 0x1000, CLASS_B = 0x2000, METHOD_F = 0x5000, METHOD_G = 0x6000 };

static mprof_recorder *open_usual(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	/* Rounds are done on request only. */
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_class(recorder, CLASS_B, "Space.B");
	define_method(recorder, METHOD_F, CLASS_A, "F ()");
	define_method(recorder, METHOD_G, CLASS_A, "G ()");
	return recorder;
}

static mprof_thread *attach(mprof_recorder *recorder)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	return thread;
}

static void unload(mprof_recorder *recorder, mprof_key first, mprof_key last)
{
	const mprof_key_range range = {first, last};

	cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1), MPROF_OK);
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

static void call(mprof_thread *thread, mprof_key method)
{
	mprof_thread_enter_method(thread, method);
	mprof_thread_leave_method(thread, method);
}

Test(unloading, the_same_name_at_the_same_address_is_another_method)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	mprof_thread *thread = attach(recorder);

	call(thread, METHOD_F);
	mprof_thread_record_allocation(thread, CLASS_A, 8);
	unload(recorder, 0, UINT64_MAX);
	define_class(recorder, CLASS_A, "Space.A");
	define_method(recorder, METHOD_F, CLASS_A, "F ()");
	/* The counters of the allocation and of its block do not distinguish the two definitions. */
	mprof_thread_record_allocation(thread, CLASS_A, 8);
	call(thread, METHOD_F);
	call(thread, METHOD_G);
	finish(recorder, thread, &log);

	cr_assert_eq(log.event_count, 8);
	cr_assert_str_eq(log.events[0].name, "F ()");
	cr_assert_str_eq(log.events[2].name, "Space.A");
	cr_assert_str_eq(log.events[3].name, "Space.A");
	cr_assert_neq(log.events[2].event.id, log.events[3].event.id);
	cr_assert_str_eq(log.events[4].name, "F ()");
	cr_assert_str_eq(log.events[4].class_name, "Space.A");
	cr_assert_neq(log.events[0].event.id, log.events[4].event.id);
	/* G is not known any more. */
	cr_assert_str_eq(log.events[6].name, "(unknown 0x6000)");
	recorded_log_free(&log);
}

Test(unloading, what_was_published_before_keeps_its_names)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	mprof_thread *thread = attach(recorder);

	/* Three generations, each with its own name; only retiring the key drains events. */
	for (int generation = 0; generation < 3; generation++) {
		char name[32];

		snprintf(name, sizeof(name), "Gen%d ()", generation);
		define_method(recorder, 0x9000, CLASS_B, name);
		for (int i = 0; i < 10000; i++)
			call(thread, 0x9000);
		unload(recorder, 0x9000, 0x9000);
	}
	call(thread, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 60002);
	for (size_t i = 0; i < 60000; i += 2) {
		char name[32];

		snprintf(name, sizeof(name), "Gen%d ()", (int)(i / 20000));
		cr_assert_str_eq(log.events[i].name, name);
		cr_assert_str_eq(log.events[i].class_name, "Space.B");
		cr_assert_eq(log.events[i + 1].event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	}
	/* Other methods are unchanged. */
	cr_assert_str_eq(log.events[60000].name, "F ()");
	cr_assert_eq(log.method_count, 4);
	recorded_log_free(&log);
}

Test(unloading, a_leave_does_not_end_a_frame_of_what_was_unloaded)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	mprof_thread *thread = attach(recorder);

	/* Its leave was never recorded. */
	mprof_thread_enter_method(thread, METHOD_F);
	unload(recorder, METHOD_F, METHOD_F);
	define_method(recorder, METHOD_F, CLASS_B, "Other ()");
	mprof_thread_leave_method(thread, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 2);
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_str_eq(log.events[1].name, "Other ()");
	recorded_log_free(&log);
}

Test(unloading, call_chains_are_of_the_methods_of_their_time)
{
	const mprof_frame frames[] = {METHOD_F, METHOD_G};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	mprof_thread *thread = attach(recorder);

	mprof_thread_record_monitor(thread, MPROF_MONITOR_ACQUIRED, CLASS_A, 8, frames, 2);
	unload(recorder, METHOD_G, METHOD_G);
	define_method(recorder, METHOD_G, CLASS_B, "Other ()");
	mprof_thread_record_monitor(thread, MPROF_MONITOR_ACQUIRED, CLASS_A, 8, frames, 2);
	finish(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].stack, "F () < G ()");
	cr_assert_str_eq(log.events[1].stack, "F () < Other ()");
	recorded_log_free(&log);
}

Test(unloading, takes_many_ranges_in_any_order)
{
	enum { RANGES = 300 };
	static mprof_key_range ranges[RANGES];
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);
	mprof_thread *thread = attach(recorder);
	char name[32];

	for (uint64_t i = 0; i < RANGES; i++) {
		snprintf(name, sizeof(name), "M%d ()", (int)i);
		define_method(recorder, 0x10000 + i * 16, 0, name);
		/* Every second method; one range is retired twice, some overlap. */
		ranges[i].first = 0x10000 + (i * 7 % RANGES / 2 * 2) * 16 - 4;
		ranges[i].last = ranges[i].first + (i % 3 == 0 ? 4 : 12);
	}
	cr_assert_eq(mprof_recorder_retire_keys(recorder, ranges, sizeof(*ranges), RANGES), MPROF_OK);
	for (uint64_t i = 0; i < RANGES; i++)
		mprof_thread_enter_method(thread, 0x10000 + i * 16);
	finish(recorder, thread, &log);
	for (uint64_t i = 0; i < RANGES; i++) {
		if (i % 2 == 0)
			snprintf(name, sizeof(name), "(unknown");
		else
			snprintf(name, sizeof(name), "M%d ()", (int)i);
		cr_assert_eq(strncmp(log.events[i].name, name, strlen(name)), 0, "%s", log.events[i].name);
	}
	recorded_log_free(&log);
}

Test(unloading, ids_of_the_client_stay)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.keys_are_ids = 1;
	recorder = recorded_log_open(&log, &options);
	define_method(recorder, 12, 0, "F ()");
	thread = attach(recorder);
	mprof_thread_enter_method(thread, 12);
	unload(recorder, 12, 12);
	define_method(recorder, 12, 0, "Other ()");
	mprof_thread_enter_method(thread, 12);
	finish(recorder, thread, &log);
	cr_assert_str_eq(log.events[1].name, "F ()");
	cr_assert_eq(log.events[1].event.id, 12);
	recorded_log_free(&log);
}

Test(unloading, refuses_what_the_contract_forbids)
{
	const mprof_key_range backwards = {2, 1};
	const mprof_key_range one = {1, 1};
	recorded_log log = {0};
	mprof_recorder *recorder = open_usual(&log);

	cr_assert_eq(mprof_recorder_retire_keys(NULL, &one, sizeof(one), 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, NULL, sizeof(mprof_key_range), 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, &backwards, sizeof(backwards), 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, NULL, sizeof(mprof_key_range), 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, &one, sizeof(one), 1), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
