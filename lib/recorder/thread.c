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
/* Recorded even while recording is stopped. */
#define ALWAYS_KINDS (BIT(MPROF_EVENT_THREAD_START) | BIT(MPROF_EVENT_THREAD_END))
#define TIMED_KINDS                                                                                                    \
	(COLLECTION_KINDS | BIT(MPROF_EVENT_METHOD_ENTER) | BIT(MPROF_EVENT_METHOD_LEAVE) |                            \
	 BIT(MPROF_EVENT_METHOD_LEAVE_EXCEPTION) | BIT(MPROF_EVENT_METHOD_LEAVE_TAIL) |                                \
	 BIT(MPROF_EVENT_METHOD_JIT_START) | BIT(MPROF_EVENT_METHOD_JIT_END) | BIT(MPROF_EVENT_METHOD_FREED) |         \
	 BIT(MPROF_EVENT_CLASS_LOAD_START) | BIT(MPROF_EVENT_CLASS_LOAD_END) | BIT(MPROF_EVENT_CLASS_UNLOAD_START) |   \
	 BIT(MPROF_EVENT_CLASS_UNLOAD_END) | BIT(MPROF_EVENT_EXCEPTION) | ALWAYS_KINDS |                               \
	 BIT(MPROF_EVENT_FINALIZATION_START) | BIT(MPROF_EVENT_FINALIZATION_END))

_Static_assert(MPROF_EVENT_KIND_COUNT <= SLOT_KIND_MASK + 1, "a kind fits the slot code");

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
	if (buffer_pool_push_full(&recorder->pool, buffer))
		sem_post(&recorder->work);
}

static event_buffer *wait_for_buffer(mprof_recorder *recorder)
{
	event_buffer *buffer;

	atomic_fetch_add_explicit(&recorder->waits, 1, memory_order_relaxed);
	pthread_mutex_lock(&recorder->wait_lock);
	/* Counted in before looking, so that the writer thread, which gives back before it reads the count, either is
	 * seen by the look or sees the count. */
	atomic_fetch_add(&recorder->waiting, 1);
	/* There may be too few full ones for it to have been woken. */
	sem_post(&recorder->work);
	while ((buffer = buffer_pool_take(&recorder->pool)) == NULL && !atomic_load(&recorder->closing))
		pthread_cond_wait(&recorder->buffers_free, &recorder->wait_lock);
	atomic_fetch_sub(&recorder->waiting, 1);
	pthread_mutex_unlock(&recorder->wait_lock);
	return buffer;
}

/*
 * The current buffer has no room left, or there is none: hands it over and gets the next. NULL if the event is to be
 * dropped. start_counter is the full counter of the event at hand.
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
	uint32_t kind = code & SLOT_KIND_MASK;

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

/* A buffer with room for so many slots, or NULL if the event is to be dropped. */
static event_buffer *buffer_with_room(mprof_thread *thread, uint32_t slots, uint64_t counter, int may_wait)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t place = atomic_load_explicit(&buffer->published, memory_order_relaxed);

	return buffer->capacity - place >= slots ? buffer : next_buffer(thread, counter, may_wait);
}

/*
 * Recording goes on after it was stopped: records that, before the event at hand. Returns 0 if that event is not to be
 * recorded: there is no room, which is counted, or recording is stopped again.
 */
static int record_resumed(mprof_thread *thread, uint32_t special, int may_wait)
{
	uint64_t stopped = atomic_load_explicit(&thread->stopped, memory_order_relaxed);
	uint64_t counter = counter_read(&thread->counter);
	event_buffer *buffer;

	/* As long as the gap stands, its begin does. The exchange fails if recording was stopped again since. */
	while (!atomic_compare_exchange_weak_explicit(&thread->special, &special, special & ~(uint32_t)SPECIAL_GAP,
						      memory_order_relaxed, memory_order_relaxed)) {
		if ((special & SPECIAL_OFF) != 0)
			return 0;
	}
	buffer = buffer_with_room(thread, 1, counter, may_wait);
	if (buffer == NULL) {
		atomic_fetch_or_explicit(&thread->special, SPECIAL_GAP, memory_order_relaxed);
		return 0;
	}
	publish(buffer, atomic_load_explicit(&buffer->published, memory_order_relaxed), counter - stopped,
		SLOT_STAMP(counter, MPROF_EVENT_RECORDING_RESUMED));
	return 1;
}

/* Whether a thread with something special records an event. */
static int may_record(mprof_thread *thread, uint32_t code)
{
	/* Acquire: who sees the gap sees when it began. */
	uint32_t special = atomic_load_explicit(&thread->special, memory_order_acquire);

	if ((special & SPECIAL_OFF) != 0)
		return (ALWAYS_KINDS & BIT(code & SLOT_KIND_MASK)) != 0;
	return (special & SPECIAL_GAP) == 0 || record_resumed(thread, special, waits_for(thread, code));
}

__attribute__((noinline)) static void record_specially(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	if (may_record(thread, code))
		record_at(thread, subject, counter_read(&thread->counter), code);
}

static inline void record_timed(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	if (__builtin_expect(atomic_load_explicit(&thread->special, memory_order_relaxed) == 0, 1))
		record_at(thread, subject, counter_read_register() >> thread->counter.shift, code);
	else
		record_specially(thread, subject, code);
}

void mprof_thread_method_enter(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_ENTER);
}

void mprof_thread_method_leave(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_LEAVE);
}

static inline void record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t place = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	uint64_t stamp = SLOT_STAMP(size, MPROF_EVENT_ALLOCATION);

	if (__builtin_expect(place != buffer->capacity, 1))
		publish(buffer, place, class_key, stamp);
	else
		record_first(thread, class_key, counter_read(&thread->counter), stamp);
}

__attribute__((noinline)) static void record_allocation_specially(mprof_thread *thread, mprof_key class_key,
								  uint64_t size)
{
	if (may_record(thread, MPROF_EVENT_ALLOCATION))
		record_allocation(thread, class_key, size);
}

void mprof_thread_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
	/* What the counter is makes no difference here. */
	if (__builtin_expect(atomic_load_explicit(&thread->special, memory_order_relaxed) <= SPECIAL_COUNTER, 1))
		record_allocation(thread, class_key, size);
	else
		record_allocation_specially(thread, class_key, size);
}

void mprof_thread_event(mprof_thread *thread, mprof_event_kind kind, uint32_t flags, uint64_t subject)
{
	uint32_t code = (uint32_t)kind | ((flags & MPROF_EVENT_FAILED) != 0 ? SLOT_FAILED : 0);

	if ((uint32_t)kind >= MPROF_EVENT_KIND_COUNT || (TIMED_KINDS & BIT(kind)) == 0)
		return;
	record_timed(thread, subject, code);
}

/* A wide event: its first slot without the counter, and the second without the count of frames. */
typedef struct wide_event {
	uint64_t subject;
	uint64_t object;
	uint64_t number; /**< Allocations: the size, which changes places with the counter. */
} wide_event;

static void record_wide(mprof_thread *thread, mprof_event_kind kind, const wide_event *event, const mprof_frame *frames,
			size_t frame_count)
{
	uint32_t kept = (uint32_t)(frame_count < MPROF_STACK_MAX ? frame_count : MPROF_STACK_MAX);
	int is_allocation = kind == MPROF_EVENT_ALLOCATION;
	uint64_t counter;
	uint32_t place;
	event_buffer *buffer;
	event_slot *slots;

	if (atomic_load_explicit(&thread->special, memory_order_relaxed) > SPECIAL_COUNTER && !may_record(thread, kind))
		return;
	counter = counter_read(&thread->counter);
	buffer = buffer_with_room(thread, SLOT_COUNT(kept), counter, waits_for(thread, kind));
	if (buffer == NULL)
		return;
	place = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	slots = &buffer->slots[place];
	slots[0].subject = event->subject;
	slots[0].stamp = SLOT_STAMP(is_allocation ? event->number : counter, (uint32_t)kind | SLOT_WIDE);
	slots[1].subject = event->object;
	slots[1].stamp = SLOT_STAMP(is_allocation ? counter : event->number, kept);
	/* Not memcpy(): for so few bytes it takes longer than the rest. */
	for (uint32_t i = 0; i < kept; i += 2) {
		slots[2 + i / 2].subject = frames[i];
		slots[2 + i / 2].stamp = i + 1 < kept ? frames[i + 1] : 0;
	}
	/* Release, as in publish(): all slots at once, so that none is drained without the others. */
	atomic_store_explicit(&buffer->published, place + SLOT_COUNT(kept), memory_order_release);
}

/* Where the innermost frame of a method is; count if there is none. */
static size_t innermost_method(const mprof_frame *frames, size_t count)
{
	size_t i = 0;

	while (i < count && (frames[i] & MPROF_FRAME_NATIVE) != 0)
		i++;
	return i;
}

void mprof_thread_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size, uint64_t object,
				      const mprof_frame *frames, size_t count)
{
	uint32_t detail = thread->detail;
	wide_event event = {class_key, (detail & MPROF_ALLOCATION_OBJECT) != 0 ? object : 0, size};

	if ((detail & ~(uint32_t)DETAIL_STACKS) == 0) {
		mprof_thread_allocation(thread, class_key, size);
	} else if ((detail & MPROF_ALLOCATION_STACK) != 0) {
		record_wide(thread, MPROF_EVENT_ALLOCATION, &event, frames, count);
	} else {
		size_t caller = (detail & MPROF_ALLOCATION_CALLER) != 0 ? innermost_method(frames, count) : count;

		record_wide(thread, MPROF_EVENT_ALLOCATION, &event, caller < count ? &frames[caller] : NULL,
			    caller < count);
	}
}

/* What is not an allocation keeps its call chain where the log has such. */
static void record_detailed(mprof_thread *thread, mprof_event_kind kind, const wide_event *event,
			    const mprof_frame *frames, size_t count)
{
	record_wide(thread, kind, event, frames, (thread->detail & DETAIL_STACKS) != 0 ? count : 0);
}

void mprof_thread_monitor(mprof_thread *thread, mprof_monitor_state state, mprof_key class_key, uint64_t object,
			  const mprof_frame *frames, size_t count)
{
	wide_event event = {class_key, object, (uint64_t)state};

	/* The log has no other. */
	if (state < MPROF_MONITOR_CONTENDED || state > MPROF_MONITOR_FAILED)
		return;
	record_detailed(thread, MPROF_EVENT_MONITOR, &event, frames, count);
}

void mprof_thread_handle_created(mprof_thread *thread, uint64_t handle, mprof_handle_type type, mprof_key class_key,
				 uint64_t object, const mprof_frame *frames, size_t count)
{
	wide_event event = {class_key, object, handle << 2 | ((uint32_t)type & 3)};

	record_detailed(thread, MPROF_EVENT_HANDLE_CREATED, &event, frames, count);
}

void mprof_thread_handle_deleted(mprof_thread *thread, uint64_t handle, mprof_handle_type type,
				 const mprof_frame *frames, size_t count)
{
	wide_event event = {0, 0, handle << 2 | ((uint32_t)type & 3)};

	record_detailed(thread, MPROF_EVENT_HANDLE_DELETED, &event, frames, count);
}

void mprof_thread_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object)
{
	wide_event event = {class_key, object, 0};

	record_detailed(thread, is_end ? MPROF_EVENT_FINALIZER_END : MPROF_EVENT_FINALIZER_START, &event, NULL, 0);
}

void mprof_thread_collection(mprof_thread *thread, mprof_event_kind kind, uint32_t number, uint64_t value)
{
	wide_event event = {value, number, 0};

	if ((uint32_t)kind < MPROF_EVENT_KIND_COUNT && (COLLECTION_KINDS & BIT(kind)) != 0)
		record_wide(thread, kind, &event, NULL, 0);
}

uint64_t mprof_thread_id(const mprof_thread *thread)
{
	return thread->id;
}

static void thread_init(mprof_thread *thread, mprof_recorder *recorder, uint64_t id)
{
	thread->recorder = recorder;
	thread->counter = recorder->counter;
	thread->detail = recorder->detail;
	thread->id = id != 0 ? id : system_thread_id();
	thread->last_counter = counter_read(&recorder->counter);
	atomic_init(&thread->current, &buffer_none);
	atomic_init(&thread->special, thread->counter.read != NULL ? SPECIAL_COUNTER : 0);
	atomic_init(&thread->stopped, thread->last_counter);
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
	if (!atomic_load_explicit(&recorder->enabled, memory_order_relaxed))
		atomic_fetch_or_explicit(&attached->special, SPECIAL_OFF | SPECIAL_GAP, memory_order_relaxed);
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
	stack_memory_destroy(&thread->chain, &recorder->allocator);
	allocator_release(&recorder->allocator, thread, sizeof(*thread));
}
