/* SPDX-License-Identifier: MIT */
/* Drains the buffers of threads, samples and heap snapshots to the log, and reports losses. */
#include "recorder/drain.h"

#include "base/testpoint.h"
#include "recorder/drain_buffer.h"
#include "recorder/drain_threads.h"
#include "recorder/messages.h"
#include "recorder/salvage_commit.h"
#include "recorder/session.h"
#include "recorder/samples_drain.h"
#include "recorder/stack_order.h"
#include "recorder/thread_attach.h"
#include "recorder/thread_times.h"
#include "writer/writer.h"

#include <string.h>
#include <time.h>

/* Drains the full buffers thread by thread (list: round.full_first); threads are in the order of their first one. */
static void drain_in_turn(recorder_drain *drain, mprof_thread *thread)
{
	while (thread != NULL) {
		while (thread->drain.round.full_first != NULL)
			drain_full_buffer(drain, &drain->block, thread->drain.round.full_first);
		drain_end_block(drain, &drain->block);
		thread = thread->drain.round.next_full;
	}
}

/*
 * Drains the full buffers. Returns 0 if threads must be drained by stack_order_drain() instead; the buffers taken are
 * kept for it.
 */
static int drain_full(recorder_drain *drain)
{
	mprof_thread *threads = stack_order_add(buffer_pool_take_full(&drain->shared->pool));

	/* Checked after the buffers were taken, since they may contain switches. */
	if (stack_order_is_needed(drain->shared))
		return 0;
	/* After the buffers were taken: the definitions of their keys were pushed before them. */
	messages_process(drain);
	if (writer_has_columns(drain->output->writer) && drain_threads_help(&drain->threads, threads))
		drain_threads_run(drain, threads);
	else
		drain_in_turn(drain, threads);
	return 1;
}

/* Notes how much a thread has published in its current buffer. Returns 0 if another buffer must be drained first. */
static int look_at_current(mprof_thread *thread)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_acquire);
	uint64_t expected = (uint64_t)thread->serial << 32 | thread->drain.next_sequence;

	thread->drain.round.current = NULL;
	TESTPOINT("drain: current buffer read");
	/*
	 * Another ticket: a full buffer of the thread was not taken yet and must be drained first, or the thread is
	 * about to move on from a buffer that was drained and given back.
	 */
	if (atomic_load_explicit(&buffer->ticket, memory_order_acquire) != expected)
		return 0;
	thread->drain.round.current = buffer;
	thread->drain.round.available.slots = atomic_load_explicit(&buffer->published, memory_order_acquire);
	return 1;
}

/*
 * Drains the earlier handles whose IDs are in use again. Everything recorded under such an ID was handed over before
 * the new handle was attached, and is drained here, before the new handle's events. Returns 0 as drain_full() does.
 */
static int drain_predecessors(recorder_drain *drain, mprof_thread *threads)
{
	int any = 0;

	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		any |= thread->drain.follows_another;
	if (!any)
		return 1;
	if (!drain_full(drain))
		return 0;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		thread->drain.follows_another = 0;
	return 1;
}

/*
 * Writes everything that was published before the call. A thread that changes buffers after the full buffers were first
 * taken hands its buffer over before it goes on, so taking them again finds everything that it had published before the
 * call; its new buffer contains only later events.
 */
static void drain_all_current(recorder_drain *drain)
{
	int moved_on = 0;
	mprof_thread *threads;

	TESTPOINT("drain: full buffers taken");
	threads = recorder_threads(drain->shared);
	if (!drain_predecessors(drain, threads))
		return;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		moved_on |= !look_at_current(thread);
	/* Checked last: any of the buffers taken may contain switches. */
	if (stack_order_is_needed(drain->shared))
		return;
	/*
	 * After the buffers were taken: the definitions of the keys in the slots were pushed before the slots were
	 * published.
	 */
	messages_process(drain);
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next) {
		if (thread->drain.round.current != NULL)
			drain_buffer(drain, thread, thread->drain.round.current, thread->drain.round.available.slots);
	}
	if (moved_on)
		(void)drain_full(drain);
}

static void drain_recorded(recorder_drain *drain, int partial)
{
	/* Finding dead objects requires all allocations before them. */
	if (!stack_order_is_needed(drain->shared) && drain_full(drain) && (partial || drain->heap.deaths.is_tracking))
		drain_all_current(drain);
	/* Ordering may also have become necessary meanwhile; drain_full() and drain_all_current() then stopped. */
	if (stack_order_is_needed(drain->shared))
		stack_order_drain(drain);
}

/* Losses that could not be reported for a thread are reported for thread 0. */
static void report_as_thread_0(recorder_output *output, mprof_thread *thread)
{
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		output->lost_unreported[cause] += thread->drain.lost_unreported[cause];
	memset(thread->drain.lost_unreported, 0, sizeof(thread->drain.lost_unreported));
}

static void report_thread_losses(recorder_drain *drain, mprof_thread *thread, int is_last)
{
	recorder_output *output = drain->output;
	uint64_t any = 0;

	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++) {
		uint64_t lost = atomic_load_explicit(&thread->lost[cause], memory_order_relaxed);

		any |= lost - thread->drain.lost_seen[cause];
		thread_count_lost(thread, output, (mprof_loss_cause)cause, lost - thread->drain.lost_seen[cause]);
		any |= thread->drain.lost_unreported[cause];
		thread->drain.lost_seen[cause] = lost;
	}
	output_write_losses(output, thread->id, thread->drain.lost_unreported, is_last);
	if (any != 0 && thread->salvaged != NULL)
		salvage_commit_losses(drain, thread);
}

/* Removes the threads that are detached and drained from the list. Returns them, linked by next. */
static mprof_thread *unlink_threads(recorder_shared *shared)
{
	mprof_thread **link;
	mprof_thread *reaped = NULL;

	pthread_mutex_lock(&shared->threads_lock);
	link = &shared->threads;
	while (*link != NULL) {
		mprof_thread *thread = *link;

		/*
		 * sequence may be read once detached is set: the owner is gone. Until the two are equal, a buffer that
		 * was handed over is not drained, and its owner field points to this thread.
		 */
		if (atomic_load_explicit(&thread->detached, memory_order_acquire) &&
		    thread->drain.next_sequence == thread->sequence && !thread_times_are_due(thread)) {
			*link = thread->next;
			thread_remove_by_id(thread);
			thread->next = reaped;
			reaped = thread;
		} else {
			link = &thread->next;
		}
	}
	pthread_mutex_unlock(&shared->threads_lock);
	return reaped;
}

static void reap_threads(recorder_drain *drain, int is_last)
{
	mprof_thread *reaped;

	TESTPOINT("drain: about to free handles");
	reaped = unlink_threads(drain->shared);
	while (reaped != NULL) {
		mprof_thread *next = reaped->next;

		report_thread_losses(drain, reaped, is_last);
		report_as_thread_0(drain->output, reaped);
		thread_release(reaped);
		reaped = next;
	}
}

/* Reports the losses of the round. Losses after the size limit are reported when it is reached and again on close. */
static void report_losses(recorder_drain *drain, int is_last)
{
	recorder_shared *shared = drain->shared;
	recorder_output *output = drain->output;
	int reached = output->limit_reached;

	for (mprof_thread *thread = recorder_threads(shared); thread != NULL; thread = thread->next) {
		report_thread_losses(drain, thread, is_last);
		if (is_last)
			report_as_thread_0(output, thread);
	}
	reap_threads(drain, is_last);
	output_count_lost(output, MPROF_LOSS_NO_SAMPLE_ROOM, sample_store_take_losses(&shared->samples));
	output_count_lost(output, MPROF_LOSS_NO_BUFFER, message_queue_take_refused(&shared->messages));
	if (is_last)
		writer_release_reserve(output->writer);
	output_write_losses(output, 0, output->lost_unreported, is_last);
	output->limit_reported = reached;
}

/* Number of native memory events after which all threads are drained, so that readers hold back few. */
#define WATERMARK_EVENTS (UINT64_C(128) * 1024)

/*
 * A thread that is stopped between reading the counter and publishing the event is assumed to continue within this
 * time.
 */
#define WATERMARK_NANOSECONDS UINT64_C(100000000)

static uint64_t monotonic_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int watermark_is_due(const recorder_drain *drain)
{
	return monotonic_time() - drain->whole_round_time >= WATERMARK_NANOSECONDS;
}

int drain_needs_watermark(const recorder_drain *drain)
{
	return drain->memory_events >= WATERMARK_EVENTS && watermark_is_due(drain);
}

/*
 * Called after a round that drained all threads and began at \p counter. Everything published before it began is in the
 * log. A thread publishes an event right after it has read the counter, so all events with counters from before the
 * remembered round were published by then.
 */
static void write_watermark(recorder_drain *drain, uint64_t round)
{
	if (drain->whole_round != 0) {
		if (!watermark_is_due(drain) || !output_is_writing(drain->output))
			return;
		output_note_status(drain->output,
				   mprof_writer_write_watermark(drain->output->writer,
								output_counter(drain->output, drain->whole_round)));
		drain->memory_events = 0;
	}
	drain->whole_round = round;
	drain->whole_round_time = monotonic_time();
}

/* Returns 0 if a part of a snapshot is left. */
static int drain_heap(recorder_drain *drain, int all, int is_last)
{
	/* Commits often, because the chunks that were read are given back only after a commit. */
	if (all && drain->shared->heap.chunks.area != NULL) {
		while (!heap_drain_advance(&drain->heap)) {
			salvage_commit(drain);
			heap_drain_give_back(&drain->heap);
		}
	}
	return heap_drain_run(&drain->heap, all, is_last);
}

void drain_round(recorder_drain *drain, int partial, int is_last)
{
	const uint64_t round = drain->memory_events > 0 ? counter_read(&drain->shared->counter) : 0;

	heap_drain_begin(&drain->heap);
	if (partial)
		native_code_follow_modules(&drain->stacks.code);
	drain_recorded(drain, partial);
	if (partial)
		write_watermark(drain, round);
	/* A few samples would make a small block, so unless a drain was requested they wait for more. */
	if (partial || sample_store_is_filling(&drain->shared->samples))
		samples_drain(drain);
	if (drain_heap(drain, partial, is_last))
		root_table_forget(&drain->roots, drain->heap.until_counter);
	/* Rounds for full buffers alone take no time that grows with the number of threads. */
	if (partial) {
		thread_times_write(drain, is_last);
		report_losses(drain, is_last);
		session_state_rate(drain, is_last);
		if (drain->output->status == MPROF_OK)
			output_note_status(drain->output, mprof_writer_flush(drain->output->writer));
	}
	salvage_commit(drain);
	heap_drain_give_back(&drain->heap);
	/* No further buffer may follow that would wake them. */
	recorder_wake_waiting(drain->shared);
}
