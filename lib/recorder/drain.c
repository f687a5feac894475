/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain.c
 * \brief The side of the writer thread: what threads handed over becomes blocks, round by round, and losses are told.
 */
#include "recorder/recorder_internal.h"

#include "recorder/heap_drain.h"

#include <string.h>

int recorder_is_writing(mprof_recorder *recorder)
{
	return recorder->status == MPROF_OK && !recorder->limit_reached;
}

void recorder_check_limit(mprof_recorder *recorder)
{
	mprof_writer_stats written;

	if (recorder->max_log_bytes == 0 || !recorder_is_writing(recorder))
		return;
	written.struct_size = sizeof(written);
	mprof_writer_get_stats(recorder->writer, &written);
	recorder->limit_reached = written.bytes >= recorder->max_log_bytes;
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

static void write_events(mprof_recorder *recorder, mprof_thread *thread, uint64_t base_counter, size_t count)
{
	mprof_status status;

	stacks_write(recorder);
	if (recorder->status != MPROF_OK)
		return;
	status = mprof_writer_begin_events(recorder->writer, thread->id, base_counter);
	if (status == MPROF_OK)
		status = mprof_writer_events(recorder->writer, recorder->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(recorder->writer);
	recorder_note_status(recorder, status);
}

/* Writes the slots of a buffer that were published and not drained yet, up to published. */
static void drain_buffer(mprof_recorder *recorder, mprof_thread *thread, event_buffer *buffer, uint32_t published)
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
	recorder_check_limit(recorder);
	if (!recorder_is_writing(recorder)) {
		thread_count_lost(recorder, thread, recorder_loss_cause(recorder), slots_count_events(slots, count));
		return;
	}
	base_counter = thread->last_counter;
	converted = slots_convert(recorder, thread, slots, count);
	write_events(recorder, thread, base_counter, converted);
	if (recorder->status != MPROF_OK)
		thread_count_lost(recorder, thread, MPROF_LOSS_WRITE_FAILED, converted);
}

static mprof_thread *find_thread(mprof_recorder *recorder, uint32_t serial)
{
	mprof_thread *thread;

	pthread_mutex_lock(&recorder->threads_lock);
	thread = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	/* Only this thread unlinks, and new ones come in front: the rest of the list stands still. */
	while (thread != NULL && thread->serial != serial)
		thread = thread->next;
	return thread;
}

static void give_back(mprof_recorder *recorder, event_buffer *buffer)
{
	buffer_pool_give(&recorder->pool, buffer);
	if (atomic_load(&recorder->waiting) > 0) {
		pthread_mutex_lock(&recorder->wait_lock);
		pthread_cond_broadcast(&recorder->buffers_free);
		pthread_mutex_unlock(&recorder->wait_lock);
	}
}

static void drain_full(mprof_recorder *recorder)
{
	event_buffer *buffer = buffer_pool_take_full(&recorder->pool);

	/* After the buffers were taken: what defines the keys in them was pushed before they were. */
	recorder_process_messages(recorder);
	while (buffer != NULL) {
		event_buffer *next = buffer->next_full;
		uint64_t ticket = atomic_load_explicit(&buffer->ticket, memory_order_acquire);
		mprof_thread *thread = find_thread(recorder, (uint32_t)(ticket >> 32));

		drain_buffer(recorder, thread, buffer,
			     atomic_load_explicit(&buffer->published, memory_order_acquire));
		thread->next_sequence++;
		give_back(recorder, buffer);
		buffer = next;
	}
}

/* Writes what a thread has in the buffer that it is filling. Returns 0 if it has moved on to another one. */
static int drain_current(mprof_recorder *recorder, mprof_thread *thread)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_acquire);
	uint64_t expected = (uint64_t)thread->serial << 32 | thread->next_sequence;
	uint32_t published;

	/* Another ticket: a full buffer of the thread is still to come and must be drained first, or the thread is
	 * about to move on from a buffer that was drained and given back. */
	if (atomic_load_explicit(&buffer->ticket, memory_order_acquire) != expected)
		return 0;
	published = atomic_load_explicit(&buffer->published, memory_order_acquire);
	recorder_process_messages(recorder);
	drain_buffer(recorder, thread, buffer, published);
	return 1;
}

/*
 * Writes all that was published before. A thread that moved on after the first look at the full buffers has handed over
 * before it did, so the second look finds all that it had published by then; what is in its new buffer came after.
 */
static void drain_all_current(mprof_recorder *recorder, mprof_thread *threads)
{
	int moved_on = 0;

	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		moved_on |= !drain_current(recorder, thread);
	if (moved_on)
		drain_full(recorder);
}

/* Writes losses that are not in the log yet, as those of a thread. Behind the limit they wait for its end. */
static void tell_losses(mprof_recorder *recorder, uint64_t thread_id, uint64_t *untold, int is_last)
{
	uint64_t any = 0;

	for (int cause = 1; cause < MPROF_LOSS_CAUSE_COUNT; cause++)
		any |= untold[cause];
	if (any == 0 || recorder->status != MPROF_OK || (recorder->limit_told && !is_last))
		return;
	recorder_note_status(recorder,
			     mprof_writer_lost(recorder->writer, thread_id, untold, MPROF_LOSS_CAUSE_COUNT));
	memset(untold, 0, MPROF_LOSS_CAUSE_COUNT * sizeof(*untold));
}

static void take_losses(mprof_recorder *recorder, mprof_thread *thread, int is_last)
{
	for (int cause = 1; cause < MPROF_LOSS_CAUSE_COUNT; cause++) {
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
		/* What must wait is told as nobody's. */
		for (int cause = 1; cause < MPROF_LOSS_CAUSE_COUNT; cause++)
			recorder->lost_untold[cause] += reaped->lost_untold[cause];
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
	for (; thread != NULL; thread = thread->next)
		take_losses(recorder, thread, is_last);
	reap_threads(recorder, is_last);
	recorder_count_lost(recorder, MPROF_LOSS_NO_SAMPLE_ROOM, sample_store_take_losses(&recorder->samples));
	tell_losses(recorder, 0, recorder->lost_untold, is_last);
	recorder->limit_told = reached;
}

void recorder_drain_round(mprof_recorder *recorder, int partial, int is_last)
{
	mprof_thread *threads;

	heap_drain_begin(recorder);
	drain_full(recorder);
	pthread_mutex_lock(&recorder->threads_lock);
	threads = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	/* What died is found by what was allocated before, all of it. */
	if (partial || recorder->heap.is_tracking)
		drain_all_current(recorder, threads);
	recorder_check_limit(recorder);
	/* Few samples make small blocks: they wait for more where nobody asked. */
	if (partial || sample_store_is_filling(&recorder->samples))
		samples_drain(recorder);
	recorder_check_limit(recorder);
	if (heap_drain(recorder, partial, is_last))
		root_table_forget(&recorder->roots, &recorder->allocator, recorder->heap.until_counter);
	tell_all_losses(recorder, is_last);
	if (partial && recorder->status == MPROF_OK)
		recorder_note_status(recorder, mprof_writer_flush(recorder->writer));
}
