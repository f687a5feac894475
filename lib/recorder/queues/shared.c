/* SPDX-License-Identifier: MIT */
/* What the threads of a recorder share. */
#include "recorder/queues/shared.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>

/* As in linux/futex.h, which is not where musl finds its headers. */
#define FUTEX_WAIT_PRIVATE (0 | 128)
#define FUTEX_WAKE_PRIVATE (1 | 128)
#endif

/* Async-signal-safe. */
static inline int fork_guard_is_child(const fork_guard *guard)
{
	return guard->page != NULL ? *guard->page == 0 : getpid() != guard->process;
}

#ifdef MADV_WIPEONFORK

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *make_page(void)
{
	unsigned char *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, page_size(), MADV_WIPEONFORK) == 0) {
		*page = 1;
		return page;
	}
	munmap(page, page_size());
	return NULL;
}

#endif

void fork_guard_init(fork_guard *guard)
{
	guard->process = getpid();
	guard->page = NULL;
#ifdef MADV_WIPEONFORK
	guard->page = make_page();
#endif
}

void fork_guard_destroy(fork_guard *guard)
{
#ifdef MADV_WIPEONFORK
	if (guard->page != NULL)
		munmap((void *)(uintptr_t)guard->page, page_size());
#endif
	guard->page = NULL;
}

/*
 * How long a thread waits for the writer thread while the writer thread may be waiting for it. Much longer than a
 * runnable thread waits for a processor on a busy machine: otherwise events would be lost although nothing is blocked.
 */
#define PATIENCE_NS 300000000

#if defined(__linux__)

static int wait_point_init(wait_point *point)
{
	atomic_init(&point->wakes, 0);
	return 1;
}

static void wait_point_destroy(wait_point *point)
{
	(void)point;
}

int wait_point_wait(wait_point *point, pthread_mutex_t *lock, long nanoseconds)
{
	/* The kernel's own timespec, whatever time_t of the C library is. */
	const long span[2] = {0, nanoseconds};
	const uint32_t wakes = atomic_load_explicit(&point->wakes, memory_order_relaxed);
	const int saved_errno = errno;
	int is_over;

	pthread_mutex_unlock(lock);
	is_over = syscall(SYS_futex, &point->wakes, FUTEX_WAIT_PRIVATE, wakes, nanoseconds != 0 ? span : NULL, NULL,
			  0) != 0 &&
		  errno == ETIMEDOUT;
	pthread_mutex_lock(lock);
	errno = saved_errno;
	return !is_over;
}

void wait_point_wake(wait_point *point)
{
	const int saved_errno = errno;

	atomic_fetch_add_explicit(&point->wakes, 1, memory_order_relaxed);
	(void)syscall(SYS_futex, &point->wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved_errno;
}

#else

static int wait_point_init(wait_point *point)
{
	return pthread_cond_init(&point->condition, NULL) == 0;
}

static void wait_point_destroy(wait_point *point)
{
	pthread_cond_destroy(&point->condition);
}

int wait_point_wait(wait_point *point, pthread_mutex_t *lock, long nanoseconds)
{
	struct timespec until;

	if (nanoseconds == 0) {
		pthread_cond_wait(&point->condition, lock);
		return 1;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += nanoseconds;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return pthread_cond_timedwait(&point->condition, lock, &until) != ETIMEDOUT;
}

void wait_point_wake(wait_point *point)
{
	pthread_cond_broadcast(&point->condition);
}

#endif

int recorder_init_locks(recorder_shared *shared)
{
	return sem_init(&shared->work, 0, 0) == 0 && pthread_mutex_init(&shared->wait_lock, NULL) == 0 &&
	       wait_point_init(&shared->buffers_free) && wait_point_init(&shared->room_free) &&
	       pthread_mutex_init(&shared->threads_lock, NULL) == 0 &&
	       pthread_mutex_init(&shared->state_lock, NULL) == 0 && wait_point_init(&shared->drained);
}

void recorder_destroy_locks(recorder_shared *shared)
{
	sem_destroy(&shared->work);
	pthread_mutex_destroy(&shared->wait_lock);
	wait_point_destroy(&shared->buffers_free);
	wait_point_destroy(&shared->room_free);
	pthread_mutex_destroy(&shared->threads_lock);
	pthread_mutex_destroy(&shared->state_lock);
	wait_point_destroy(&shared->drained);
}

int recorder_in_child(const recorder_shared *shared)
{
	return fork_guard_is_child(&shared->origin);
}

/* Replaces the first \p before in recorder_shared::own_threads. */
static void replace_own_thread(recorder_shared *shared, pthread_t before, pthread_t after)
{
	int is_replaced = 0;

	for (size_t i = 0; i < MAX_OWN_THREADS && !is_replaced; i++) {
		pthread_t expected = before;

		is_replaced = atomic_compare_exchange_strong_explicit(&shared->own_threads[i], &expected, after,
								      memory_order_relaxed, memory_order_relaxed);
	}
}

void recorder_begin_own_thread(recorder_shared *shared)
{
	replace_own_thread(shared, (pthread_t)0, pthread_self());
}

/* Another thread may get the same value of pthread_self() after this one has ended. */
void recorder_end_own_thread(recorder_shared *shared)
{
	replace_own_thread(shared, pthread_self(), (pthread_t)0);
}

int recorder_on_own_thread(const recorder_shared *shared)
{
	for (size_t i = 0; i < MAX_OWN_THREADS; i++) {
		if (atomic_load_explicit(&shared->own_threads[i], memory_order_relaxed) == pthread_self())
			return 1;
	}
	return 0;
}

int recorder_name_is_writable(const recorder_shared *shared, const char *name, size_t length)
{
	return length <= shared->max_name_length && (length == 0 || memchr(name, '\0', length) == NULL);
}

void recorder_read_clock(void *user, mprof_clock *now)
{
	const recorder_shared *shared = user;
	struct timespec wall;

	now->counter = counter_read(&shared->counter) >> shared->counter.log_shift;
	clock_gettime(CLOCK_REALTIME, &wall);
	now->time = (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

mprof_thread *recorder_threads(recorder_shared *shared)
{
	mprof_thread *newest;

	pthread_mutex_lock(&shared->threads_lock);
	newest = shared->threads;
	pthread_mutex_unlock(&shared->threads_lock);
	return newest;
}

void recorder_wake_waiting(recorder_shared *shared)
{
	atomic_store_explicit(&shared->given_back, 0, memory_order_relaxed);
	if (atomic_load(&shared->waiting) == 0)
		return;
	pthread_mutex_lock(&shared->wait_lock);
	wait_point_wake(&shared->buffers_free);
	pthread_mutex_unlock(&shared->wait_lock);
}

void recorder_give_back(recorder_shared *shared, event_buffer *buffer)
{
	buffer_pool_give(&shared->pool, buffer);
	/* Without waiting threads, the count does not matter: one that begins to wait has found the pool empty. */
	if (atomic_load(&shared->waiting) != 0 &&
	    atomic_fetch_add_explicit(&shared->given_back, 1, memory_order_relaxed) + 1 >= shared->wake_buffers)
		recorder_wake_waiting(shared);
}

void recorder_wake_senders(recorder_shared *shared)
{
	if (atomic_load(&shared->waiting_for_room) == 0)
		return;
	pthread_mutex_lock(&shared->wait_lock);
	wait_point_wake(&shared->room_free);
	pthread_mutex_unlock(&shared->wait_lock);
}

int recorder_wait_shortly(recorder_shared *shared, wait_point *point)
{
	return wait_point_wait(point, &shared->wait_lock, PATIENCE_NS);
}

int recorder_wait(recorder_shared *shared, wait_point *point, uint32_t blocking, uint32_t *given_up_in)
{
	if ((blocking & 1) == 0) {
		(void)wait_point_wait(point, &shared->wait_lock, 0);
		return 1;
	}
	if (*given_up_in == blocking)
		return 0;
	if (!recorder_wait_shortly(shared, point) && atomic_load(&shared->blocking) == blocking)
		*given_up_in = blocking;
	return 1;
}

void recorder_begin_blocking(recorder_shared *shared)
{
	/* Sequentially consistent, as in pop_free_buffer(): a thread that is about to wait sees this, or this thread
	 * sees it in recorder_shared::waiting. */
	atomic_fetch_add(&shared->blocking, 1);
	recorder_wake_waiting(shared);
	recorder_wake_senders(shared);
}

void recorder_end_blocking(recorder_shared *shared)
{
	atomic_fetch_add_explicit(&shared->blocking, 1, memory_order_relaxed);
}

uint32_t recorder_define_metric(recorder_shared *shared, message *definition)
{
	uint32_t metric;

	/* Under the lock, so that the log has the definitions in the order of their IDs. */
	pthread_mutex_lock(&shared->state_lock);
	metric = atomic_load_explicit(&shared->metrics_defined, memory_order_relaxed) + 1;
	definition->id = metric;
	message_queue_push(&shared->messages, definition);
	atomic_store_explicit(&shared->metrics_defined, metric, memory_order_release);
	pthread_mutex_unlock(&shared->state_lock);
	return metric;
}
