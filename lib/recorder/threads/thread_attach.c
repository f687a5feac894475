/* SPDX-License-Identifier: MIT */
/* Attaches and detaches recording threads, and reads their times and context switches from the system. */
#include "recorder/threads/thread_attach.h"

#include "base/cancellation.h"
#include "base/hash_map.h"
#include "recorder/system/proc_file.h"

#include <string.h>

#if defined(__linux__)
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif

/*
 * What the system counts for threads.
 */

#if defined(__linux__)

/*
 * The processor time of any thread of the process, as in the kernel's clockid_t: the inverted ID of the thread, the
 * type of the clock (2: as the scheduler counts), and whether it is that of one thread (4).
 */
#define THREAD_CPU_CLOCK(id) ((clockid_t)(~(uint32_t)(id) << 3 | 2 | 4))

/* The system's ID of the calling thread; 0 if the system has none that other threads can use. */
static uint32_t thread_clock_own_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

static void set_value(thread_clock *clock, thread_metric metric, uint64_t value)
{
	clock->values[metric] = value;
	clock->available |= UINT32_C(1) << metric;
}

/* Reads the second number in schedstat, which contains the processor time, the time spent ready, and a count. */
static void read_ready(uint32_t id, thread_clock *clock)
{
	char path[64];
	char text[96];
	char *end;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", (unsigned)id);
	if (!proc_file_read(path, text, sizeof(text)))
		return;
	end = strchr(text, ' ');
	if (end != NULL)
		set_value(clock, THREAD_READY_TIME, strtoull(end, NULL, 10));
}

static void read_switch_line(const char *text, const char *key, thread_metric metric, thread_clock *clock)
{
	const char *line = strstr(text, key);

	if (line != NULL)
		set_value(clock, metric, strtoull(line + strlen(key), NULL, 10));
}

/*
 * For other threads the system has only a text, whose last lines contain the numbers. Not inlined: the stack of a
 * thread that asks for its own may be small.
 */
__attribute__((noinline)) static void read_other_switches(uint32_t id, thread_clock *clock)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/self/task/%u/status", (unsigned)id);
	if (!proc_file_read(path, text, sizeof(text)))
		return;
	read_switch_line(text, "\nvoluntary_ctxt_switches:", THREAD_YIELDS, clock);
	read_switch_line(text, "\nnonvoluntary_ctxt_switches:", THREAD_PREEMPTIONS, clock);
}

/* The calling thread asks the system. */
static void read_switches(uint32_t id, thread_clock *clock)
{
	struct rusage usage;

	if (id == thread_clock_own_id()) {
		if (getrusage(RUSAGE_THREAD, &usage) == 0) {
			set_value(clock, THREAD_YIELDS, (uint64_t)usage.ru_nvcsw);
			set_value(clock, THREAD_PREEMPTIONS, (uint64_t)usage.ru_nivcsw);
		}
		return;
	}
	read_other_switches(id, clock);
}

int thread_clock_read(uint32_t id, thread_clock *clock)
{
	int saved_errno = errno;
	struct timespec cpu;
	struct timespec wall;

	memset(clock, 0, sizeof(*clock));
	if (id == 0 || clock_gettime(THREAD_CPU_CLOCK(id), &cpu) != 0 || clock_gettime(CLOCK_MONOTONIC, &wall) != 0) {
		errno = saved_errno;
		return 0;
	}
	set_value(clock, THREAD_CPU_TIME, nanoseconds(&cpu));
	set_value(clock, THREAD_WALL_TIME, nanoseconds(&wall));
	read_ready(id, clock);
	read_switches(id, clock);
	errno = saved_errno;
	return 1;
}

#else

/* The system's ID of the calling thread; 0 if the system has none that other threads can use. */
static uint32_t thread_clock_own_id(void)
{
	return 0;
}

int thread_clock_read(uint32_t id, thread_clock *clock)
{
	(void)id;
	memset(clock, 0, sizeof(*clock));
	return 0;
}

#endif

/*
 * Notes that the calling thread was attached under an ID. Its times are counted only if that is its system ID, since
 * clients also attach handles for events that belong to no thread.
 */
static void attached_times_begin(attached_times *times, uint64_t id)
{
	times->system_id = thread_clock_own_id();
	times->is_counted = id == times->system_id && thread_clock_read(times->system_id, &times->begin);
}

/* Notes that the thread is about to be detached. */
static void attached_times_end(attached_times *times)
{
	if (!times->is_counted)
		return;
	/* Pairs with the load in read_times(). */
	atomic_store_explicit(&times->is_ending, 1, memory_order_seq_cst);
	/* If the thread has ended, nothing is available, and the times that were written before remain. */
	(void)thread_clock_read(times->system_id, &times->end);
}

/*
 * Handles.
 */

/* The system's ID of the calling thread. */
static uint64_t system_thread_id(void)
{
#if defined(__linux__)
	return (uint64_t)syscall(SYS_gettid);
#else
	return (uint64_t)(uintptr_t)pthread_self();
#endif
}

/* Size of a handle, with room to align it. */
#define THREAD_MEMORY (sizeof(mprof_thread) + CACHE_LINE)

/*
 * Creates a handle aligned to a cache line, which the allocator need not provide. Returns NULL if there is no memory.
 */
static mprof_thread *thread_create(recorder_shared *shared, uint64_t id)
{
	char *memory = allocator_allocate_zeroed(&shared->allocator, THREAD_MEMORY);
	mprof_thread *thread;

	if (memory == NULL)
		return NULL;
	thread = (mprof_thread *)(void *)(memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE);
	thread->memory = memory;
	thread->shared = shared;
	thread->counter = shared->counter;
	thread->detail = shared->detail;
	thread->id = id != 0 ? id : system_thread_id();
	thread->drain.last_counter = counter_read(&shared->counter);
	thread->bound.counter = thread->drain.last_counter;
	thread->lost = thread->own_lost;
	thread->salvaged = salvage_thread_create(&shared->salvage, thread->id);
	if (thread->salvaged != NULL)
		thread->lost = thread->salvaged->lost;
	atomic_init(&thread->current, &thread_no_buffer);
	atomic_init(&thread->special, thread->counter.read != NULL ? SPECIAL_COUNTER : 0);
	atomic_init(&thread->stopped, thread->drain.last_counter);
	return thread;
}

static mprof_thread **list_by_id(recorder_shared *shared, uint64_t id)
{
	return &shared->threads_by_id[hash_mix(0, id) & (THREAD_LISTS - 1)];
}

/* The newest handle with an ID that is still on the list, or NULL. Under threads_lock. */
static const mprof_thread *find_thread(recorder_shared *shared, uint64_t id)
{
	const mprof_thread *thread = *list_by_id(shared, id);

	while (thread != NULL && thread->id != id)
		thread = thread->next_by_id;
	return thread;
}

void thread_remove_by_id(mprof_thread *thread)
{
	mprof_thread **link = list_by_id(thread->shared, thread->id);

	while (*link != NULL && *link != thread)
		link = &(*link)->next_by_id;
	if (*link != NULL)
		*link = thread->next_by_id;
}

/* Adds a thread to the list, with its first buffer. Returns 0 if an attached thread has its ID. */
static int add_to_list(recorder_shared *shared, mprof_thread *attached)
{
	const mprof_thread *before;
	event_buffer *buffer;

	pthread_mutex_lock(&shared->threads_lock);
	before = find_thread(shared, attached->id);
	/* Acquire: everything recorded under the ID was handed over, so the writer thread can drain it first. */
	if (before != NULL && !atomic_load_explicit(&before->detached, memory_order_acquire)) {
		pthread_mutex_unlock(&shared->threads_lock);
		return 0;
	}
	attached->drain.follows_another = before != NULL;
	buffer_pool_add_thread(&shared->pool);
	buffer = buffer_pool_take(&shared->pool, 0);
	attached->serial = ++shared->next_serial;
	if (attached->salvaged != NULL)
		salvage_thread_publish(attached->salvaged, attached->serial);
	if (buffer != NULL)
		thread_adopt_buffer(attached, buffer, attached->drain.last_counter);
	if (!atomic_load_explicit(&shared->enabled, memory_order_relaxed))
		atomic_fetch_or_explicit(&attached->special, SPECIAL_OFF | SPECIAL_GAP, memory_order_relaxed);
	attached->next = shared->threads;
	shared->threads = attached;
	attached->next_by_id = *list_by_id(shared, attached->id);
	*list_by_id(shared, attached->id) = attached;
	pthread_mutex_unlock(&shared->threads_lock);
	return 1;
}

mprof_status thread_attach(recorder_shared *shared, uint64_t id, mprof_thread **thread)
{
	mprof_thread *attached;

	if (atomic_load_explicit(&shared->closing, memory_order_acquire) || recorder_in_child(shared) ||
	    recorder_on_own_thread(shared))
		return MPROF_ERR_STATE;
	attached = thread_create(shared, id);
	if (attached == NULL)
		return MPROF_ERR_MEMORY;
	if (shared->records_thread_times)
		attached_times_begin(&attached->times, attached->id);
	if (!add_to_list(shared, attached)) {
		salvage_thread_release(&shared->salvage, attached->salvaged);
		allocator_release(&shared->allocator, attached->memory, THREAD_MEMORY);
		return MPROF_ERR_STATE;
	}
	*thread = attached;
	return MPROF_OK;
}

void mprof_thread_detach(mprof_thread *thread)
{
	WITHOUT_CANCELLATION;
	event_buffer *buffer;

	if (thread == NULL || recorder_in_child(thread->shared))
		return;
	/* The next handle with its ID begins on its own stack, so the log needs the switch back. */
	if (thread->running != 0)
		(void)mprof_thread_switch_stack(thread, 0);
	buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	if (buffer != &thread_no_buffer && !atomic_load_explicit(&thread->shared->closing, memory_order_relaxed)) {
		thread_hand_over(thread, buffer);
		atomic_store_explicit(&thread->current, &thread_no_buffer, memory_order_release);
	}
	attached_times_end(&thread->times);
	/*
	 * Release: a writer thread that sees it also sees the buffer in the list. It may free the handle from here on.
	 */
	atomic_store_explicit(&thread->detached, 1, memory_order_release);
}

mprof_thread *thread_recover(recorder_shared *shared, uint64_t id, uint32_t serial, uint32_t first_sequence,
			     uint32_t end_sequence)
{
	mprof_thread *thread = thread_create(shared, id);

	if (thread == NULL)
		return NULL;
	thread->id = id;
	thread->serial = serial;
	thread->sequence = end_sequence;
	thread->drain.next_sequence = first_sequence;
	atomic_store_explicit(&thread->detached, 1, memory_order_relaxed);
	buffer_pool_add_thread(&shared->pool);
	thread->next = shared->threads;
	shared->threads = thread;
	return thread;
}

void thread_release(mprof_thread *thread)
{
	recorder_shared *shared = thread->shared;

	buffer_pool_remove_thread(&shared->pool);
	salvage_thread_release(&shared->salvage, thread->salvaged);
	switches_leave(&thread->drain.stacks, thread->drain.last_counter);
	shadow_stack_destroy(&thread->drain.stacks.initial, &shared->allocator);
	stack_memory_destroy(&thread->drain.last_stack, &shared->allocator);
	allocator_release(&shared->allocator, thread->memory, THREAD_MEMORY);
}
