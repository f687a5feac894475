/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_stacks.c
 * \brief Call stacks: each is defined once, with the methods of its keys, even if keys changed their meaning.
 */
#include "sampled_log.h"

#include "recorder/client/recorder_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { A = 0x1000, B = 0x2000, C = 0x3000, D = 0x4000, THREAD = 1 };

#define NOWHERE(number) (MPROF_FRAME_NATIVE | (uint64_t)(number))

static mprof_recorder *open_recorder(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_interval_ms = 600000;
	options.counter = counting_counter;
	recorder = recorded_log_open(log, &options);
	define_method(recorder, A, 0, "A");
	define_method(recorder, B, 0, "B");
	define_method(recorder, C, 0, "C");
	return recorder;
}

static void sample(mprof_recorder *recorder, const mprof_frame *frames, size_t count)
{
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, frames, count), 1);
}

static void finish(mprof_recorder *recorder, recorded_log *log, sampled_log *sampled)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(sampled, log);
}

static void check_chains(const sampled_log *sampled, const char *const *chains, size_t count)
{
	cr_assert_eq(sampled->count, count);
	for (size_t i = 0; i < count; i++)
		cr_assert_str_eq(sampled_log_chain(sampled, sampled->samples[i].stack), chains[i], "sample %zu", i);
}

static void end(recorded_log *log, sampled_log *sampled)
{
	sampled_log_free(sampled);
	recorded_log_free(log);
}

Test(stacks, share_their_outer_ends)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chains[][4] = {{A},    {B, A}, {C, B, A}, {C, A},   {C, B, A},
					 {B, A}, {A, A}, {A, A, A}, {C, B, A}};
	static const size_t counts[] = {1, 2, 3, 2, 3, 2, 2, 3, 3};
	static const char *const names[] = {"A", "B A", "C B A", "C A", "C B A", "B A", "A A", "A A A", "C B A"};

	for (size_t i = 0; i < 9; i++)
		sample(recorder, chains[i], counts[i]);
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 9);
	cr_assert_eq(sampled.samples[2].stack, sampled.samples[4].stack);
	cr_assert_eq(sampled.samples[2].stack, sampled.samples[8].stack);
	cr_assert_eq(sampled.samples[1].stack, sampled.samples[5].stack);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_STACK), 6);
	end(&log, &sampled);
}

Test(stacks, with_methods_that_are_not_known)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {0, A, 0};
	const mprof_frame unnamed[] = {0xdead, A};
	static const char *const names[] = {"- A -", "(unknown 0xdead) A"};

	sample(recorder, chain, 3);
	sample(recorder, unnamed, 2);
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 2);
	end(&log, &sampled);
}

Test(stacks, more_than_one_block_of_them)
{
	enum { CHAINS = 3000 };
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	char name[32];

	for (int i = 0; i < CHAINS; i++) {
		mprof_frame chain[] = {0x10000 + (mprof_frame)i * 8, i % 2 == 0 ? A : B};

		snprintf(name, sizeof(name), "M%d", i);
		define_method(recorder, chain[0], 0, name);
		sample(recorder, chain, 2);
	}
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, CHAINS);
	for (int i = 0; i < CHAINS; i++) {
		snprintf(name, sizeof(name), "M%d %s", i, i % 2 == 0 ? "A" : "B");
		cr_assert_str_eq(sampled_log_chain(&sampled, sampled.samples[i].stack), name);
	}
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_STACK), CHAINS + 2);
	cr_assert_gt(sampled.blocks[MPROF_BLOCK_STACKS], 1);
	end(&log, &sampled);
}

/* A key has the meaning that it had at the time of the sample, whenever the sample is drained. */
Test(stacks, of_keys_that_were_defined_again)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {C, B, A};
	static const char *const names[] = {"C B A", "C B A", "C second A", "C second A", "C third A"};

	sample(recorder, chain, 3);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	sample(recorder, chain, 3);
	define_method(recorder, B, 0, "second");
	sample(recorder, chain, 3);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	sample(recorder, chain, 3);
	define_method(recorder, B, 0, "third");
	sample(recorder, chain, 3);
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 5);
	end(&log, &sampled);
}

/* Samples are drained thread by thread, so the counter decreases between threads. */
Test(stacks, of_keys_that_were_defined_again_between_two_threads)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {B, A};
	static const char *const names[] = {"B A", "second A", "B A", "second A"};

	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 2));
	cr_assert(mprof_recorder_record_sample(recorder, 2, chain, 2));
	define_method(recorder, B, 0, "second");
	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 2));
	cr_assert(mprof_recorder_record_sample(recorder, 2, chain, 2));
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 4);
	end(&log, &sampled);
}

Test(stacks, of_keys_that_were_unloaded)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {B, A};
	mprof_key_range range = {B, B};
	static const char *const names[] = {"B A", "B A"};

	sample(recorder, chain, 2);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1), MPROF_OK);
	define_method(recorder, B, 0, "B");
	sample(recorder, chain, 2);
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 2);
	cr_assert_neq(sampled.samples[0].stack, sampled.samples[1].stack, "another method of the same name");
	end(&log, &sampled);
}

/* The definition is added when the writer thread has already begun a round and taken the items of that round. */
Test(stacks, a_definition_may_come_just_before_the_sample, .timeout = 60)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {D, A};
	static const char *const names[] = {"D A"};
	struct timespec pause = {0, 50000000};
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, THREAD, &thread), MPROF_OK);
	atomic_store(&log.blocked, 1);
	/* A full buffer, whose block blocks the writer thread. */
	for (int i = 0; i < 5000; i++)
		mprof_thread_enter_method(thread, A);
	nanosleep(&pause, NULL);
	define_method(recorder, D, 0, "D");
	sample(recorder, chain, 2);
	atomic_store(&log.blocked, 0);
	mprof_thread_detach(thread);
	finish(recorder, &log, &sampled);
	check_chains(&sampled, names, 1);
	end(&log, &sampled);
}

/* Addresses where nothing is mapped: the page at 0 never is. */
Test(stacks, methods_and_native_code_are_not_confused)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chains[][3] = {{NOWHERE(16), A, NOWHERE(32)}, {16, A, NOWHERE(32)}, {NOWHERE(16), A, 32}};
	mprof_stack_frame frames[3];
	mprof_record location;
	size_t count;

	for (size_t i = 0; i < 3; i++)
		sample(recorder, chains[i], 3);
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(mprof_reader_lookup_stack(sampled.reader, sampled.samples[i].stack, frames,
						       sizeof(*frames), 3, &count),
			     MPROF_OK);
		cr_assert_eq(count, 3);
		cr_assert_eq(frames[0].is_native, i != 1);
		cr_assert_eq(frames[1].is_native, 0);
		cr_assert_eq(frames[2].is_native, i != 2);
	}
	location = sampled_log_location(&sampled, &sampled.samples[0]);
	cr_assert_eq(location.as.location.module, 0, "in no module");
	cr_assert_eq(location.as.location.function, 0);
	cr_assert_eq(location.as.location.offset, 16, "then it is the address");
	end(&log, &sampled);
}

/* An address that is innermost in one call stack and a return address in another: these are two locations. */
Test(stacks, innermost_frames_are_no_addresses_to_return_to)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {NOWHERE(16), NOWHERE(16), NOWHERE(16)};
	mprof_stack_frame frames[3];
	size_t count;

	for (size_t round = 0; round < 2; round++) {
		for (size_t length = 1; length <= 3; length++)
			sample(recorder, chain, length);
	}
	finish(recorder, &log, &sampled);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(mprof_reader_lookup_stack(sampled.reader, sampled.samples[i].stack, frames,
						       sizeof(*frames), 3, &count),
			     MPROF_OK);
		cr_assert_eq(count, i + 1);
		cr_assert_eq(frames[0].id, 1);
		for (size_t k = 1; k < count; k++)
			cr_assert_eq(frames[k].id, 2);
		cr_assert_eq(sampled.samples[i].stack, sampled.samples[i + 3].stack);
	}
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_LOCATION), 2);
	end(&log, &sampled);
}

Test(stacks, beyond_the_bound_are_losses)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	const mprof_frame chain[] = {B, A};

	sample(recorder, chain + 1, 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* Simulates the maximum number of stacks. The writer thread is idle. */
	recorder->drain.stacks.count = MAX_STACKS;
	sample(recorder, chain, 2);
	sample(recorder, chain + 1, 1);
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 2, "a known stack keeps its ID");
	cr_assert_str_eq(sampled_log_chain(&sampled, sampled.samples[1].stack), "A");
	cr_assert_eq(sampled.lost[MPROF_LOSS_NO_MEMORY], 1);
	end(&log, &sampled);
}
