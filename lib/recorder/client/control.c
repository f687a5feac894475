/* SPDX-License-Identifier: MIT */
/* Public functions of a recorder that is open: control, statistics, unloading, names, and files of a ring buffer. */
#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/sort.h"
#include "io/sink.h"
#include "io/system.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/queues/shared.h"
#include "recorder/threads/thread.h"
#include "recorder/threads/thread_attach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Requests a round of draining from the writer thread, as mprof_recorder_drain() does, and waits until it is complete.
 * request, unless it is NULL, is served at the end of the round. Any thread but the writer thread.
 */
static mprof_status control_request_round(recorder_shared *shared, retire_request *request)
{
	WITHOUT_CANCELLATION;
	mprof_status status = MPROF_ERR_STATE;
	uint64_t round;

	if (recorder_in_child(shared) || recorder_on_own_thread(shared))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&shared->state_lock);
	if (!shared->closed) {
		/* Release: pairs with the acquire in drain_until_closed(), whose round sees what was recorded. */
		round = atomic_fetch_add_explicit(&shared->drain_requested, 1, memory_order_release) + 1;
		if (request != NULL) {
			request->round = round;
			request->next = shared->retiring;
			shared->retiring = request;
		}
		sem_post(&shared->work);
		while (shared->drain_completed < round)
			(void)wait_point_wait(&shared->drained, &shared->state_lock, 0);
		status = (mprof_status)shared->stats.status;
	}
	pthread_mutex_unlock(&shared->state_lock);
	return status;
}

mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id, mprof_thread **thread)
{
	WITHOUT_CANCELLATION;

	if (thread == NULL)
		return MPROF_ERR_ARGUMENT;
	*thread = NULL;
	return recorder != NULL ? thread_attach(&recorder->shared, id, thread) : MPROF_ERR_ARGUMENT;
}

mprof_status mprof_recorder_drain(mprof_recorder *recorder)
{
	return recorder != NULL ? control_request_round(&recorder->shared, NULL) : MPROF_ERR_ARGUMENT;
}

static void stop_thread(mprof_thread *thread, uint64_t counter)
{
	uint32_t special = atomic_load_explicit(&thread->special, memory_order_relaxed);

	/* If the thread has not recorded the last gap yet, that gap continues. */
	if ((special & SPECIAL_GAP) == 0)
		atomic_store_explicit(&thread->stopped, counter, memory_order_relaxed);
	/* Release: pairs with the acquire in may_record(), which then sees the counter above. */
	atomic_fetch_or_explicit(&thread->special, SPECIAL_OFF | SPECIAL_GAP, memory_order_release);
}

static void resume_thread(mprof_thread *thread)
{
	/* Release: the owner may see only this change of the two, and needs the counter at which the gap started. */
	atomic_fetch_and_explicit(&thread->special, ~(uint32_t)SPECIAL_OFF, memory_order_release);
}

mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled)
{
	WITHOUT_CANCELLATION;
	uint64_t counter;

	if (recorder == NULL || (enabled != 0 && enabled != 1))
		return MPROF_ERR_ARGUMENT;
	if (atomic_load_explicit(&recorder->shared.closing, memory_order_acquire) ||
	    recorder_in_child(&recorder->shared))
		return MPROF_ERR_STATE;
	if (recorder_failure(&recorder->shared) != MPROF_OK)
		return recorder_failure(&recorder->shared);
	counter = counter_read(&recorder->shared.counter);
	pthread_mutex_lock(&recorder->shared.threads_lock);
	if (atomic_exchange_explicit(&recorder->shared.enabled, enabled, memory_order_relaxed) != enabled) {
		for (mprof_thread *thread = recorder->shared.threads; thread != NULL; thread = thread->next) {
			if (enabled)
				resume_thread(thread);
			else
				stop_thread(thread, counter);
		}
	}
	pthread_mutex_unlock(&recorder->shared.threads_lock);
	return MPROF_OK;
}

int mprof_recorder_is_enabled(const mprof_recorder *recorder)
{
	return recorder != NULL && atomic_load_explicit(&recorder->shared.enabled, memory_order_relaxed) &&
	       !atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) &&
	       recorder_failure(&recorder->shared) == MPROF_OK && !recorder_in_child(&recorder->shared);
}

uint64_t mprof_recorder_read_counter(const mprof_recorder *recorder)
{
	return recorder != NULL ? counter_read(&recorder->shared.counter) : 0;
}

mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats)
{
	WITHOUT_CANCELLATION;
	mprof_recorder_stats copy;

	if (recorder == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(&recorder->shared)) {
		/* Not locked in a child: a thread that the child does not have may hold the lock. */
		memset(&copy, 0, sizeof(copy));
		return struct_copy_out(stats, &copy, sizeof(copy));
	}
	pthread_mutex_lock(&recorder->shared.state_lock);
	copy = recorder->shared.stats;
	pthread_mutex_unlock(&recorder->shared.state_lock);
	copy.waits = atomic_load_explicit(&recorder->shared.waits, memory_order_relaxed);
	copy.cut_texts = atomic_load_explicit(&recorder->shared.cut_texts, memory_order_relaxed);
	copy.buffers = buffer_pool_created(&recorder->shared.pool);
	pthread_mutex_lock(&recorder->shared.threads_lock);
	copy.threads = recorder->shared.next_serial;
	pthread_mutex_unlock(&recorder->shared.threads_lock);
	return struct_copy_out(stats, &copy, sizeof(copy));
}

mprof_status mprof_recorder_get_writer_stats(mprof_recorder *recorder, mprof_writer_stats *stats)
{
	WITHOUT_CANCELLATION;
	mprof_writer_stats copy;

	if (recorder == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	if (!recorder_in_child(&recorder->shared)) {
		pthread_mutex_lock(&recorder->shared.state_lock);
		copy = recorder->shared.log_stats;
		pthread_mutex_unlock(&recorder->shared.state_lock);
	}
	return struct_copy_out(stats, &copy, sizeof(copy));
}

/* Relaxed: a sample taken while this changes may be recorded or not. */
static int takes_samples(mprof_recorder *recorder)
{
	return recorder != NULL && atomic_load_explicit(&recorder->shared.enabled, memory_order_relaxed) &&
	       !atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) &&
	       !recorder_in_child(&recorder->shared);
}

/* Records a sample; \p kind is NULL if it has none. */
static int put_sample(recorder_shared *shared, uint64_t thread, uint64_t counter, const mprof_frame *frames,
		      size_t count, const sample_of_kind *kind)
{
	const int is_truncated = count > MPROF_STACK_MAX;
	sample_record *record;
	int is_filling;

	if (is_truncated)
		count = MPROF_STACK_MAX;
	record = sample_store_claim(&shared->samples, count + (kind != NULL ? SAMPLE_KIND_WORDS : 0), &is_filling);
	if (record == NULL)
		return 0;
	record->thread = thread;
	record->counter = counter;
	if (count > 0)
		memcpy(record->frames, frames, count * sizeof(*frames));
	if (is_truncated)
		record->frames[count - 1] = MPROF_FRAME_TRUNCATED;
	if (kind != NULL)
		sample_set_kind(record, kind);
	sample_store_commit(&shared->samples, record);
	if (is_filling)
		sem_post(&shared->work);
	return 1;
}

int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames, size_t count)
{
	const int saved_errno = errno;
	int is_recorded;

	if (frames == NULL || count == 0 || !takes_samples(recorder))
		return 0;
	is_recorded =
		put_sample(&recorder->shared, thread, counter_read(&recorder->shared.counter), frames, count, NULL);
	errno = saved_errno;
	return is_recorded;
}

int mprof_recorder_record_typed_sample(mprof_recorder *recorder, const mprof_sample *sample)
{
	const int saved_errno = errno;
	const known_type *type;
	sample_of_kind kind;
	mprof_sample filled;
	int is_recorded;

	if (sample == NULL || struct_copy_in(&filled, sample, sizeof(filled)) != MPROF_OK ||
	    (filled.frames == NULL && filled.frame_count > 0) || filled.reserved != 0 || !takes_samples(recorder))
		return 0;
	type = known_types_find(&recorder->shared.types, filled.type);
	if (type == NULL || type->sample_layout == 0)
		return 0;
	kind = (sample_of_kind){filled.type, type->sample_layout, filled.weight, filled.cpu, filled.mode};
	is_recorded = put_sample(&recorder->shared, filled.thread,
				 filled.counter != 0 ? filled.counter : counter_read(&recorder->shared.counter),
				 filled.frames, filled.frame_count, &kind);
	errno = saved_errno;
	return is_recorded;
}

static int compare_ranges(const void *a, const void *b)
{
	const mprof_key_range *left = a;
	const mprof_key_range *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* Sorts ranges and merges overlapping ones. Returns how many are left. */
static size_t sort_ranges(mprof_key_range *ranges, size_t count)
{
	size_t kept = 0;

	sort_in_place(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || ranges[i].first > ranges[kept - 1].last)
			ranges[kept++] = ranges[i];
		else if (ranges[i].last > ranges[kept - 1].last)
			ranges[kept - 1].last = ranges[i].last;
	}
	return kept;
}

static mprof_status request_many(recorder_shared *shared, const mprof_key_range *ranges, size_t count)
{
	mprof_key_range *sorted;
	retire_request request = {0};
	size_t size;
	mprof_status status;

	if (!checked_multiply(count, sizeof(*sorted), &size))
		return MPROF_ERR_ARGUMENT;
	sorted = allocator_allocate(&shared->allocator, size);
	if (sorted == NULL)
		return MPROF_ERR_MEMORY;
	memcpy(sorted, ranges, size);
	request.ranges = sorted;
	request.count = sort_ranges(sorted, count);
	status = control_request_round(shared, &request);
	allocator_release(&shared->allocator, sorted, size);
	return status;
}

static mprof_status request_retirement(recorder_shared *shared, const mprof_key_range *ranges, size_t count)
{
	retire_request request = {NULL, ranges, count, 0};

	for (size_t i = 0; i < count; i++) {
		if (ranges[i].first > ranges[i].last)
			return MPROF_ERR_ARGUMENT;
	}
	return count > 1 ? request_many(shared, ranges, count) : control_request_round(shared, &request);
}

mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges, size_t range_size,
					size_t count)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, ranges, range_size, count,
				      SIZE_UP_TO(mprof_key_range, last), sizeof(mprof_key_range));
	if (status == MPROF_OK)
		status = request_retirement(&recorder->shared, list.elements, count);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

/* Whether the list of modules may be used. */
static int follows_modules(const recorder_shared *shared)
{
	return !atomic_load_explicit(&shared->closing, memory_order_acquire) && !recorder_in_child(shared);
}

mprof_status mprof_recorder_update_modules(mprof_recorder *recorder)
{
	/* A thread that was cancelled while it looks at files would never release the lock. */
	WITHOUT_CANCELLATION;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!follows_modules(&recorder->shared))
		return MPROF_ERR_STATE;
	return native_modules_follow(&recorder->drain.stacks.code.modules) ? MPROF_OK : MPROF_ERR_MEMORY;
}

mprof_status mprof_recorder_get_function_key(mprof_recorder *recorder, uint64_t address, mprof_key *key,
					     uint64_t *first, uint64_t *last)
{
	WITHOUT_CANCELLATION;

	if (recorder == NULL || key == NULL || first == NULL || last == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!follows_modules(&recorder->shared) || recorder->drain.keys.functions == NULL)
		return MPROF_ERR_STATE;
	return native_modules_find_key(&recorder->drain.stacks.code.modules, address, key, first, last)
		       ? MPROF_OK
		       : MPROF_ERR_MEMORY;
}

mprof_status mprof_recorder_get_function_name(mprof_recorder *recorder, mprof_key key, const char **name,
					      const char **module)
{
	WITHOUT_CANCELLATION;

	if (recorder == NULL || name == NULL || module == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!follows_modules(&recorder->shared) || recorder->drain.keys.functions == NULL)
		return MPROF_ERR_STATE;
	native_modules_name_key(&recorder->drain.stacks.code.modules, key, module, name);
	return MPROF_OK;
}

static mprof_status fail_dump(mprof_error *error, mprof_status status, int system_error, const char *what)
{
	if (error != NULL) {
		error_set(error, status, MPROF_SEVERITY_FATAL, what);
		error->system_error = system_error;
	}
	return status;
}

/* Writes the log to a new file, which no other program opens yet, and closes it. Returns 0 or an errno value. */
static int write_file(mprof_recorder *recorder, int fd, uint32_t gzip_level)
{
	log_sink sink;
	mprof_clock now;
	int closed;
	int error = sink_descriptor_adopt(&sink, &recorder->control.ring->allocator, fd);

	if (error != 0)
		return error;
	if (gzip_level > 0)
		error = sink_gzip_add(&sink, gzip_level);
	recorder_read_clock(&recorder->shared, &now);
	if (error == 0)
		error = block_ring_write(recorder->control.ring, &sink, &now);
	if (error == 0)
		error = sink_finish(&sink);
	closed = sink_close(&sink);
	return error != 0 ? error : closed;
}

static mprof_status dump_ring(mprof_recorder *recorder, const char *path, uint32_t gzip_level, mprof_error *error)
{
	size_t size = strlen(path) + LOG_FILE_SUFFIX_SIZE;
	char *unfinished = allocator_allocate(&recorder->shared.allocator, size);
	int fd;
	int failure;

	if (unfinished == NULL)
		return fail_dump(error, MPROF_ERR_MEMORY, 0, "out of memory for the name of the file");
	failure = log_file_create_beside(path, recorder->control.file_mode, unfinished, size, &fd);
	if (failure == 0) {
		failure = write_file(recorder, fd, gzip_level);
		if (failure == 0 && rename(unfinished, path) != 0)
			failure = errno;
		if (failure != 0)
			unlink(unfinished);
	}
	allocator_release(&recorder->shared.allocator, unfinished, size);
	if (failure == ENOMEM)
		return fail_dump(error, MPROF_ERR_MEMORY, 0, "out of memory for writing the ring buffer");
	return failure == 0 ? MPROF_OK
			    : fail_dump(error, MPROF_ERR_IO, failure, "cannot write the ring buffer to the file");
}

mprof_status mprof_recorder_dump_path(mprof_recorder *recorder, const char *path, uint32_t gzip_level,
				      mprof_error *error)
{
	WITHOUT_CANCELLATION;
	int saved_errno = errno;
	mprof_status status;

	if (recorder == NULL || path == NULL || gzip_level > 9)
		return fail_dump(error, MPROF_ERR_ARGUMENT, 0, "the path is NULL, or gzip_level is above 9");
	if (recorder_in_child(&recorder->shared) || recorder->control.ring == NULL)
		return fail_dump(error, MPROF_ERR_STATE, 0,
				 "the recorder has no ring buffer: open it with mprof_recorder_open_ring()");
	if (recorder_on_own_thread(&recorder->shared))
		return fail_dump(error, MPROF_ERR_STATE, 0,
				 "mprof_recorder_dump_path() called on a thread of the recorder");
	if (gzip_level > 0 && !sink_gzip_is_available())
		return fail_dump(error, MPROF_ERR_UNSUPPORTED, 0, "this build of the library cannot compress");
	/* A closed recorder has drained everything; one that has failed keeps what it has. */
	(void)mprof_recorder_drain(recorder);
	pthread_mutex_lock(&recorder->control.dump_lock);
	status = dump_ring(recorder, path, gzip_level, error);
	pthread_mutex_unlock(&recorder->control.dump_lock);
	if (status == MPROF_OK && atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed))
		salvage_finish(&recorder->shared.salvage);
	errno = saved_errno;
	return status;
}
