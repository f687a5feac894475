/* SPDX-License-Identifier: MIT */
/* Converts the full buffers of several threads at the same time. */
#include "recorder/drain_threads.h"

#include "recorder/drain_buffer.h"

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

/* Goes on with the slots that a drain thread left, when none runs. Returns 1 if one may take over again. */
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
