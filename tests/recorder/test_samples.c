/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_samples.c
 * \brief Samples in the log: thread, time, call stack, and the count of samples that are missing.
 */
#include "sampled_log.h"

#include "base/failing_allocator.h"
#include "recorder/client/recorder_internal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { A = 0x1000, B = 0x2000, C = 0x3000, OTHER = 0x4000 };

static mprof_recorder *open_recorder(recorded_log *log, mprof_recorder_options *options)
{
	mprof_recorder *recorder;

	if (options->counter == NULL)
		options->counter = counting_counter;
	options->drain_interval_ms = 600000;
	recorder = recorded_log_open(log, options);
	define_method(recorder, A, 0, "A");
	define_method(recorder, B, 0, "B");
	define_method(recorder, C, 0, "C");
	return recorder;
}

static mprof_recorder *open_plain(recorded_log *log)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	return open_recorder(log, &options);
}

static mprof_recorder_stats stats_of(mprof_recorder *recorder)
{
	mprof_recorder_stats stats;

	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	return stats;
}

static void check_chain(const sampled_log *sampled, size_t number, const char *chain)
{
	cr_assert_lt(number, sampled->count);
	cr_assert_str_eq(sampled_log_chain(sampled, sampled->samples[number].stack), chain);
}

Test(samples, of_several_threads)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {C, B, A};

	for (int round = 0; round < 2; round++) {
		cr_assert_eq(mprof_recorder_record_sample(recorder, 7, chain, 3), 1);
		cr_assert_eq(mprof_recorder_record_sample(recorder, 5, chain + 1, 2), 1);
		cr_assert_eq(mprof_recorder_record_sample(recorder, 7, chain + 2, 1), 1);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(stats_of(recorder).samples, 6);
	cr_assert_eq(stats_of(recorder).stacks, 3, "A, B on A, C on that");
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 6);
	cr_assert_eq(sampled.blocks[MPROF_BLOCK_SAMPLES], 4, "one per thread and round");
	cr_assert_eq(sampled.blocks[MPROF_BLOCK_STACKS], 1, "known stacks are not written again");
	for (size_t i = 0; i < 6; i += 3) {
		cr_assert_eq(sampled.samples[i].thread, 5);
		check_chain(&sampled, i, "B A");
		cr_assert_eq(sampled.samples[i + 1].thread, 7);
		check_chain(&sampled, i + 1, "C B A");
		cr_assert_eq(sampled.samples[i + 2].thread, 7);
		check_chain(&sampled, i + 2, "A");
		cr_assert_eq(sampled.samples[i + 1].counter + 2, sampled.samples[i + 2].counter);
		cr_assert_eq(sampled.samples[i + 1].counter + 1, sampled.samples[i].counter);
	}
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* Counters that increase and decrease: samples may be handed over in another order than they were taken in. */
static uint64_t wavering_counter(void *user)
{
	static _Atomic uint64_t calls;
	uint64_t call = atomic_fetch_add(&calls, 1);

	(void)user;
	return 1000000 + call * 7919 % 10007;
}

/* The symbol table of this program has its name. */
__attribute__((noinline)) static int marked_function(int number)
{
	return number * 7 + 1;
}

/* A call may be the last instruction of its function: another function may start at its return address. */
Test(samples, return_addresses_are_looked_up_before_them)
{
	uint64_t address = (uintptr_t)marked_function;
	const mprof_frame start = address | MPROF_FRAME_NATIVE;
	const mprof_frame after = address | MPROF_FRAME_RETURN;
	const mprof_frame inside = (address + 1) | MPROF_FRAME_RETURN;
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);

	cr_assert_eq(marked_function(1), 8);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 7, &start, 1), 1);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 7, &after, 1), 1);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 7, &inside, 1), 1);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	check_chain(&sampled, 0, "marked_function");
	cr_assert_str_neq(sampled_log_chain(&sampled, sampled.samples[1].stack), "marked_function");
	check_chain(&sampled, 2, "marked_function");
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, of_a_thread_are_in_order_of_time)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_frame chain[] = {A};

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = wavering_counter;
	recorder = open_recorder(&log, &options);
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert(mprof_recorder_record_sample(recorder, 1 + i % 3, chain, 1));
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 1000);
	for (size_t i = 1; i < sampled.count; i++) {
		cr_assert_geq(sampled.samples[i].thread, sampled.samples[i - 1].thread);
		if (sampled.samples[i].thread == sampled.samples[i - 1].thread)
			cr_assert_gt(sampled.samples[i].counter, sampled.samples[i - 1].counter);
	}
	cr_assert_geq(sampled.blocks[MPROF_BLOCK_SAMPLES], 6, "the length of blocks is limited");
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, nothing_to_record)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {A};

	cr_assert_eq(mprof_recorder_record_sample(NULL, 1, chain, 1), 0);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 1, NULL, 1), 0);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 1, chain, 0), 0);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 1, chain, 1), 0, "closed");
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 0);
	cr_assert_eq(sampled.blocks[MPROF_BLOCK_LOST], 0);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* Whether a frame stands for outer frames that were not recorded. */
static int is_truncation(const mprof_stack_frame *frame)
{
	return frame->is_native && frame->id == 0;
}

Test(samples, of_deep_stacks_keep_the_innermost_frames_and_are_marked)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[MPROF_STACK_MAX + 72];
	mprof_stack_frame frames[MPROF_STACK_MAX + 72];
	size_t count;

	for (size_t i = 0; i < sizeof(chain) / sizeof(chain[0]); i++)
		chain[i] = i == MPROF_STACK_MAX - 1 ? B : i == MPROF_STACK_MAX - 2 ? C : A;
	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, sizeof(chain) / sizeof(chain[0])));
	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, MPROF_STACK_MAX));
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 2);
	cr_assert_neq(sampled.samples[0].stack, sampled.samples[1].stack);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(mprof_reader_lookup_stack(sampled.reader, sampled.samples[i].stack, frames,
						       sizeof(*frames), MPROF_STACK_MAX + 72, &count),
			     MPROF_OK);
		cr_assert_eq(count, MPROF_STACK_MAX);
		cr_assert_eq(is_truncation(&frames[count - 1]), i == 0, "only the first is too long");
		cr_assert_neq(frames[count - 2].id, frames[0].id);
		cr_assert_eq(frames[count - 3].id, frames[0].id);
	}
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* Gets up to three frames of a sample's call stack. Returns how many there are. */
static size_t frames_of(const sampled_log *sampled, size_t sample, mprof_stack_frame frames[3])
{
	size_t count;

	cr_assert_eq(mprof_reader_lookup_stack(sampled->reader, sampled->samples[sample].stack, frames, sizeof(*frames),
					       3, &count),
		     MPROF_OK);
	return count;
}

Test(samples, of_truncated_stacks_are_marked)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	const mprof_frame whole[] = {A, B};
	const mprof_frame first[] = {A, B, MPROF_FRAME_TRUNCATED};
	const mprof_frame second[] = {C, MPROF_FRAME_TRUNCATED};
	const mprof_frame misplaced[] = {A, MPROF_FRAME_TRUNCATED, B};
	mprof_stack_frame frames[3];

	mprof_recorder_record_sample(recorder, 1, whole, 2);
	mprof_recorder_record_sample(recorder, 1, first, 3);
	mprof_recorder_record_sample(recorder, 1, second, 2);
	mprof_recorder_record_sample(recorder, 1, misplaced, 3);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 4);
	cr_assert_eq(frames_of(&sampled, 1, frames), 3);
	cr_assert(is_truncation(&frames[2]));
	cr_assert_eq(frames_of(&sampled, 2, frames), 2);
	cr_assert(is_truncation(&frames[1]));
	cr_assert_eq(frames_of(&sampled, 3, frames), 3);
	cr_assert(!frames[1].is_native && frames[1].id == 0, "a mark with callers is an unknown method");
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

static uint64_t counter_that_fails(void *user)
{
	errno = EIO;
	return counting_counter(user);
}

Test(samples, keep_errno)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_frame chain[MPROF_STACK_MAX] = {A};

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counter_that_fails;
	recorder = open_recorder(&log, &options);
	/* Enough to fill the memory several times over. */
	atomic_store(&log.blocked, 1);
	for (int i = 0; i < 5000; i++) {
		errno = i;
		mprof_recorder_record_sample(recorder, 1, chain, MPROF_STACK_MAX);
		cr_assert_eq(errno, i);
	}
	atomic_store(&log.blocked, 0);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

Test(samples, without_room_are_counted)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_frame chain[MPROF_STACK_MAX] = {A};
	uint64_t recorded = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_sample_bytes = UINT64_C(64) << 10;
	recorder = open_recorder(&log, &options);
	/* The writer thread may take some samples before it is blocked in a write. */
	atomic_store(&log.blocked, 1);
	for (int i = 0; i < 20000; i++)
		recorded += (uint64_t)mprof_recorder_record_sample(recorder, 1, chain, MPROF_STACK_MAX);
	atomic_store(&log.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 1));
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(stats_of(recorder).samples, recorded + 1);
	cr_assert_eq(stats_of(recorder).lost[MPROF_LOSS_NO_SAMPLE_ROOM], 20000 - recorded);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_lt(recorded, 20000);
	cr_assert_eq(sampled.count, recorded + 1);
	cr_assert_eq(sampled.lost[MPROF_LOSS_NO_SAMPLE_ROOM], 20000 - recorded);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, that_cannot_be_written_are_counted)
{
	recorded_log log = {.fail_after = 4000};
	mprof_recorder *recorder = open_plain(&log);
	mprof_recorder_stats stats;
	mprof_frame chain[] = {A};
	uint64_t recorded = 0;

	for (int i = 0; i < 3000; i++)
		recorded += (uint64_t)mprof_recorder_record_sample(recorder, (uint64_t)i, chain, 1);
	cr_assert_eq(recorded, 3000);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_ERR_IO);
	stats = stats_of(recorder);
	cr_assert_gt(stats.samples, 0);
	cr_assert_gt(stats.lost[MPROF_LOSS_WRITE_FAILED], 0);
	cr_assert_eq(stats.samples + stats.lost[MPROF_LOSS_WRITE_FAILED], recorded);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

Test(samples, beyond_the_limit_of_the_log_are_counted)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_frame chain[] = {A};
	mprof_recorder_stats stats;

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_log_bytes = 4000;
	recorder = open_recorder(&log, &options);
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 100; k++)
			cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 1));
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_gt(stats.lost[MPROF_LOSS_LIMIT], 0);
	cr_assert_eq(stats.samples + stats.lost[MPROF_LOSS_LIMIT], 4000);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, stats.samples);
	cr_assert_eq(sampled.lost[MPROF_LOSS_LIMIT], stats.lost[MPROF_LOSS_LIMIT]);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, without_memory_for_their_chains_are_counted, .timeout = 120)
{
	mprof_frame chain[] = {C, B, A, OTHER};
	int has_lost = 0;

	for (size_t fail_at = 1; fail_at < 200; fail_at++) {
		recorded_log log = {0};
		failing_allocator failing = {.fail_at = fail_at};
		mprof_allocator allocator = failing_allocator_interface(&failing);
		mprof_recorder_options options;
		mprof_recorder *recorder;
		mprof_recorder_stats stats;
		mprof_sink sink = recorded_log_sink(&log);
		mprof_status status;
		uint64_t recorded = 0;

		mprof_recorder_options_init(&options, sizeof(options));
		options.allocator = &allocator;
		options.drain_interval_ms = 600000;
		if (mprof_recorder_open_sink(&sink, &options, &recorder, NULL) != MPROF_OK) {
			recorded_log_free(&log);
			continue;
		}
		for (int i = 0; i < 10; i++) {
			recorded += (uint64_t)mprof_recorder_record_sample(recorder, 1, chain, 4);
			(void)mprof_recorder_drain(recorder);
		}
		status = mprof_recorder_close(recorder);
		stats = stats_of(recorder);
		cr_assert_eq(recorded, 10);
		cr_assert_eq(stats.samples + stats.lost[MPROF_LOSS_NO_MEMORY] + stats.lost[MPROF_LOSS_WRITE_FAILED],
			     recorded, "%zu: %s", fail_at, mprof_status_get_text(status));
		has_lost |= stats.lost[MPROF_LOSS_NO_MEMORY] > 0;
		mprof_recorder_destroy(recorder);
		cr_assert_eq(failing.blocks, 0);
		recorded_log_free(&log);
	}
	cr_assert(has_lost);
}

Test(samples, in_a_dialect_that_has_none)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mprof_frame chain[] = {B, MPROF_FRAME_NATIVE | 16, A};

	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	writer.lossy = 1;
	options.writer = &writer;
	recorder = open_recorder(&log, &options);
	for (int i = 0; i < 1000; i++)
		cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 3));
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_gt(stats_of(recorder).left_out, 0);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 0);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, are_left_out_while_recording_is_stopped)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {A};

	cr_assert_eq(mprof_recorder_set_enabled(recorder, 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 1, chain, 1), 0);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 2, chain, 1), 1);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 1);
	cr_assert_eq(sampled.samples[0].thread, 2);
	cr_assert_eq(sampled.blocks[MPROF_BLOCK_LOST], 0);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, a_child_records_none)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {A};
	int status;
	pid_t child = fork();

	cr_assert_geq(child, 0);
	if (child == 0)
		_exit(mprof_recorder_record_sample(recorder, 1, chain, 1) == 0 ? 23 : 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 23);
	cr_assert(mprof_recorder_record_sample(recorder, 2, chain, 1));
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 1);
	cr_assert_eq(sampled.samples[0].thread, 2);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* Handlers that are interrupted by others while they record. */
static mprof_recorder *nested_recorder;
static volatile sig_atomic_t nesting;

static void handle_signal(int number)
{
	mprof_frame chain[] = {number == SIGUSR1 ? B : C, A};

	mprof_recorder_record_sample(nested_recorder, 1, chain, 2);
}

static uint64_t interrupted_counter(void *user)
{
	(void)user;
	if (nesting > 0) {
		nesting--;
		/* Called as if the signal arrived here: a raised signal is not always delivered inside of a handler. */
		handle_signal(SIGUSR2);
	}
	return counting_counter(NULL);
}

Test(samples, in_handlers_that_interrupt_each_other)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder_options options;
	struct sigaction action;
	size_t inner = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = interrupted_counter;
	nested_recorder = open_recorder(&log, &options);
	memset(&action, 0, sizeof(action));
	action.sa_handler = handle_signal;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 100; i++) {
		nesting = 5;
		raise(SIGUSR1);
	}
	cr_assert_eq(mprof_recorder_close(nested_recorder), MPROF_OK);
	mprof_recorder_destroy(nested_recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 600);
	for (size_t i = 0; i < sampled.count; i++)
		inner += strcmp(sampled_log_chain(&sampled, sampled.samples[i].stack), "C A") == 0;
	cr_assert_eq(inner, 500);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* A handler was interrupted in the middle when the writer thread took samples. */
Test(samples, that_are_not_whole_yet_come_later)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {A};
	sample_record *held;
	int is_filling;

	held = sample_store_claim(&recorder->shared.samples, 1, &is_filling);
	cr_assert_not_null(held);
	cr_assert(mprof_recorder_record_sample(recorder, 2, chain, 1));
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(stats_of(recorder).samples, 1);
	held->thread = 3;
	held->counter = 1;
	held->frames[0] = B;
	sample_store_commit(&recorder->shared.samples, held);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 2);
	cr_assert_eq(sampled.samples[0].thread, 2);
	cr_assert_eq(sampled.samples[1].thread, 3);
	check_chain(&sampled, 1, "B");
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

Test(samples, a_full_store_wakes_the_writer_thread, .timeout = 60)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_plain(&log);
	mprof_frame chain[] = {A};

	/* No round is requested, and the interval is long. */
	while (stats_of(recorder).samples == 0)
		mprof_recorder_record_sample(recorder, 1, chain, 1);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
