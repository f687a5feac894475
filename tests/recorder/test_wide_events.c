/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_wide_events.c
 * \brief Multi-slot events: requested details are read back, and no event is torn.
 */
#include "format/events/event_kinds.h"
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { CLASS_A = 0x1000, CLASS_B = 0x2000, METHOD_F = 0x5000, METHOD_G = 0x6000, METHOD_H = 0x7000 };

#define OBJECT UINT64_C(0x7f00dead0008)

/* There is no module at this address: it only matters that the frame is native. */
#define NATIVE_FRAME (MPROF_FRAME_NATIVE | 0x10)

static mprof_recorder *open_log(recorded_log *log, uint32_t detail, uint32_t exception_stacks)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.allocation_detail = detail;
	options.exception_stacks = exception_stacks;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_class(recorder, CLASS_B, "Space.B");
	define_method(recorder, METHOD_F, CLASS_A, "F ()");
	define_method(recorder, METHOD_G, CLASS_A, "G ()");
	define_method(recorder, METHOD_H, CLASS_B, "H ()");
	return recorder;
}

static mprof_recorder *open_with(recorded_log *log, uint32_t detail)
{
	return open_log(log, detail, 0);
}

static mprof_thread *attach(mprof_recorder *recorder)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	return thread;
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

Test(wide_events, allocations_keep_what_is_asked_for)
{
	const mprof_frame frames[] = {METHOD_F, METHOD_G, METHOD_H};

	for (uint32_t detail = 0; detail < 8; detail++) {
		recorded_log log = {0};
		mprof_recorder *recorder = open_with(&log, detail);
		mprof_thread *thread = attach(recorder);

		mprof_thread_enter_method(thread, METHOD_F);
		mprof_thread_record_allocation_detailed(thread, CLASS_B, 40, OBJECT, frames, 3);
		mprof_thread_record_allocation(thread, CLASS_A, 24);
		mprof_thread_leave_method(thread, METHOD_F);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 4);
		cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_ALLOCATION);
		cr_assert_str_eq(log.events[1].name, "Space.B");
		cr_assert_eq(log.events[1].event.value, 40);
		cr_assert_eq(log.events[1].detail.object, (detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0 ? OBJECT : 0);
		cr_assert_str_eq(log.events[1].caller, (detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0 ? "F ()" : "");
		cr_assert_str_eq(log.events[1].stack,
				 (detail & MPROF_ALLOCATION_DETAIL_STACK) != 0 ? "F () < G () < H ()" : "");
		/* An event without details has unknown details. */
		cr_assert_str_eq(log.events[2].name, "Space.A");
		cr_assert_eq(log.events[2].event.value, 24);
		cr_assert_eq(log.events[2].detail.object, 0);
		cr_assert_str_eq(log.events[2].stack, "");
		cr_assert_eq(log.events[3].event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
		/* Details that were not requested are not written. */
		cr_assert_eq(log.blocks[MPROF_BLOCK_STACKS], (detail & MPROF_ALLOCATION_DETAIL_STACK) != 0);
		recorded_log_free(&log);
	}
}

Test(wide_events, the_caller_is_the_innermost_method)
{
	const mprof_frame behind_native[] = {NATIVE_FRAME, NATIVE_FRAME, METHOD_G, METHOD_F};
	const mprof_frame native_alone[] = {NATIVE_FRAME};
	const mprof_frame unknown[] = {0, METHOD_G};
	const uint32_t details[] = {MPROF_ALLOCATION_DETAIL_CALLER,
				    MPROF_ALLOCATION_DETAIL_CALLER | MPROF_ALLOCATION_DETAIL_STACK};

	for (size_t i = 0; i < 2; i++) {
		recorded_log log = {0};
		mprof_recorder *recorder = open_with(&log, details[i]);
		mprof_thread *thread = attach(recorder);

		mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 0, behind_native, 4);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 0, native_alone, 1);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 0, unknown, 2);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 0, NULL, 0);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 4);
		cr_assert_str_eq(log.events[0].caller, "G ()");
		cr_assert_str_eq(log.events[1].caller, "");
		cr_assert_str_eq(log.events[2].caller, "");
		cr_assert_str_eq(log.events[3].caller, "");
		if (i == 1) {
			cr_assert_str_eq(log.events[0].stack, "native < native < G () < F ()");
			cr_assert_str_eq(log.events[1].stack, "native");
			cr_assert_str_eq(log.events[2].stack, "? < G ()");
			cr_assert_str_eq(log.events[3].stack, "");
		}
		recorded_log_free(&log);
	}
}

Test(wide_events, allocations_of_the_compiler_follow_from_the_innermost_method)
{
	const mprof_frame compiled[] = {METHOD_F | MPROF_FRAME_COMPILING, METHOD_G};
	const mprof_frame run[] = {METHOD_F, METHOD_G | MPROF_FRAME_COMPILING};
	const mprof_frame in_compiler[] = {NATIVE_FRAME, METHOD_F | MPROF_FRAME_COMPILING, METHOD_G};
	const mprof_frame unknown[] = {MPROF_FRAME_COMPILING, METHOD_G};

	for (uint32_t detail = 0; detail < 8; detail++) {
		int has_stack = (detail & MPROF_ALLOCATION_DETAIL_STACK) != 0;
		int has_caller = (detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0;
		int is_numbered = has_stack || has_caller ? MPROF_EVENT_ALLOCATION_AT_JIT : MPROF_EVENT_ALLOCATION;
		recorded_log log = {0};
		mprof_recorder *recorder = open_with(&log, detail);
		mprof_thread *thread = attach(recorder);

		mprof_thread_record_allocation_detailed(thread, CLASS_B, 40, OBJECT, compiled, 2);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 24, OBJECT, in_compiler, 3);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 24, OBJECT, unknown, 2);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 24, OBJECT, run, 2);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 4);
		/* Without the requested details, the kind is not distinguished. */
		for (size_t i = 0; i < 3; i++) {
			cr_assert_eq(log.events[i].event.kind, is_numbered);
			cr_assert_eq(log.events[i].detail.object,
				     (detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0 ? OBJECT : 0);
			cr_assert_str_eq(log.events[i].caller, has_caller && i < 2 ? "F ()" : "");
		}
		cr_assert_str_eq(log.events[0].name, "Space.B");
		cr_assert_eq(log.events[0].event.value, 40);
		cr_assert_eq(log.events[3].event.kind, MPROF_EVENT_ALLOCATION);
		if (has_stack) {
			cr_assert_str_eq(log.events[0].stack, "F () compiled < G ()");
			cr_assert_str_eq(log.events[1].stack, "native < F () compiled < G ()");
			cr_assert_str_eq(log.events[2].stack, "? compiled < G ()");
			cr_assert_str_eq(log.events[3].stack, "F () < G () compiled");
		}
		recorded_log_free(&log);
	}
}

/* A handle or a cause that logs cannot have is refused, and not left out without a trace. */
Test(wide_events, of_unknown_handles_and_causes_are_refused)
{
	const uint64_t too_large = UINT64_C(1) << 62;
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);

	cr_assert_eq(mprof_thread_record_handle_created(thread, too_large, MPROF_HANDLE_WEAK, CLASS_A, 0, NULL, 0),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_handle_created(thread, 4, 4, CLASS_A, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_handle_created(thread, 4, MPROF_HANDLE_PINNED, CLASS_A, 0, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_handle_deleted(thread, too_large, MPROF_HANDLE_WEAK, NULL, 0),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_handle_deleted(thread, 4, 4, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_handle_deleted(thread, 4, MPROF_HANDLE_PINNED, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_lost(thread, MPROF_LOSS_LIMIT + 1, 7), MPROF_ERR_ARGUMENT);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 2);
	for (size_t cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		cr_assert_eq(log.lost[cause], 0);
	recorded_log_free(&log);
}

Test(wide_events, monitors_handles_and_finalizers_come_back)
{
	const mprof_frame frames[] = {METHOD_G, METHOD_F};
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);
	const recorded_event *events;

	mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, OBJECT, frames, 2);
	mprof_thread_record_monitor(thread, MPROF_MONITOR_ACQUIRED, 0, OBJECT, NULL, 0);
	mprof_thread_record_monitor(thread, MPROF_MONITOR_FAILED, CLASS_B, 0, frames, 1);
	mprof_thread_record_handle_created(thread, (UINT64_C(1) << 62) - 1, MPROF_HANDLE_PINNED, CLASS_B, OBJECT,
					   frames, 2);
	mprof_thread_record_handle_created(thread, 4, MPROF_HANDLE_WEAK, 0, 0, NULL, 0);
	mprof_thread_record_handle_deleted(thread, (UINT64_C(1) << 62) - 1, MPROF_HANDLE_PINNED, frames + 1, 1);
	mprof_thread_record_finalizer(thread, 0, CLASS_A, OBJECT);
	mprof_thread_record_finalizer(thread, 1, CLASS_A, OBJECT);
	mprof_thread_record_event(thread, MPROF_EVENT_FINALIZATION_START, 0, 0);
	mprof_thread_record_event(thread, MPROF_EVENT_FINALIZATION_END, 0, 0);
	finish(recorder, thread, &log);

	events = log.events;
	cr_assert_eq(log.event_count, 10);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(events[i].event.kind, MPROF_EVENT_MONITOR);
		cr_assert_eq(events[i].event.value, MPROF_MONITOR_CONTENDED + i);
	}
	cr_assert_str_eq(events[0].name, "Space.A");
	cr_assert_eq(events[0].detail.object, OBJECT);
	cr_assert_str_eq(events[0].stack, "G () < F ()");
	cr_assert_eq(events[1].event.id, 0);
	cr_assert_str_eq(events[1].stack, "");
	cr_assert_str_eq(events[2].name, "Space.B");
	cr_assert_str_eq(events[2].stack, "G ()");
	cr_assert_eq(events[3].event.kind, MPROF_EVENT_HANDLE_CREATED);
	cr_assert_eq(events[3].event.value, (UINT64_C(1) << 62) - 1);
	cr_assert_eq(events[3].detail.handle_type, MPROF_HANDLE_PINNED);
	cr_assert_eq(events[3].detail.object, OBJECT);
	cr_assert_str_eq(events[3].name, "Space.B");
	cr_assert_str_eq(events[3].stack, "G () < F ()");
	cr_assert_eq(events[4].event.id, 0);
	cr_assert_eq(events[4].detail.handle_type, MPROF_HANDLE_WEAK);
	cr_assert_eq(events[5].event.kind, MPROF_EVENT_HANDLE_DELETED);
	cr_assert_eq(events[5].event.value, (UINT64_C(1) << 62) - 1);
	cr_assert_eq(events[5].detail.handle_type, MPROF_HANDLE_PINNED);
	cr_assert_str_eq(events[5].stack, "F ()");
	cr_assert_eq(events[6].event.kind, MPROF_EVENT_FINALIZER_START);
	cr_assert_eq(events[7].event.kind, MPROF_EVENT_FINALIZER_END);
	for (size_t i = 6; i < 8; i++) {
		cr_assert_str_eq(events[i].name, "Space.A");
		cr_assert_eq(events[i].detail.object, OBJECT);
	}
	cr_assert_eq(events[8].event.kind, MPROF_EVENT_FINALIZATION_START);
	cr_assert_eq(events[9].event.kind, MPROF_EVENT_FINALIZATION_END);
	/* Each reads the counter once. */
	for (size_t i = 1; i < 10; i++)
		cr_assert_eq(events[i].event.counter, events[0].event.counter + i);
	recorded_log_free(&log);
}

Test(wide_events, exceptions_keep_call_stacks_if_asked_for)
{
	const mprof_frame frames[] = {METHOD_G, METHOD_F};

	for (uint32_t requested = 0; requested <= 1; requested++) {
		recorded_log log = {0};
		mprof_recorder *recorder = open_log(&log, 0, requested);
		mprof_thread *thread = attach(recorder);

		mprof_thread_record_exception(thread, CLASS_A, frames, 2);
		mprof_thread_record_exception(thread, CLASS_B, NULL, 0);
		mprof_thread_record_exception(thread, 0, frames, 1);
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_B);
		mprof_thread_record_allocation(thread, CLASS_B, 24);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 5);
		for (size_t i = 0; i < 4; i++)
			cr_assert_eq(log.events[i].event.kind, MPROF_EVENT_EXCEPTION);
		cr_assert_str_eq(log.events[0].name, "Space.A");
		cr_assert_str_eq(log.events[0].stack, requested ? "G () < F ()" : "");
		cr_assert_str_eq(log.events[1].name, "Space.B");
		cr_assert_str_eq(log.events[1].stack, "");
		cr_assert_neq(log.events[2].event.id, 0);
		cr_assert_str_eq(log.events[2].stack, requested ? "G ()" : "");
		cr_assert_str_eq(log.events[3].name, "Space.B");
		cr_assert_eq(log.events[4].event.kind, MPROF_EVENT_ALLOCATION);
		recorded_log_free(&log);
	}
}

Test(wide_events, exception_clauses_are_recorded_if_asked_for)
{
	for (uint32_t requested = 0; requested <= 1; requested++) {
		mprof_recorder_options options;
		recorded_log log = {0};
		mprof_recorder *recorder;
		mprof_thread *thread;

		mprof_recorder_options_init(&options, sizeof(options));
		options.counter = counting_counter;
		options.exception_clauses = requested;
		recorder = recorded_log_open(&log, &options);
		define_class(recorder, CLASS_A, "Space.A");
		define_method(recorder, METHOD_F, CLASS_A, "F ()");
		thread = attach(recorder);
		cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION_CLAUSE, 0, CLASS_A),
			     MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_exception_clause(thread, 4, 0, CLASS_A, METHOD_F), MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_exception_clause(thread, MPROF_CLAUSE_FAULT, 300, CLASS_A, METHOD_F),
			     MPROF_OK);
		cr_assert_eq(mprof_thread_record_exception_clause(thread, MPROF_CLAUSE_CATCH, 0, 0, 0), MPROF_OK);
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, requested ? 3 : 1);
		if (requested) {
			cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_EXCEPTION_CLAUSE);
			cr_assert_str_eq(log.events[0].name, "Space.A");
			cr_assert_str_eq(log.events[0].caller, "F ()");
			cr_assert_eq(log.events[0].event.value, 300 << 2 | MPROF_CLAUSE_FAULT);
			cr_assert_neq(log.events[1].event.id, 0);
			cr_assert_str_eq(log.events[1].caller, "(no key)");
		}
		cr_assert_eq(log.events[requested ? 2 : 0].event.kind, MPROF_EVENT_EXCEPTION);
		recorded_log_free(&log);
	}
}

Test(wide_events, sizes_of_code_are_recorded_if_asked_for)
{
	for (uint32_t requested = 0; requested <= 1; requested++) {
		mprof_recorder_options options;
		recorded_log log = {0};
		mprof_recorder *recorder;
		mprof_thread *thread;

		mprof_recorder_options_init(&options, sizeof(options));
		options.counter = counting_counter;
		options.method_code = requested;
		recorder = recorded_log_open(&log, &options);
		define_class(recorder, CLASS_A, "Space.A");
		define_method(recorder, METHOD_F, CLASS_A, "F ()");
		thread = attach(recorder);
		cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_METHOD_CODE, 0, METHOD_F),
			     MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_method_code(thread, METHOD_F, 4, 1), MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_method_code(thread, METHOD_F, MPROF_CODE_PRECOMPILED, UINT32_MAX),
			     MPROF_OK);
		cr_assert_eq(mprof_thread_record_method_code(thread, 0, MPROF_CODE_TRAMPOLINE, 12), MPROF_OK);
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, requested ? 3 : 1);
		if (requested) {
			cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_METHOD_CODE);
			cr_assert_str_eq(log.events[0].name, "F ()");
			cr_assert_eq(log.events[0].event.value, (uint64_t)UINT32_MAX << 4 | MPROF_CODE_PRECOMPILED);
			cr_assert_eq(log.events[1].event.id, 0);
			cr_assert_eq(log.events[1].event.value, 12 << 4 | MPROF_CODE_TRAMPOLINE);
		}
		cr_assert_eq(log.events[requested ? 2 : 0].event.kind, MPROF_EVENT_EXCEPTION);
		recorded_log_free(&log);
	}
}

/* Frees and resizes objects, and reads the log back. */
static void record_object_events(recorded_log *log, uint32_t object_events)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	options.object_events = object_events;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	thread = attach(recorder);
	mprof_thread_record_allocation_detailed(thread, CLASS_A, 32, OBJECT, NULL, 0);
	mprof_thread_record_object_resized(thread, CLASS_A, OBJECT, OBJECT + 16, 48);
	mprof_thread_record_object_freed(thread, CLASS_A, OBJECT + 16, 48);
	finish(recorder, thread, log);
}

Test(wide_events, objects_that_are_freed_are_recorded_if_asked_for)
{
	recorded_log log = {0};

	record_object_events(&log, 1);
	cr_assert_eq(log.event_count, 3);
	cr_expect_eq(log.events[1].event.kind, MPROF_EVENT_OBJECT_RESIZED);
	cr_expect_eq(log.events[1].event.value, OBJECT + 16);
	cr_expect_eq(log.events[1].detail.object, OBJECT);
	cr_expect_eq(log.events[1].detail.size, 48);
	cr_expect_eq(log.events[2].event.kind, MPROF_EVENT_OBJECT_FREED);
	cr_expect_eq(log.events[2].event.value, 48);
	cr_expect_eq(log.events[2].detail.object, OBJECT + 16);
	cr_expect_gt(log.events[2].event.counter, log.events[1].event.counter);
	cr_expect_eq(log.events[2].event.id, log.events[0].event.id);
	recorded_log_free(&log);
	log = (recorded_log){0};
	record_object_events(&log, 0);
	cr_expect_eq(log.event_count, 1);
	recorded_log_free(&log);
}

Test(wide_events, holders_of_monitors_are_recorded_if_the_directive_is_declared)
{
	for (uint32_t declared = 0; declared <= 1; declared++) {
		mprof_writer_options writer;
		mprof_recorder_options options;
		recorded_log log = {0};
		mprof_recorder *recorder;
		mprof_thread *thread;

		mprof_writer_options_init(&writer, sizeof(writer));
		writer.directives.bits[0] = declared ? MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS) : 0;
		mprof_recorder_options_init(&options, sizeof(options));
		options.counter = counting_counter;
		options.writer = &writer;
		recorder = recorded_log_open(&log, &options);
		define_class(recorder, CLASS_A, "Space.A");
		thread = attach(recorder);
		cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_MONITOR_HOLDER, 0, CLASS_A),
			     MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_monitor_holder(thread, CLASS_A, 0x1000, 0), MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_monitor_holder(thread, CLASS_A, 0x1000, UINT64_C(1) << 56),
			     MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_thread_record_monitor_holder(thread, CLASS_A, 0x1000, (UINT64_C(1) << 56) - 1),
			     MPROF_OK);
		cr_assert_eq(mprof_thread_record_monitor_holder(thread, 0, 0, 77), MPROF_OK);
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, declared ? 3 : 1);
		if (declared) {
			cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_MONITOR_HOLDER);
			cr_assert_str_eq(log.events[0].name, "Space.A");
			cr_assert_eq(log.events[0].event.value, (UINT64_C(1) << 56) - 1);
			cr_assert_eq(log.events[1].event.id, 0);
			cr_assert_eq(log.events[1].event.value, 77);
		}
		recorded_log_free(&log);
	}
}

Test(wide_events, what_the_log_cannot_represent_is_not_recorded)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);

	mprof_thread_record_monitor(thread, 0, CLASS_A, OBJECT, NULL, 0);
	mprof_thread_record_monitor(thread, 4, CLASS_A, OBJECT, NULL, 0);
	mprof_thread_record_event(thread, MPROF_EVENT_HANDLE_CREATED, 0, 1);
	mprof_thread_record_event(thread, MPROF_EVENT_RECORDING_RESUMED, 0, 1);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 0);
	recorded_log_free(&log);
}

Test(wide_events, long_chains_keep_their_inner_end)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, MPROF_ALLOCATION_DETAIL_STACK);
	mprof_thread *thread = attach(recorder);
	mprof_frame frames[MPROF_STACK_MAX + 10];
	mprof_reader *reader;
	mprof_stack_frame found[MPROF_STACK_MAX + 10];
	mprof_block block;
	size_t count;

	for (size_t i = 0; i < MPROF_STACK_MAX + 10; i++)
		frames[i] = i < MPROF_STACK_MAX - 2 ? METHOD_F : METHOD_G;
	mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 0, frames, MPROF_STACK_MAX + 10);
	finish(recorder, thread, &log);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		;
	cr_assert_eq(mprof_reader_lookup_stack(reader, log.events[0].detail.stack, found, sizeof(*found),
					       MPROF_STACK_MAX + 10, &count),
		     MPROF_OK);
	cr_assert_eq(count, MPROF_STACK_MAX);
	cr_assert_eq(found[0].id, found[MPROF_STACK_MAX - 3].id);
	cr_assert_neq(found[0].id, found[MPROF_STACK_MAX - 2].id);
	cr_assert(found[MPROF_STACK_MAX - 1].is_native && found[MPROF_STACK_MAX - 1].id == 0, "it is truncated");
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

Test(wide_events, the_size_of_a_class_is_written_once)
{
	recorded_log log = {0};
	size_t with_sizes = 0;

	for (int sized = 1; sized >= 0; sized--) {
		mprof_recorder *recorder = recorded_log_open(&log, NULL);
		mprof_thread *thread = attach(recorder);
		mprof_description description;

		mprof_description_init(&description, sizeof(description));
		description.name = "Space.Sized";
		description.name_length = strlen(description.name);
		description.object_size = sized ? 1000 : 0;
		cr_assert_eq(mprof_recorder_define_class(recorder, CLASS_A, &description), MPROF_OK);
		for (int i = 0; i < 1000; i++)
			mprof_thread_record_allocation(thread, CLASS_A, i % 100 == 0 ? 1001 : 1000);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 1000);
		for (size_t i = 0; i < 1000; i++) {
			cr_assert_eq(log.events[i].event.value, i % 100 == 0 ? 1001 : 1000);
			cr_assert_str_eq(log.events[i].name, "Space.Sized");
		}
		if (sized)
			with_sizes = log.length;
		else
			cr_assert_lt(with_sizes + 900, log.length, "a size takes a byte or more");
		recorded_log_free(&log);
	}
}

/* Frames of event number i: their number follows from it, and each is different. */
static size_t make_frames(mprof_frame *frames, uint64_t i)
{
	size_t count = (size_t)(i * 7 % (MPROF_STACK_MAX + 1));

	for (size_t frame = 0; frame < count; frame++)
		frames[frame] = METHOD_F + (i + frame) % 3 * 0x1000;
	return count;
}

enum { STREAM_EVENTS = 20000 };

typedef struct stream {
	mprof_recorder *recorder;
	_Atomic int is_done;
} stream;

static void *record_stream(void *argument)
{
	stream *copy = argument;
	mprof_thread *thread;
	mprof_frame frames[MPROF_STACK_MAX];

	if (mprof_recorder_attach(copy->recorder, 7, &thread) != MPROF_OK)
		return copy;
	for (uint64_t i = 0; i < STREAM_EVENTS; i++) {
		size_t count = make_frames(frames, i);

		if (i % 3 == 0)
			mprof_thread_record_allocation_detailed(thread, CLASS_A, i, i + 1, frames, count);
		else if (i % 3 == 1)
			mprof_thread_record_handle_created(thread, i, MPROF_HANDLE_NORMAL, CLASS_B, i + 1, frames,
							   count);
		else
			mprof_thread_record_allocation(thread, CLASS_B, i);
	}
	mprof_thread_detach(thread);
	atomic_store(&copy->is_done, 1);
	return NULL;
}

static void check_stream(const recorded_log *log)
{
	static const char *const names[] = {"F ()", "G ()", "H ()"};

	cr_assert_eq(log->event_count, STREAM_EVENTS);
	for (uint64_t i = 0; i < STREAM_EVENTS; i++) {
		const recorded_event *recorded = &log->events[i];
		mprof_frame frames[MPROF_STACK_MAX];
		size_t count = make_frames(frames, i);

		cr_assert_eq(recorded->event.kind, i % 3 == 1 ? MPROF_EVENT_HANDLE_CREATED : MPROF_EVENT_ALLOCATION);
		cr_assert_eq(recorded->event.value, i);
		cr_assert_str_eq(recorded->name, i % 3 == 0 ? "Space.A" : "Space.B");
		if (i % 3 == 2)
			continue;
		cr_assert_eq(recorded->detail.object, i + 1);
		cr_assert_eq(recorded->detail.stack != 0, count != 0);
		if (count > 0)
			cr_assert_eq(memcmp(recorded->stack, names[i % 3], 4), 0);
	}
}

Test(wide_events, nothing_is_torn_however_buffers_are_drained, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	stream copy = {0};
	pthread_t handle;
	void *failed;

	mprof_recorder_options_init(&options, sizeof(options));
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;
	options.buffer_events = 131;
	options.max_buffers = 3;
	options.drain_interval_ms = 1;
	copy.recorder = recorded_log_open(&log, &options);
	define_class(copy.recorder, CLASS_A, "Space.A");
	define_class(copy.recorder, CLASS_B, "Space.B");
	define_method(copy.recorder, METHOD_F, 0, "F ()");
	define_method(copy.recorder, METHOD_G, 0, "G ()");
	define_method(copy.recorder, METHOD_H, 0, "H ()");
	cr_assert_eq(pthread_create(&handle, NULL, record_stream, &copy), 0);
	while (!atomic_load(&copy.is_done))
		cr_assert_eq(mprof_recorder_drain(copy.recorder), MPROF_OK);
	pthread_join(handle, &failed);
	cr_assert_null(failed);
	cr_assert_eq(mprof_recorder_close(copy.recorder), MPROF_OK);
	mprof_recorder_destroy(copy.recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	check_stream(&log);
	recorded_log_free(&log);
}

/*
 * A thread that records one event and then does nothing that another thread could wait for: a thread that drains the
 * event sees it only because it was published. If publishing is not enough, the thread sanitizer reports it in every
 * run.
 */
typedef struct publisher {
	mprof_recorder *recorder;
	int is_wide;
	_Atomic int has_recorded;
	_Atomic int is_drained;
} publisher;

static void *record_one(void *argument)
{
	publisher *copy = argument;
	const mprof_frame frame = METHOD_F;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, 7, &thread) != MPROF_OK)
		return copy;
	if (copy->is_wide)
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 24, 0x1000, &frame, 1);
	else
		mprof_thread_enter_method(thread, METHOD_F);
	atomic_store_explicit(&copy->has_recorded, 1, memory_order_relaxed);
	while (!atomic_load_explicit(&copy->is_drained, memory_order_relaxed))
		sched_yield();
	mprof_thread_detach(thread);
	return NULL;
}

Test(wide_events, what_is_drained_was_published, .timeout = 120)
{
	for (int is_wide = 0; is_wide <= 1; is_wide++) {
		publisher copy = {.is_wide = is_wide};
		recorded_log log = {0};
		mprof_recorder_options options;
		pthread_t handle;
		void *failed;

		mprof_recorder_options_init(&options, sizeof(options));
		options.allocation_detail = MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;
		copy.recorder = recorded_log_open(&log, &options);
		define_class(copy.recorder, CLASS_A, "Space.A");
		define_method(copy.recorder, METHOD_F, 0, "F ()");
		cr_assert_eq(pthread_create(&handle, NULL, record_one, &copy), 0);
		while (!atomic_load_explicit(&copy.has_recorded, memory_order_relaxed))
			sched_yield();
		cr_assert_eq(mprof_recorder_drain(copy.recorder), MPROF_OK);
		atomic_store_explicit(&copy.is_drained, 1, memory_order_relaxed);
		pthread_join(handle, &failed);
		cr_assert_null(failed);
		cr_assert_eq(mprof_recorder_close(copy.recorder), MPROF_OK);
		mprof_recorder_destroy(copy.recorder);
		recorded_log_read(&log);
		cr_assert_eq(log.event_count, 1);
		recorded_log_free(&log);
	}
}

Test(wide_events, each_that_finds_no_room_is_one_loss, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_frame frames[100] = {0};

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.max_buffers = 2;
	options.overflow = MPROF_OVERFLOW_DROP;
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(&log, &options);
	thread = attach(recorder);
	atomic_store(&log.blocked, 1);
	for (int i = 0; i < 1000; i++)
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, 0, OBJECT, frames, 100);
	atomic_store(&log.blocked, 0);
	finish(recorder, thread, &log);
	cr_assert_gt(log.lost[MPROF_LOSS_NO_BUFFER], 0);
	cr_assert_eq(log.event_count + log.lost[MPROF_LOSS_NO_BUFFER], 1000);
	recorded_log_free(&log);
}

Test(wide_events, collections_keep_what_they_are_about)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);

	mprof_thread_record_collection(thread, MPROF_EVENT_GC_START, 4, 1);
	mprof_thread_record_collection(thread, MPROF_EVENT_GC_RESIZE, 5, UINT64_C(1) << 40);
	mprof_thread_record_collection(thread, MPROF_EVENT_GC_END, 4, 1);
	/* Not of a collection: ignored. */
	mprof_thread_record_collection(thread, MPROF_EVENT_METHOD_ENTER, 4, METHOD_F);
	mprof_thread_record_collection(thread, EVENT_KIND_COUNT, 4, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 3);
	cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_GC_START);
	cr_assert_eq(log.events[0].event.value, 1);
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_GC_RESIZE);
	cr_assert_eq(log.events[1].event.value, UINT64_C(1) << 40);
	cr_assert_eq(log.events[2].event.kind, MPROF_EVENT_GC_END);
	cr_assert(log.events[0].event.counter < log.events[1].event.counter);
	cr_assert(log.events[1].event.counter < log.events[2].event.counter);
	recorded_log_free(&log);
}

Test(wide_events, the_mail_dialect_keeps_plain_allocations)
{
	const mprof_frame frames[] = {METHOD_F};
	recorded_log log = {0};
	mprof_writer_options writer_options;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_thread *thread;

	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	writer_options.dialect = MPROF_DIALECT_MAIL;
	writer_options.lossy = 1;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer_options;
	options.allocation_detail = 7;
	recorder = recorded_log_open(&log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_method(recorder, METHOD_F, CLASS_A, "F ()");
	thread = attach(recorder);
	mprof_thread_record_allocation_detailed(thread, CLASS_A, 40, OBJECT, frames, 1);
	mprof_thread_record_handle_created(thread, 4, MPROF_HANDLE_WEAK, CLASS_A, OBJECT, frames, 1);
	mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, OBJECT, frames, 1);
	mprof_thread_record_finalizer(thread, 0, CLASS_A, OBJECT);
	mprof_thread_record_event(thread, MPROF_EVENT_FINALIZATION_START, 0, 0);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.status, MPROF_OK);
	/* Three directives, SESSION and four events. */
	cr_assert_eq(stats.left_out, 8);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert_eq(log.event_count, 2);
	cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_ALLOCATION);
	cr_assert_eq(log.events[0].event.value, 40);
	cr_assert_str_eq(log.events[0].name, "Space.A");
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_METHOD_ENTER);
	recorded_log_free(&log);
}
