/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/thread.c
 * \brief The side of the threads that record: attach, the hot path, buffers changing hands, detach.
 */
#include "recorder/recorder_internal.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* Kinds by what their subject is; others cannot be recorded this way. */
#define BIT(kind) (UINT64_C(1) << (kind))
#define COLLECTION_KINDS                                                                                               \
	(BIT(MPROF_EVENT_GC_START) | BIT(MPROF_EVENT_GC_END) | BIT(MPROF_EVENT_GC_MARK_START) |                        \
	 BIT(MPROF_EVENT_GC_MARK_END) | BIT(MPROF_EVENT_GC_SWEEP_START) | BIT(MPROF_EVENT_GC_SWEEP_END) |              \
	 BIT(MPROF_EVENT_GC_RESIZE) | BIT(MPROF_EVENT_GC_STOP_WORLD_START) | BIT(MPROF_EVENT_GC_STOP_WORLD_END) |      \
	 BIT(MPROF_EVENT_GC_START_WORLD_START) | BIT(MPROF_EVENT_GC_START_WORLD_END))
#define TIMED_KINDS                                                                                                    \
	(COLLECTION_KINDS | BIT(MPROF_EVENT_METHOD_ENTER) | BIT(MPROF_EVENT_METHOD_LEAVE) |                            \
	 BIT(MPROF_EVENT_METHOD_LEAVE_EXCEPTION) | BIT(MPROF_EVENT_METHOD_LEAVE_TAIL) |                                \
	 BIT(MPROF_EVENT_METHOD_JIT_START) | BIT(MPROF_EVENT_METHOD_JIT_END) | BIT(MPROF_EVENT_METHOD_FREED) |         \
	 BIT(MPROF_EVENT_CLASS_LOAD_START) | BIT(MPROF_EVENT_CLASS_LOAD_END) | BIT(MPROF_EVENT_CLASS_UNLOAD_START) |   \
	 BIT(MPROF_EVENT_CLASS_UNLOAD_END) | BIT(MPROF_EVENT_EXCEPTION) | BIT(MPROF_EVENT_THREAD_START) |              \
	 BIT(MPROF_EVENT_THREAD_END))

/* The current buffer of a thread that has none: always full, never written. */
static event_buffer buffer_none;

static uint64_t system_thread_id(void)
{
#if defined(__linux__)
	return (uint64_t)syscall(SYS_gettid);
#else
	return (uint64_t)(uintptr_t)pthread_self();
#endif
}

static void count_loss(mprof_thread *thread, mprof_loss_cause cause)
{
	/* The owner alone adds: no exchange is needed. */
	uint64_t count = atomic_load_explicit(&thread->lost[cause], memory_order_relaxed);

	atomic_store_explicit(&thread->lost[cause], count + 1, memory_order_relaxed);
}

/* Makes a buffer the thread's current one. Its tickets come in the order of the chain. */
static void adopt_buffer(mprof_thread *thread, event_buffer *buffer, uint64_t start_counter)
{
	buffer->start_counter = start_counter;
	/* Release: whoever sees the ticket sees the published count of 0 that the pool set before. */
	atomic_store_explicit(&buffer->ticket, (uint64_t)thread->serial << 32 | thread->sequence,
			      memory_order_release);
	atomic_store_explicit(&thread->current, buffer, memory_order_release);
}

/* Hands over the current buffer, which is then full or the thread's last. */
static void hand_over(mprof_thread *thread, event_buffer *buffer)
{
	mprof_recorder *recorder = thread->recorder;

	thread->sequence++;
	buffer_pool_push_full(&recorder->pool, buffer);
	sem_post(&recorder->work);
}

static event_buffer *wait_for_buffer(mprof_recorder *recorder)
{
	event_buffer *buffer;

	atomic_fetch_add_explicit(&recorder->waits, 1, memory_order_relaxed);
	pthread_mutex_lock(&recorder->wait_lock);
	/* Counted in before looking, so that the writer thread, which gives back before it reads the count, either is seen
	 * by the look or sees the count. */
	atomic_fetch_add(&recorder->waiting, 1);
	while ((buffer = buffer_pool_take(&recorder->pool)) == NULL && !atomic_load(&recorder->closing))
		pthread_cond_wait(&recorder->buffers_free, &recorder->wait_lock);
	atomic_fetch_sub(&recorder->waiting, 1);
	pthread_mutex_unlock(&recorder->wait_lock);
	return buffer;
}

/*
 * The current buffer is full, or there is none: hands it over and gets the next. NULL if the event is to be dropped.
 * start_counter is the full counter of the event at hand.
 */
__attribute__((noinline)) static event_buffer *next_buffer(mprof_thread *thread, uint64_t start_counter, int may_wait)
{
	mprof_recorder *recorder = thread->recorder;
	event_buffer *full = atomic_load_explicit(&thread->current, memory_order_relaxed);
	event_buffer *buffer = NULL;
	int saved_errno = errno;

	if (atomic_load_explicit(&recorder->closing, memory_order_relaxed) || recorder_in_child(recorder))
		return NULL;
	if (full != &buffer_none)
		hand_over(thread, full);
	buffer = buffer_pool_take(&recorder->pool);
	if (buffer == NULL) {
		/* The full one is the writer thread's now, and may become another thread's. */
		atomic_store_explicit(&thread->current, &buffer_none, memory_order_release);
		if (may_wait)
			buffer = wait_for_buffer(recorder);
	}
	if (buffer != NULL)
		adopt_buffer(thread, buffer, start_counter);
	else if (!atomic_load_explicit(&recorder->closing, memory_order_relaxed))
		count_loss(thread, MPROF_LOSS_NO_BUFFER);
	errno = saved_errno;
	return buffer;
}

static inline void publish(event_buffer *buffer, uint32_t place, uint64_t subject, uint64_t stamp)
{
	buffer->slots[place].subject = subject;
	buffer->slots[place].stamp = stamp;
	/* Release: the writer thread that sees the count sees the slot. */
	atomic_store_explicit(&buffer->published, place + 1, memory_order_release);
}

static int waits_for(const mprof_thread *thread, uint32_t code)
{
	uint32_t kind = code & (SLOT_FAILED - 1);

	return thread->recorder->overflow == MPROF_OVERFLOW_WAIT && (COLLECTION_KINDS & BIT(kind)) == 0;
}

/* The first event of a buffer. Apart, so that the common case needs no stack frame. */
__attribute__((noinline)) static void record_first(mprof_thread *thread, uint64_t subject, uint64_t counter,
						   uint64_t stamp)
{
	event_buffer *buffer = next_buffer(thread, counter, waits_for(thread, (uint32_t)stamp & 0xff));

	if (buffer != NULL)
		publish(buffer, 0, subject, stamp);
}

static inline void record_at(mprof_thread *thread, uint64_t subject, uint64_t counter, uint32_t code)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t place = atomic_load_explicit(&buffer->published, memory_order_relaxed);

	if (__builtin_expect(place != buffer->capacity, 1))
		publish(buffer, place, subject, SLOT_STAMP(counter, code));
	else
		record_first(thread, subject, counter, SLOT_STAMP(counter, code));
}

__attribute__((noinline)) static void record_by_function(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	record_at(thread, subject, thread->counter.read(thread->counter.user), code);
}

static inline void record_timed(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	if (__builtin_expect(thread->counter.read == NULL, 1))
		record_at(thread, subject, counter_read_register() >> thread->counter.shift, code);
	else
		record_by_function(thread, subject, code);
}

void mprof_thread_method_enter(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_ENTER);
}

void mprof_thread_method_leave(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_LEAVE);
}

void mprof_thread_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t place = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	uint64_t stamp = SLOT_STAMP(size, MPROF_EVENT_ALLOCATION);

	if (__builtin_expect(place != buffer->capacity, 1))
		publish(buffer, place, class_key, stamp);
	else
		record_first(thread, class_key, counter_read(&thread->counter), stamp);
}

void mprof_thread_event(mprof_thread *thread, mprof_event_kind kind, uint32_t flags, uint64_t subject)
{
	uint32_t code = (uint32_t)kind | ((flags & MPROF_EVENT_FAILED) != 0 ? SLOT_FAILED : 0);

	if ((uint32_t)kind >= MPROF_EVENT_KIND_COUNT || (TIMED_KINDS & BIT(kind)) == 0)
		return;
	record_timed(thread, subject, code);
}

uint64_t mprof_thread_id(const mprof_thread *thread)
{
	return thread->id;
}

static void thread_init(mprof_thread *thread, mprof_recorder *recorder, uint64_t id)
{
	thread->recorder = recorder;
	thread->counter = recorder->counter;
	thread->id = id != 0 ? id : system_thread_id();
	thread->last_counter = counter_read(&recorder->counter);
	atomic_init(&thread->current, &buffer_none);
}

mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id, mprof_thread **thread)
{
	mprof_thread *attached;
	event_buffer *buffer;

	if (thread == NULL)
		return MPROF_ERR_ARGUMENT;
	*thread = NULL;
	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (atomic_load_explicit(&recorder->closing, memory_order_acquire) || recorder_in_child(recorder))
		return MPROF_ERR_STATE;
	attached = allocator_allocate_zeroed(&recorder->allocator, sizeof(*attached));
	if (attached == NULL)
		return MPROF_ERR_MEMORY;
	thread_init(attached, recorder, id);
	buffer_pool_add_thread(&recorder->pool);
	buffer = buffer_pool_take(&recorder->pool);

	pthread_mutex_lock(&recorder->threads_lock);
	attached->serial = ++recorder->next_serial;
	if (buffer != NULL)
		adopt_buffer(attached, buffer, attached->last_counter);
	attached->next = recorder->threads;
	recorder->threads = attached;
	pthread_mutex_unlock(&recorder->threads_lock);
	*thread = attached;
	return MPROF_OK;
}

void mprof_recorder_detach(mprof_thread *thread)
{
	event_buffer *buffer;

	if (thread == NULL || recorder_in_child(thread->recorder))
		return;
	buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	if (buffer != &buffer_none &&
	    !atomic_load_explicit(&thread->recorder->closing, memory_order_relaxed)) {
		hand_over(thread, buffer);
		atomic_store_explicit(&thread->current, &buffer_none, memory_order_release);
	}
	/* Release: the writer thread that sees it sees the buffer handed over. It may free the handle from here on. */
	atomic_store_explicit(&thread->detached, 1, memory_order_release);
}

void thread_release(mprof_recorder *recorder, mprof_thread *thread)
{
	buffer_pool_remove_thread(&recorder->pool);
	leave_stack_destroy(&thread->stack, &recorder->allocator);
	allocator_release(&recorder->allocator, thread, sizeof(*thread));
}
