/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_no_memory.c
 * \brief Any request for memory may be refused, on any thread: nothing breaks or leaks, and the log can be read.
 */
#include "recorded_log.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_A = 0x1000, METHOD_F = 0x5000, METHOD_G = 0x6000, MAX_ROUNDS = 2000 };

/* The allocator of the other tests, for more than one thread. */
typedef struct shared_allocator {
	pthread_mutex_t lock;
	failing_allocator inner;
} shared_allocator;

static void *shared_allocate(void *user, size_t size)
{
	shared_allocator *shared = user;
	void *memory;

	pthread_mutex_lock(&shared->lock);
	memory = failing_allocate(&shared->inner, size);
	pthread_mutex_unlock(&shared->lock);
	return memory;
}

static void *shared_reallocate(void *user, void *old, size_t old_size, size_t new_size)
{
	shared_allocator *shared = user;
	void *memory;

	pthread_mutex_lock(&shared->lock);
	memory = failing_reallocate(&shared->inner, old, old_size, new_size);
	pthread_mutex_unlock(&shared->lock);
	return memory;
}

static void shared_release(void *user, void *memory, size_t size)
{
	shared_allocator *shared = user;

	pthread_mutex_lock(&shared->lock);
	failing_release(&shared->inner, memory, size);
	pthread_mutex_unlock(&shared->lock);
}

static void expect_ok_or_no_memory(mprof_status status)
{
	cr_assert(status == MPROF_OK || status == MPROF_ERR_MEMORY, "status %d", (int)status);
}

static void describe(mprof_recorder *recorder, const char *suffix)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = suffix;
	description.name_length = strlen(suffix);
	expect_ok_or_no_memory(mprof_recorder_define_class(recorder, CLASS_A, &description));
	description.class_key = CLASS_A;
	expect_ok_or_no_memory(mprof_recorder_define_method(recorder, METHOD_F, &description));
}

/* Returns a type, or 0 if it could not be defined. */
static uint32_t define_type(mprof_recorder *recorder, const char *name)
{
	const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, 0, "text", ""},
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "content", ""},
	};
	mprof_type_record type = {.argument_count = 2, .name = name};
	mprof_status status;
	uint32_t id;

	expect_ok_or_no_memory(mprof_recorder_define_text(recorder, name, strlen(name), &type.category));
	status = mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), 2, &type.first_argument);
	expect_ok_or_no_memory(status);
	if (status != MPROF_OK)
		return 0;
	expect_ok_or_no_memory(mprof_recorder_define_type(recorder, &type, sizeof(type), &id));
	return id;
}

static void record(mprof_recorder *recorder, mprof_thread *thread)
{
	const mprof_frame frames[] = {METHOD_F, METHOD_G, MPROF_FRAME_NATIVE | 0x10};
	const mprof_argument_value values[] = {{1, NULL, 0}, {0, (const uint8_t *)"content", 7}};
	const uint32_t type = define_type(recorder, "type");

	for (int i = 0; i < 20; i++) {
		mprof_thread_enter_method(thread, METHOD_F);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 24, 0x100000 + (uint64_t)i * 8, frames + i % 2,
							2);
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, 8, frames, 3);
		/* If the type could not be defined, the event is lost. */
		cr_assert_eq(mprof_thread_record_typed(thread, type, values, 2),
			     type != 0 ? MPROF_OK : MPROF_ERR_UNDEFINED_ID);
		mprof_thread_leave_method(thread, METHOD_F);
		mprof_recorder_record_sample(recorder, 7, frames, 3);
	}
}

static void shoot(mprof_recorder *recorder)
{
	const uint64_t references[] = {0x100008, 0x100010};
	const uint64_t offsets[] = {16, 24};

	if (!mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED | MPROF_HEAP_USE_SUMMARY,
				       1))
		return;
	mprof_recorder_add_heap_object(recorder, 0x100000, CLASS_A, 24, references, offsets, 2);
	mprof_recorder_add_heap_object(recorder, 0x100008, CLASS_A, 24, NULL, NULL, 0);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_OTHER, 0x7004, 0x100000);
	mprof_recorder_end_heap(recorder);
}

/* Its name is looked up. */
static void find_function(mprof_recorder *recorder)
{
	mprof_key key;
	uint64_t first;
	uint64_t last;
	const char *name;
	const char *module;

	expect_ok_or_no_memory(mprof_recorder_update_modules(recorder));
	expect_ok_or_no_memory(
		mprof_recorder_get_function_key(recorder, (uint64_t)(uintptr_t)abort, &key, &first, &last));
	cr_assert_eq(mprof_recorder_get_function_name(recorder, (uint64_t)(uintptr_t)abort, &name, &module), MPROF_OK);
	cr_assert(name == NULL || strcmp(name, "abort") == 0);
}

/* Uses every function once, and those that keep data twice. */
static void use(mprof_recorder *recorder, mprof_thread *thread)
{
	const mprof_key_range ranges[] = {{METHOD_F, METHOD_F}, {CLASS_A, CLASS_A + 8}};
	const mprof_root_area area = {.struct_size = sizeof(mprof_root_area),
				      .start = 0x7000,
				      .size = 16,
				      .class_key = CLASS_A,
				      .name = "area"};
	const mprof_class_field fields[] = {{"next", CLASS_A, 16, 0}, {"value", 0, 24, 0}};
	mprof_metric_value value = {.value = 5};

	describe(recorder, "First");
	expect_ok_or_no_memory(mprof_recorder_define_fields(recorder, CLASS_A, fields, sizeof(*fields), 2));
	expect_ok_or_no_memory(mprof_recorder_register_root(recorder, &area));
	expect_ok_or_no_memory(mprof_recorder_define_metric(recorder, "section", "name", 0, &value.metric));
	if (value.metric != 0)
		expect_ok_or_no_memory(mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1));
	expect_ok_or_no_memory(mprof_recorder_record_mark(recorder, 0, "mark", 4));
	record(recorder, thread);
	find_function(recorder);
	shoot(recorder);
	expect_ok_or_no_memory(mprof_recorder_retire_keys(recorder, ranges, sizeof(*ranges), 2));
	describe(recorder, "Second");
	record(recorder, thread);
	expect_ok_or_no_memory(mprof_recorder_unregister_root(recorder, 0x7000));
	shoot(recorder);
}

/* The numbers of recorded items in use(): events of the thread, and samples. */
enum { RECORDED_EVENTS = 2 * 20 * 5, RECORDED_SAMPLES = 2 * 20 };

/* Everything that is missing in the log was counted as lost, in the log too. */
static void expect_all_counted(const recorded_log *log, const mprof_recorder_stats *stats, size_t fail_at)
{
	uint64_t lost = 0;

	for (size_t cause = 0; cause < sizeof(log->lost) / sizeof(log->lost[0]); cause++)
		lost += log->lost[cause];
	cr_assert_eq(lost, stats->lost_events, "refused at %zu", fail_at);
	cr_assert_geq(log->event_count + stats->samples + lost, RECORDED_EVENTS + RECORDED_SAMPLES,
		      "refused at %zu: %zu events, %llu samples, %llu lost", fail_at, log->event_count,
		      (unsigned long long)stats->samples, (unsigned long long)lost);
	if (lost == 0) {
		cr_assert_eq(log->event_count, RECORDED_EVENTS, "refused at %zu", fail_at);
		cr_assert_eq(stats->samples, RECORDED_SAMPLES, "refused at %zu", fail_at);
	}
}

static int sink_closes;

static int count_close(void *user)
{
	(void)user;
	sink_closes++;
	return 0;
}

/* Returns the number of refused requests. */
static size_t run(size_t fail_at, int fail_once)
{
	shared_allocator shared = {.lock = PTHREAD_MUTEX_INITIALIZER,
				   .inner = {.fail_at = fail_at, .fail_once = fail_once}};
	mprof_allocator allocator = {sizeof(mprof_allocator), shared_allocate, shared_reallocate, shared_release,
				     &shared};
	recorded_log log = {0};
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_thread *thread;
	mprof_status status;
	int has_recorded = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	options.allocation_detail = 7;
	options.track_objects = 1;
	options.heap_offsets = 1;
	options.keys_are_functions = 1;
	sink_closes = 0;
	sink.close = count_close;
	status = mprof_recorder_open_sink(&sink, &options, &recorder, NULL);
	expect_ok_or_no_memory(status);
	cr_assert_eq(sink_closes, status != MPROF_OK);
	if (status == MPROF_OK) {
		status = mprof_recorder_attach(recorder, 7, &thread);
		expect_ok_or_no_memory(status);
		has_recorded = status == MPROF_OK;
		if (has_recorded)
			use(recorder, thread);
		mprof_thread_detach(thread);
		status = mprof_recorder_close(recorder);
		expect_ok_or_no_memory(status);
		cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
		mprof_recorder_destroy(recorder);
		recorded_log_read(&log);
		cr_assert_eq(log.status, MPROF_END, "refused at %zu: the log reads with status %d", fail_at,
			     (int)log.status);
		cr_assert_eq(log.complete, status == MPROF_OK, "refused at %zu", fail_at);
		if (has_recorded && status == MPROF_OK)
			expect_all_counted(&log, &stats, fail_at);
	}
	cr_assert_eq(shared.inner.blocks, 0, "refused at %zu", fail_at);
	recorded_log_free(&log);
	return shared.inner.refused;
}

static void run_all(int fail_once)
{
	size_t fail_at = 1;

	while (run(fail_at, fail_once) > 0) {
		fail_at++;
		cr_assert_lt(fail_at, MAX_ROUNDS);
	}
	cr_assert_gt(fail_at, 50);
}

Test(no_memory, one_request_is_refused, .timeout = 300)
{
	run_all(1);
}

Test(no_memory, all_requests_are_refused_from_one_on, .timeout = 300)
{
	run_all(0);
}
