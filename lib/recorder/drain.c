/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain.c
 * \brief The side of the writer thread: what threads handed over becomes blocks, round by round, and losses are told.
 */
#include "recorder/recorder_internal.h"

#include "base/testpoint.h"
#include "recorder/heap_drain.h"
#include "writer/parts.h"

#include <string.h>
#include <time.h>

int recorder_is_writing(mprof_recorder *recorder)
{
	return recorder->status == MPROF_OK && !recorder->limit_reached;
}

mprof_loss_cause recorder_loss_cause(const mprof_recorder *recorder)
{
	return recorder->status != MPROF_OK ? MPROF_LOSS_WRITE_FAILED : MPROF_LOSS_LIMIT;
}

void recorder_count_lost(mprof_recorder *recorder, mprof_loss_cause cause, uint64_t count)
{
	recorder->lost_total[cause] += count;
	recorder->lost_untold[cause] += count;
}

/* Writes a block of recorder->events. Returns 0 if they are not in the log. */
static int write_events(mprof_recorder *recorder, mprof_thread *thread, uint64_t base_counter, size_t count)
{
	mprof_status status;

	stacks_write(recorder);
	if (!recorder_is_writing(recorder))
		return 0;
	status = mprof_writer_begin_events(recorder->writer, thread->id, base_counter);
	if (status == MPROF_OK)
		status = mprof_writer_write_events(recorder->writer, recorder->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(recorder->writer);
	recorder_note_status(recorder, status);
	return status == MPROF_OK;
}

void recorder_drain_buffer(mprof_recorder *recorder, mprof_thread *thread, event_buffer *buffer, uint32_t published)
{
	const event_slot *slots = buffer->slots + buffer->drained;
	uint32_t count = published - buffer->drained;
	uint64_t base_counter;
	size_t converted;

	if (count == 0)
		return;
	/* The first event's own counter: its time is then 0, and a block of allocations alone still has a time. */
	if (buffer->drained == 0)
		thread->last_counter = buffer->start_counter;
	buffer->drained = published;
	if (recorder->order_has_failed) {
		thread_count_lost(recorder, thread, MPROF_LOSS_NO_MEMORY, slots_count_events(slots, count));
		return;
	}
	if (!recorder_is_writing(recorder)) {
		thread_count_lost(recorder, thread, recorder_loss_cause(recorder), slots_count_events(slots, count));
		return;
	}
	base_counter = thread->last_counter;
	converted = slots_convert(recorder, thread, slots, count);
	if (!write_events(recorder, thread, base_counter, converted))
		thread_count_lost(recorder, thread, recorder_loss_cause(recorder), converted);
}

static void wake_waiting(mprof_recorder *recorder)
{
	if (atomic_load(&recorder->waiting) == 0)
		return;
	pthread_mutex_lock(&recorder->wait_lock);
	pthread_cond_broadcast(&recorder->buffers_free);
	pthread_mutex_unlock(&recorder->wait_lock);
}

void recorder_begin_blocking(mprof_recorder *recorder)
{
	/* Sequentially consistent, as where a buffer is given back: a thread that is about to wait sees this, or is seen. */
	atomic_fetch_add(&recorder->blocking, 1);
	wake_waiting(recorder);
}

void recorder_end_blocking(mprof_recorder *recorder)
{
	atomic_fetch_add_explicit(&recorder->blocking, 1, memory_order_relaxed);
}

void recorder_give_back(mprof_recorder *recorder, event_buffer *buffer)
{
	buffer_pool_give(&recorder->pool, buffer);
	wake_waiting(recorder);
}

/* Returns 0 if threads have to be drained in the order of what they did on stacks: buffers that were taken stay. */
static int drain_full(mprof_recorder *recorder)
{
	event_buffer *buffer = buffer_pool_take_full(&recorder->pool);

	/* Asked after buffers were taken, of which some might matter. */
	if (stack_order_is_needed(recorder)) {
		stack_order_take(buffer);
		return 0;
	}

	/* After the buffers were taken: what defines the keys in them was pushed before they were. */
	recorder_process_messages(recorder);
	while (buffer != NULL) {
		event_buffer *next = buffer->next_full;
		mprof_thread *thread = buffer->owner;

		recorder_drain_buffer(recorder, thread, buffer,
				      atomic_load_explicit(&buffer->published, memory_order_acquire));
		thread->next_sequence++;
		recorder_give_back(recorder, buffer);
		buffer = next;
	}
	return 1;
}

/* Notes what a thread has published in the buffer that it is filling. Returns 0 if it has moved on to another one. */
static int look_at_current(mprof_thread *thread)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_acquire);
	uint64_t expected = (uint64_t)thread->serial << 32 | thread->next_sequence;

	thread->round.current = NULL;
	TESTPOINT("drain: current buffer read");
	/* Another ticket: a full buffer of the thread is still to come and must be drained first, or the thread is
	 * about to move on from a buffer that was drained and given back. */
	if (atomic_load_explicit(&buffer->ticket, memory_order_acquire) != expected)
		return 0;
	thread->round.current = buffer;
	thread->round.available.slots = atomic_load_explicit(&buffer->published, memory_order_acquire);
	return 1;
}

/*
 * Handles that have the ID of one before them: all that was recorded under the ID before was handed over before they were
 * attached, and is drained here, before anything of theirs. Returns 0 as drain_full().
 */
static int drain_predecessors(mprof_recorder *recorder, mprof_thread *threads)
{
	int any = 0;

	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		any |= thread->follows_another;
	if (!any)
		return 1;
	if (!drain_full(recorder))
		return 0;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		thread->follows_another = 0;
	return 1;
}

/*
 * Writes all that was published before. A thread that moved on after the first look at the full buffers has handed over
 * before it did, so the second look finds all that it had published by then; what is in its new buffer came after.
 */
static void drain_all_current(mprof_recorder *recorder)
{
	int moved_on = 0;
	mprof_thread *threads;

	TESTPOINT("drain: full buffers taken");
	pthread_mutex_lock(&recorder->threads_lock);
	threads = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	if (!drain_predecessors(recorder, threads))
		return;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		moved_on |= !look_at_current(thread);
	/* Asked after all looks, of which some might have seen switches. */
	if (stack_order_is_needed(recorder))
		return;
	/* After all looks: what defines the keys in the slots was pushed before they were published. */
	recorder_process_messages(recorder);
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next) {
		if (thread->round.current != NULL)
			recorder_drain_buffer(recorder, thread, thread->round.current, thread->round.available.slots);
	}
	if (moved_on)
		(void)drain_full(recorder);
}

static void drain_threads(mprof_recorder *recorder, int partial)
{
	/* What died is found by what was allocated before, all of it. */
	if (!stack_order_is_needed(recorder) && drain_full(recorder) && (partial || recorder->heap.is_tracking))
		drain_all_current(recorder);
	/* It may have come to be needed on the way, too: then nothing more was drained. */
	if (stack_order_is_needed(recorder))
		stack_order_drain(recorder);
}

/*
 * Writes losses that are not in the log yet, as those of a thread. After the limit they wait for its end; those for which
 * there is no room stay.
 */
static void tell_losses(mprof_recorder *recorder, uint64_t thread_id, uint64_t *untold, int is_last)
{
	uint64_t any = 0;
	mprof_status status;

	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		any |= untold[cause];
	if (any == 0 || recorder->status != MPROF_OK || (recorder->limit_told && !is_last))
		return;
	status = mprof_writer_write_losses(recorder->writer, thread_id, untold, LOSS_CAUSE_COUNT);
	recorder_note_status(recorder, status);
	if (status == MPROF_OK)
		memset(untold, 0, LOSS_CAUSE_COUNT * sizeof(*untold));
}

/* What could not be told of a thread is told as nobody's. */
static void leave_untold(mprof_recorder *recorder, mprof_thread *thread)
{
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		recorder->lost_untold[cause] += thread->lost_untold[cause];
	memset(thread->lost_untold, 0, sizeof(thread->lost_untold));
}

static void take_losses(mprof_recorder *recorder, mprof_thread *thread, int is_last)
{
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++) {
		uint64_t lost = atomic_load_explicit(&thread->lost[cause], memory_order_relaxed);

		thread_count_lost(recorder, thread, (mprof_loss_cause)cause, lost - thread->lost_seen[cause]);
		thread->lost_seen[cause] = lost;
	}
	tell_losses(recorder, thread->id, thread->lost_untold, is_last);
}

/* Takes threads that were detached and drained off the list. */
static mprof_thread *unlink_threads(mprof_recorder *recorder)
{
	mprof_thread **link;
	mprof_thread *reaped = NULL;

	pthread_mutex_lock(&recorder->threads_lock);
	link = &recorder->threads;
	while (*link != NULL) {
		mprof_thread *thread = *link;

		/* sequence may be read once detached was seen: the owner is gone. */
		if (atomic_load_explicit(&thread->detached, memory_order_acquire) &&
		    thread->next_sequence == thread->sequence) {
			*link = thread->next;
			thread->next = reaped;
			reaped = thread;
		} else {
			link = &thread->next;
		}
	}
	pthread_mutex_unlock(&recorder->threads_lock);
	return reaped;
}

static void reap_threads(mprof_recorder *recorder, int is_last)
{
	mprof_thread *reaped = unlink_threads(recorder);

	while (reaped != NULL) {
		mprof_thread *next = reaped->next;

		take_losses(recorder, reaped, is_last);
		leave_untold(recorder, reaped);
		thread_release(recorder, reaped);
		reaped = next;
	}
}

/* All losses of the round. The limit is told of at once, and then once more at the end. */
static void tell_all_losses(mprof_recorder *recorder, int is_last)
{
	int reached = recorder->limit_reached;
	mprof_thread *thread;

	pthread_mutex_lock(&recorder->threads_lock);
	thread = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	for (; thread != NULL; thread = thread->next) {
		take_losses(recorder, thread, is_last);
		if (is_last)
			leave_untold(recorder, thread);
	}
	reap_threads(recorder, is_last);
	recorder_count_lost(recorder, MPROF_LOSS_NO_SAMPLE_ROOM, sample_store_take_losses(&recorder->samples));
	recorder_count_lost(recorder, MPROF_LOSS_NO_BUFFER, message_queue_take_refused(&recorder->messages));
	if (is_last)
		writer_open_reserve(recorder->writer);
	tell_losses(recorder, 0, recorder->lost_untold, is_last);
	recorder->limit_told = reached;
}

/* Events of native memory after which all threads are drained, so that readers need to hold back few. */
#define WATERMARK_EVENTS (128 * 1024)

/* A thread that is stopped between reading the counter and publishing the event goes on before that. */
#define WATERMARK_NANOSECONDS (100 * 1000 * 1000)

static uint64_t monotonic_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int watermark_is_due(const mprof_recorder *recorder)
{
	return monotonic_time() - recorder->whole_round_time >= WATERMARK_NANOSECONDS;
}

int recorder_needs_watermark(const mprof_recorder *recorder)
{
	return recorder->memory_events >= WATERMARK_EVENTS && watermark_is_due(recorder);
}

/*
 * After a round that drained all threads, which began at the counter. All that was published before it began is in the log,
 * and all that has a counter from before the round that is remembered was published meanwhile: a thread publishes an event
 * right after it has read the counter.
 */
static void write_watermark(mprof_recorder *recorder, uint64_t round)
{
	if (recorder->whole_round != 0) {
		if (!watermark_is_due(recorder) || !recorder_is_writing(recorder))
			return;
		recorder_note_status(recorder, mprof_writer_write_watermark(recorder->writer, recorder->whole_round));
		recorder->memory_events = 0;
	}
	recorder->whole_round = round;
	recorder->whole_round_time = monotonic_time();
}

void recorder_drain_round(mprof_recorder *recorder, int partial, int is_last)
{
	const uint64_t round = recorder->memory_events > 0 ? counter_read(&recorder->counter) : 0;

	heap_drain_begin(recorder);
	drain_threads(recorder, partial);
	if (partial)
		write_watermark(recorder, round);
	/* Few samples make small blocks: they wait for more where nobody asked. */
	if (partial || sample_store_is_filling(&recorder->samples))
		samples_drain(recorder);
	if (heap_drain(recorder, partial, is_last))
		root_table_forget(&recorder->roots, &recorder->allocator, recorder->heap.until_counter);
	tell_all_losses(recorder, is_last);
	if (partial && recorder->status == MPROF_OK)
		recorder_note_status(recorder, mprof_writer_flush(recorder->writer));
}
