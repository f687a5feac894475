/* SPDX-License-Identifier: MIT */
/* Writes the events of buffers, with several threads. */
#include "recorder/drain/drain_buffer.h"

#include "recorder/drain/salvage_commit.h"
#include "recorder/drain/slots.h"

/* Why block_fill() ended. */
typedef enum fill_end {
	FILL_BLOCK, /* The block must end, or the thread has no other full buffer. It is encoded. */
	FILL_SLOW   /* The next slot is for the writer thread. */
} fill_end;

/* While threads wait, a block holds at most an eighth of the buffers after which they are woken. */
#define MAX_HELD_DIVISOR 8

/* If earlier blocks may be evicted, a block begins with a switch to the stack that the thread is on. */
static void repeat_switch(const recorder_drain *drain, open_block *block, const mprof_thread *thread)
{
	event_collector *events = &block->events;
	mprof_event event;

	if (slots_repeat_switch(drain, thread, events->base_counter, &event) == &event)
		return;
	block->status = MPROF_ERR_MEMORY;
	if (event_columns_reserve(&events->columns, 1))
		block->status = event_columns_add_event(&events->columns, &events->encoder, &event);
}

/* The calls that readers have open: those of the shadow stack, which follows the events that are in the log. */
static void copy_calls(block_calls *calls, mprof_thread *thread)
{
	const shadow_stack *stack = thread_stacks_current(&thread->drain.stacks);

	calls->owner = thread->serial;
	calls->is_known = !shadow_stack_is_unknown(stack) && stack->calls.depth <= INDEX_MAX_FRAMES;
	calls->depth = (uint32_t)shadow_stack_copy(stack, calls->methods, INDEX_MAX_FRAMES);
}

void block_begin(const recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots)
{
	block->start_counter = slots_base_counter(thread, slots);
	event_collector_begin(&block->events, drain->output->writer, thread->id,
			      output_counter(drain->output, block->start_counter));
	block->thread = thread;
	block->is_encoded = 0;
	block->status = MPROF_OK;
	if (drain->output->has_index)
		copy_calls(&block->events.calls, thread);
	/* The IDs in the caches are valid until the meaning of a key changes. */
	if (block->generation != drain->keys.generation) {
		key_cache_clear(&block->methods);
		key_cache_clear(&block->classes);
		block->generation = drain->keys.generation;
	}
	repeat_switch(drain, block, thread);
}

/* Whether the next count slots of a thread, in another buffer, are added to a block. */
static int block_may_extend(const recorder_drain *drain, const open_block *block, const mprof_thread *thread,
			    uint32_t count)
{
	if (block->thread != thread || block->events.columns.counts[EVENT_COLUMN_SYMBOLS] + count > block->most_events)
		return 0;
	/*
	 * Allocations have the time of the event before them: without one in the last buffer, the base counter of a new
	 * block is closer.
	 */
	if (block->events.encoder.last_counter == block->buffer_counter)
		return 0;
	/*
	 * Threads that wait get the buffers that are held. They are woken for many buffers at a time, so a few of these
	 * do not delay them; without any, all blocks would be short.
	 */
	return block->held_count == 0 || block->held_count < drain->shared->wake_buffers / MAX_HELD_DIVISOR ||
	       atomic_load(&drain->shared->waiting) == 0;
}

/* Notes that all of a full buffer is in a block, and gives it back unless recovery needs it until the commit. */
static void block_take_buffer(const recorder_drain *drain, open_block *block, event_buffer *buffer)
{
	/* Without salvage, nothing needs the slots after their conversion. */
	if (block->last != buffer || drain->shared->salvage.header == NULL) {
		if (block->last == buffer)
			block->last = NULL;
		recorder_give_back(drain->shared, buffer);
		return;
	}
	buffer->next_full = block->held;
	block->held = buffer;
	block->held_count++;
}

void block_encode(open_block *block)
{
	const shadow_stack *stack = thread_stacks_current(&block->thread->drain.stacks);

	block->events.calls.is_empty_after = stack->calls.depth == 0 && !shadow_stack_is_unknown(stack);
	block->events.calls.searched = stack->searched;
	if (!block->is_encoded && block->status == MPROF_OK)
		block->status = event_collector_encode(&block->events);
	block->is_encoded = 1;
}

/* Adds the rest of a buffer. Returns 0 if a slot is left for the writer thread. */
static int fill_from(const recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
		     uint32_t *slots)
{
	uint32_t remaining = atomic_load_explicit(&buffer->published, memory_order_acquire) - buffer->drained;
	uint32_t taken;

	if (remaining > EVENT_COLUMNS_MAX_EVENTS - block->events.columns.counts[EVENT_COLUMN_SYMBOLS] ||
	    !event_columns_reserve(&block->events.columns, remaining))
		return 0;
	block->last = buffer;
	block->buffer_counter = block->events.encoder.last_counter;
	taken = slots_collect_frequent(drain, block, thread, buffer->slots + buffer->drained, remaining);
	buffer->drained += taken;
	*slots += taken;
	return taken == remaining;
}

/*
 * Adds the full buffers of a thread, thread_round::full_first, as far as their events are frequent ones whose keys
 * have IDs. slots receives the number of slots added.
 */
static fill_end block_fill(const recorder_drain *drain, open_block *block, mprof_thread *thread, uint32_t *slots)
{
	event_buffer *buffer;

	*slots = 0;
	while ((buffer = thread->drain.round.full_first) != NULL) {
		uint32_t remaining = atomic_load_explicit(&buffer->published, memory_order_acquire) - buffer->drained;

		if (remaining > 0 && block->thread != NULL && !block_may_extend(drain, block, thread, remaining))
			break;
		if (remaining > 0 && buffer->drained == 0)
			thread->drain.last_counter = buffer->start_counter;
		if (remaining > 0 && block->thread == NULL)
			block_begin(drain, block, thread, buffer->slots + buffer->drained);
		if (remaining > 0 && !fill_from(drain, block, thread, buffer, slots))
			return FILL_SLOW;
		thread->drain.round.full_first = buffer->next_full;
		thread->drain.next_sequence++;
		block_take_buffer(drain, block, buffer);
	}
	if (block->thread != NULL)
		block_encode(block);
	return FILL_BLOCK;
}

/* Writes the first \p count of recorder_drain::events as a block. Returns 0 if they are not in the log. */
static int write_events(recorder_drain *drain, uint64_t thread_id, uint64_t base_counter, size_t count)
{
	recorder_output *output = drain->output;
	mprof_status status;

	stacks_write(&drain->stacks);
	if (!output_is_writing(output))
		return 0;
	output_convert_counters(output, drain->events, count);
	status = mprof_writer_begin_events(output->writer, thread_id, output_counter(output, base_counter));
	if (status == MPROF_OK)
		status = mprof_writer_write_events(output->writer, drain->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(output->writer);
	output_note_status(output, status);
	if (status == MPROF_OK)
		output_note_events(output, count);
	return status == MPROF_OK;
}

/* Writes slots as one block of rows or more. */
static void write_rows(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count)
{
	uint32_t taken;

	for (; count > 0; slots += taken, count -= taken) {
		uint64_t base_counter = slots_base_counter(thread, slots);
		size_t converted;

		if (!output_is_writing(drain->output)) {
			thread_count_lost(thread, drain->output, output_loss_cause(drain->output),
					  slots_count_events(slots, count));
			return;
		}
		converted = slots_convert(drain, thread, slots, count, &taken);
		if (!write_events(drain, thread->id, base_counter, converted))
			thread_count_lost(thread, drain->output, output_loss_cause(drain->output), converted);
	}
}

/* Writes the events of a block, or counts them as lost. */
static void write_columns(recorder_drain *drain, open_block *block)
{
	recorder_output *output = drain->output;
	uint64_t count = block->events.encoder.written;
	int is_written = 0;

	if (count == 0)
		return;
	stacks_write(&drain->stacks);
	if (output_is_writing(output)) {
		block_encode(block);
		if (block->status == MPROF_OK)
			block->status = writer_put_collected(output->writer, &block->events);
		else
			writer_refuse(output->writer, block->status, "out of memory for an EVENTS block");
		output_note_status(output, block->status);
		is_written = block->status == MPROF_OK;
	}
	if (is_written)
		output_note_events(output, count);
	else
		thread_count_lost(block->thread, output, output_loss_cause(output), count);
}

void drain_end_block(recorder_drain *drain, open_block *block)
{
	mprof_thread *thread = block->thread;

	if (thread == NULL)
		return;
	write_columns(drain, block);
	if (thread->drain.last_counter > drain->latest_counter)
		drain->latest_counter = thread->drain.last_counter;
	salvage_commit_buffer(drain, block->last, thread->drain.last_counter);
	block->thread = NULL;
	block->last = NULL;
	block->held_count = 0;
	while (block->held != NULL) {
		event_buffer *next = block->held->next_full;

		recorder_give_back(drain->shared, block->held);
		block->held = next;
	}
}

/* Adds the slots of a buffer to a block of their thread, and writes it where it must end. */
static void add_columns(recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
			uint32_t published)
{
	recorder_output *output = drain->output;
	mprof_status status = MPROF_OK;

	while (buffer->drained < published) {
		const event_slot *slots = buffer->slots + buffer->drained;
		uint32_t count = published - buffer->drained;
		uint32_t taken = 0;

		if (block->thread == NULL)
			block_begin(drain, block, thread, slots);
		block->last = buffer;
		block->buffer_counter = block->events.encoder.last_counter;
		if (!output_is_writing(output)) {
			thread_count_lost(thread, output, output_loss_cause(output), slots_count_events(slots, count));
			buffer->drained = published;
			return;
		}
		status = block->status;
		if (status == MPROF_OK && !event_columns_reserve(&block->events.columns, count))
			status = MPROF_ERR_MEMORY;
		if (status == MPROF_OK)
			status = slots_collect(drain, block, thread, slots, count, &taken);
		if (status != MPROF_OK)
			output_note_status(output, writer_refuse(output->writer, status, "cannot add an event"));
		buffer->drained += taken;
		if (buffer->drained < published)
			drain_end_block(drain, block);
	}
}

/* Adds the slots of a buffer to a block, or writes them. */
static void add_buffer(recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
		       uint32_t published)
{
	const event_slot *slots = buffer->slots + buffer->drained;
	uint32_t count = published - buffer->drained;
	int has_columns = writer_has_columns(drain->output->writer) && !drain->order_has_failed;

	if (count == 0)
		return;
	/* A part of the buffer may be in the block already. */
	if (block->last != buffer && !block_may_extend(drain, block, thread, count))
		drain_end_block(drain, block);
	/*
	 * The base counter of the first block is the counter of the first event: its delta is then 0, and a block that
	 * consists of allocations alone still has a time.
	 */
	if (buffer->drained == 0)
		thread->drain.last_counter = buffer->start_counter;
	if (has_columns) {
		add_columns(drain, block, thread, buffer, published);
		return;
	}
	buffer->drained = published;
	if (drain->order_has_failed)
		thread_count_lost(thread, drain->output, MPROF_LOSS_NO_MEMORY, slots_count_events(slots, count));
	else
		write_rows(drain, thread, slots, count);
	if (thread->drain.last_counter > drain->latest_counter)
		drain->latest_counter = thread->drain.last_counter;
	salvage_commit_buffer(drain, buffer, thread->drain.last_counter);
}

void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published)
{
	add_buffer(drain, &drain->block, thread, buffer, published);
	drain_end_block(drain, &drain->block);
}

void drain_full_buffer(recorder_drain *drain, open_block *block, event_buffer *buffer)
{
	mprof_thread *thread = buffer->owner;

	thread->drain.round.full_first = buffer->next_full;
	add_buffer(drain, block, thread, buffer, atomic_load_explicit(&buffer->published, memory_order_acquire));
	thread->drain.next_sequence++;
	block_take_buffer(drain, block, buffer);
}

/* A thread with fewer slots than this before a slow one is converted by the writer thread for the rest of the round. */
#define MIN_SLOTS 2048

static drain_job *take_job(drain_job **list)
{
	drain_job *job = *list;

	if (job != NULL)
		*list = job->next;
	return job;
}

/* Appends a job, so that none waits for others that were added later. The caller holds the lock. */
static void append_job(drain_job **list, drain_job *job)
{
	while (*list != NULL)
		list = &(*list)->next;
	job->next = NULL;
	*list = job;
}

/* The body of a thread. It allocates only through the recorder's allocator. */
static void *drain_thread_main(void *argument)
{
	drain_threads *threads = argument;
	const recorder_drain *drain = threads->drain;
	drain_job *job;

	recorder_begin_own_thread(drain->shared);
	if (drain->thread_started != NULL)
		drain->thread_started(drain->thread_user);
	pthread_mutex_lock(&threads->lock);
	while (!threads->is_ending) {
		job = take_job(&threads->waiting);
		if (job == NULL) {
			pthread_cond_wait(&threads->work, &threads->lock);
			continue;
		}
		pthread_mutex_unlock(&threads->lock);
		job->is_slow = block_fill(drain, &job->block, job->thread, &job->slots) == FILL_SLOW;
		pthread_mutex_lock(&threads->lock);
		append_job(&threads->finished, job);
		pthread_cond_signal(&threads->done);
	}
	pthread_mutex_unlock(&threads->lock);
	if (drain->thread_ended != NULL)
		drain->thread_ended(drain->thread_user);
	recorder_end_own_thread(drain->shared);
	return NULL;
}

/* Returns 0 without having initialized anything if the system refuses. */
static int init_locks(drain_threads *threads)
{
	if (pthread_mutex_init(&threads->lock, NULL) != 0)
		return 0;
	if (pthread_cond_init(&threads->work, NULL) == 0) {
		if (pthread_cond_init(&threads->done, NULL) == 0)
			return 1;
		pthread_cond_destroy(&threads->work);
	}
	pthread_mutex_destroy(&threads->lock);
	return 0;
}

static void destroy_locks(drain_threads *threads)
{
	pthread_cond_destroy(&threads->work);
	pthread_cond_destroy(&threads->done);
	pthread_mutex_destroy(&threads->lock);
}

/*
 * The buffers of a recording thread are converted in order, by one thread at a time; those of different threads at the
 * same time. The tables of keys do not change while any of these threads runs: a slot that needs a new ID, or is not
 * one of the frequent events, is left to the writer thread, which converts it when none of them runs. The writer thread
 * alone writes blocks, commits them and gives buffers back.
 */

void drain_threads_start(drain_threads *threads, const recorder_drain *drain, const pthread_attr_t *attributes)
{
	const uint32_t count = threads->wanted;
	const mprof_allocator *allocator = &drain->shared->allocator;

	if (count < 2 || count > MAX_DRAIN_THREADS)
		return;
	threads->drain = drain;
	/* Twice as many as threads, so that one is converted while another one is written. */
	threads->jobs = allocator_allocate_zeroed(allocator, (size_t)2 * count * sizeof(*threads->jobs));
	if (threads->jobs == NULL)
		return;
	threads->job_count = 2 * count;
	for (uint32_t i = 0; i < threads->job_count; i++) {
		event_collector_init(&threads->jobs[i].block.events, allocator);
		threads->jobs[i].block.most_events = drain->block.most_events;
	}
	if (!init_locks(threads))
		return;
	while (threads->count < count &&
	       pthread_create(&threads->handles[threads->count], attributes, drain_thread_main, threads) == 0) {
#if defined(__GLIBC__)
		pthread_setname_np(threads->handles[threads->count], "mprof-drain");
#endif
		threads->count++;
	}
	if (threads->count == 0)
		destroy_locks(threads);
}

void drain_threads_finish(drain_threads *threads)
{
	if (threads->count == 0)
		return;
	pthread_mutex_lock(&threads->lock);
	threads->is_ending = 1;
	pthread_cond_broadcast(&threads->work);
	pthread_mutex_unlock(&threads->lock);
	for (uint32_t i = 0; i < threads->count; i++)
		pthread_join(threads->handles[i], NULL);
	threads->count = 0;
	destroy_locks(threads);
}

void drain_threads_destroy(drain_threads *threads, const mprof_allocator *allocator)
{
	for (uint32_t i = 0; i < threads->job_count; i++)
		event_collector_destroy(&threads->jobs[i].block.events);
	allocator_release(allocator, threads->jobs, threads->job_count * sizeof(*threads->jobs));
}

int drain_threads_help(const drain_threads *threads, const mprof_thread *first)
{
	uint32_t busy = 0;

	if (threads->count < 2)
		return 0;
	for (const mprof_thread *thread = first; thread != NULL; thread = thread->drain.round.next_full) {
		const event_buffer *buffer = thread->drain.round.full_first;

		/* Its buffers follow those of another handle. */
		if (thread->drain.follows_another)
			return 0;
		busy += buffer != NULL && buffer->next_full != NULL;
	}
	return busy >= 2;
}

static void submit(drain_threads *threads, drain_job *job)
{
	pthread_mutex_lock(&threads->lock);
	append_job(&threads->waiting, job);
	pthread_cond_signal(&threads->work);
	pthread_mutex_unlock(&threads->lock);
}

static drain_job *wait_for_finished(drain_threads *threads)
{
	drain_job *job;

	pthread_mutex_lock(&threads->lock);
	while ((job = take_job(&threads->finished)) == NULL)
		pthread_cond_wait(&threads->done, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	return job;
}

static drain_job *find_free_job(drain_threads *threads)
{
	for (uint32_t i = 0; i < threads->job_count; i++) {
		if (threads->jobs[i].thread == NULL)
			return &threads->jobs[i];
	}
	return NULL;
}

/* Assigns threads to free jobs. Returns the number of jobs that were started. */
static uint32_t start_jobs(drain_threads *threads, mprof_thread **next)
{
	uint32_t started = 0;
	drain_job *job;

	while (*next != NULL && (job = find_free_job(threads)) != NULL) {
		job->thread = *next;
		*next = (*next)->drain.round.next_full;
		submit(threads, job);
		started++;
	}
	return started;
}

/* Continues with the slots that a drain thread left, when none runs. Returns 1 if one may take over again. */
static int convert_slow(recorder_drain *drain, drain_job *job)
{
	mprof_thread *thread = job->thread;
	int goes_on = job->slots >= MIN_SLOTS;

	do {
		drain_full_buffer(drain, &job->block, thread->drain.round.full_first);
	} while (!goes_on && thread->drain.round.full_first != NULL);
	if (thread->drain.round.full_first != NULL)
		return 1;
	drain_end_block(drain, &job->block);
	job->thread = NULL;
	return 0;
}

void drain_threads_run(recorder_drain *drain, mprof_thread *first)
{
	drain_threads *threads = &drain->threads;
	drain_job *slow = NULL;
	uint32_t running = 0;

	for (;;) {
		drain_job *job;

		running += start_jobs(threads, &first);
		if (running > 0) {
			job = wait_for_finished(threads);
			running--;
			if (job->is_slow) {
				append_job(&slow, job);
				continue;
			}
			drain_end_block(drain, &job->block);
			if (job->thread->drain.round.full_first == NULL) {
				job->thread = NULL;
				continue;
			}
			submit(threads, job);
			running++;
		} else if (slow != NULL) {
			drain_job *again = NULL;

			/* No thread starts before all of them are converted: the tables may change. */
			while ((job = take_job(&slow)) != NULL) {
				if (convert_slow(drain, job))
					append_job(&again, job);
			}
			while ((job = take_job(&again)) != NULL) {
				submit(threads, job);
				running++;
			}
		} else {
			return;
		}
	}
}
