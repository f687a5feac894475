/* SPDX-License-Identifier: MIT */
/* Records events on the hot path, and changes buffers. */
#include "recorder/threads/thread.h"

#include "base/cancellation.h"
#include "base/testpoint.h"
#include "format/events/event_kinds.h"
#include "format/values/varint.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Event kinds by their subject. Other kinds cannot be recorded this way. */
#define KIND_BIT(kind) (UINT64_C(1) << (kind))
#define COLLECTION_KINDS event_kinds_in(MPROF_EVENT_CATEGORY_COLLECTION)
/* Recorded even while recording is stopped. */
#define ALWAYS_KINDS                                                                                                   \
	(KIND_BIT(MPROF_EVENT_THREAD_START) | KIND_BIT(MPROF_EVENT_THREAD_END) | KIND_BIT(MPROF_EVENT_STACK_END))
#define TIMED_KINDS                                                                                                    \
	(COLLECTION_KINDS | event_kinds_in(MPROF_EVENT_CATEGORY_CALL) |                                                \
	 (event_kinds_in(MPROF_EVENT_CATEGORY_METHOD) & ~KIND_BIT(MPROF_EVENT_METHOD_CODE)) |                          \
	 event_kinds_in(MPROF_EVENT_CATEGORY_CLASS) | KIND_BIT(MPROF_EVENT_EXCEPTION) |                                \
	 event_kinds_in(MPROF_EVENT_CATEGORY_THREAD) | KIND_BIT(MPROF_EVENT_FINALIZATION_START) |                      \
	 KIND_BIT(MPROF_EVENT_FINALIZATION_END))

_Static_assert(EVENT_KIND_COUNT <= SLOT_KIND_MASK + 1, "a kind fits the slot code");

event_buffer thread_no_buffer;

static void count_loss(mprof_thread *thread, mprof_loss_cause cause)
{
	/* Only the owner adds, but mprof_thread_record_lost() may interrupt it. */
	atomic_fetch_add_explicit(&thread->lost[cause], 1, memory_order_relaxed);
}

void thread_adopt_buffer(mprof_thread *thread, event_buffer *buffer, uint64_t start_counter)
{
	buffer->start_counter = start_counter;
	buffer->owner = thread;
	buffer->thread_id = thread->id;
	/* Release: a thread that sees the ticket sees the published count of 0 that the pool set before. */
	atomic_store_explicit(&buffer->ticket, (uint64_t)thread->serial << 32 | thread->sequence, memory_order_release);
	atomic_store_explicit(&thread->current, buffer, memory_order_release);
}

void thread_hand_over(mprof_thread *thread, event_buffer *buffer)
{
	recorder_shared *shared = thread->shared;

	thread->sequence++;
	if (buffer_pool_push_full(&shared->pool, buffer))
		sem_post(&shared->work);
}

/* Waits once for a buffer. Returns 0 if the thread must not wait any more. */
static int wait_once(mprof_thread *thread, uint32_t blocking)
{
	recorder_shared *shared = thread->shared;

	if (!atomic_load_explicit(&shared->pool.has_refused, memory_order_relaxed))
		return recorder_wait(shared, &shared->buffers_free, blocking, &thread->gave_up_in);
	/* Threads that record nothing may have all buffers that exist. */
	if (thread->has_given_up)
		return 0;
	thread->has_given_up = !recorder_wait_shortly(shared, &shared->buffers_free);
	return 1;
}

/* Waits for the writer thread to give a buffer back. Returns NULL if it must not wait any more. */
static event_buffer *wait_for_buffer(mprof_thread *thread)
{
	recorder_shared *shared = thread->shared;
	event_buffer *buffer;
	uint32_t blocking;

	atomic_fetch_add_explicit(&shared->waits, 1, memory_order_relaxed);
	pthread_mutex_lock(&shared->wait_lock);
	/*
	 * Counted before the pool is checked. The writer thread gives buffers back before it loads the count, so either
	 * this thread finds the buffer, or the writer thread sees the count at the latest at the end of its round.
	 */
	atomic_fetch_add(&shared->waiting, 1);
	/* The writer thread may not have been woken yet, if there are few full buffers. */
	sem_post(&shared->work);
	do {
		blocking = atomic_load(&shared->blocking);
		buffer = buffer_pool_take(&shared->pool, (int)(blocking & 1));
	} while (buffer == NULL && !atomic_load(&shared->closing) && wait_once(thread, blocking));
	atomic_fetch_sub(&shared->waiting, 1);
	pthread_mutex_unlock(&shared->wait_lock);
	return buffer;
}

/*
 * Hands over the current buffer, if there is one, and gets the next. Returns NULL if the event must be dropped.
 * start_counter is the full counter of the event.
 */
__attribute__((noinline)) static event_buffer *next_buffer(mprof_thread *thread, uint64_t start_counter, int may_wait)
{
	WITHOUT_CANCELLATION;
	recorder_shared *shared = thread->shared;
	event_buffer *full = atomic_load_explicit(&thread->current, memory_order_relaxed);
	event_buffer *buffer = NULL;
	/* With MPROF_OVERFLOW_WAIT, an event that must not wait gets a buffer beyond the bound. */
	int never_dropped = shared->overflow == MPROF_OVERFLOW_WAIT && !may_wait;
	int saved_errno = errno;

	if (atomic_load_explicit(&shared->closing, memory_order_relaxed) || recorder_in_child(shared))
		return NULL;
	if (full != &thread_no_buffer)
		thread_hand_over(thread, full);
	TESTPOINT("thread: buffer handed over");
	buffer = buffer_pool_take(&shared->pool, never_dropped);
	if (buffer == NULL) {
		/* The full buffer belongs to the writer thread now, and may become another thread's. */
		atomic_store_explicit(&thread->current, &thread_no_buffer, memory_order_release);
		/* If the writer thread or a drain thread waited here, it would wait for itself. */
		if (may_wait && !recorder_on_own_thread(shared))
			buffer = wait_for_buffer(thread);
	}
	thread->has_dropped |= buffer == NULL;
	thread->has_given_up &= buffer == NULL;
	if (buffer != NULL)
		thread_adopt_buffer(thread, buffer, start_counter);
	else if (!atomic_load_explicit(&shared->closing, memory_order_relaxed))
		count_loss(thread, MPROF_LOSS_NO_BUFFER);
	errno = saved_errno;
	return buffer;
}

static inline void publish_slot(event_buffer *buffer, uint32_t index, uint64_t subject, uint64_t stamp)
{
	buffer->slots[index].subject = subject;
	buffer->slots[index].stamp = stamp;
	/* Release: the writer thread that sees the count sees the slot. */
	atomic_store_explicit(&buffer->published, index + 1, memory_order_release);
}

static int waits_for(const mprof_thread *thread, uint32_t code)
{
	uint32_t kind = code & SLOT_KIND_MASK;

	return thread->shared->overflow == MPROF_OVERFLOW_WAIT && (COLLECTION_KINDS & KIND_BIT(kind)) == 0;
}

/* Records the first event of a buffer. Out of line, so that the common case needs no stack frame. */
__attribute__((noinline)) static void record_first(mprof_thread *thread, uint64_t subject, uint64_t counter,
						   uint64_t stamp)
{
	event_buffer *buffer = next_buffer(thread, counter, waits_for(thread, (uint32_t)stamp & 0xff));

	if (buffer != NULL)
		publish_slot(buffer, 0, subject, stamp);
}

static inline void record_at(mprof_thread *thread, uint64_t subject, uint64_t counter, uint32_t code)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t index = atomic_load_explicit(&buffer->published, memory_order_relaxed);

	if (__builtin_expect(index != buffer->capacity, 1))
		publish_slot(buffer, index, subject, SLOT_STAMP(counter, code));
	else
		record_first(thread, subject, counter, SLOT_STAMP(counter, code));
}

/* Returns a buffer with room for \p slots slots, or NULL if the event must be dropped. */
static event_buffer *buffer_with_room(mprof_thread *thread, uint32_t slots, uint64_t counter, int may_wait)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t index = atomic_load_explicit(&buffer->published, memory_order_relaxed);

	return buffer->capacity - index >= slots ? buffer : next_buffer(thread, counter, may_wait);
}

/*
 * Records, before the current event, that recording was stopped and continues. Returns 0 if the current event must not
 * be recorded, because there is no room, which is counted, or because recording was stopped again.
 */
static int record_resumed(mprof_thread *thread, uint32_t special, int may_wait)
{
	uint64_t stopped = atomic_load_explicit(&thread->stopped, memory_order_relaxed);
	uint64_t counter = counter_read(&thread->counter);
	event_buffer *buffer;

	/*
	 * While SPECIAL_GAP is set, mprof_thread::stopped keeps the counter at which the gap started. The exchange
	 * fails if recording was stopped again since.
	 */
	while (!atomic_compare_exchange_weak_explicit(&thread->special, &special, special & ~(uint32_t)SPECIAL_GAP,
						      memory_order_relaxed, memory_order_relaxed)) {
		if ((special & SPECIAL_OFF) != 0)
			return 0;
	}
	buffer = buffer_with_room(thread, 2, counter, may_wait);
	if (buffer == NULL) {
		atomic_fetch_or_explicit(&thread->special, SPECIAL_GAP, memory_order_relaxed);
		return 0;
	}
	publish_slot(buffer, atomic_load_explicit(&buffer->published, memory_order_relaxed), counter - stopped,
		     SLOT_STAMP(counter, MPROF_EVENT_RECORDING_RESUMED));
	/* The thread may have switched stacks meanwhile. */
	if (thread->has_switched)
		publish_slot(buffer, atomic_load_explicit(&buffer->published, memory_order_relaxed), thread->running,
			     SLOT_STAMP(counter, MPROF_EVENT_STACK_SWITCH));
	return 1;
}

/* The slow path of a thread with bits of #thread_special: whether it records an event. */
static int may_record(mprof_thread *thread, uint32_t code)
{
	/* Acquire: pairs with the release in stop_thread() and resume_thread(), so the start of the gap is valid. */
	uint32_t special = atomic_load_explicit(&thread->special, memory_order_acquire);

	if ((special & SPECIAL_OFF) != 0)
		return (ALWAYS_KINDS & KIND_BIT(code & SLOT_KIND_MASK)) != 0;
	return (special & SPECIAL_GAP) == 0 || record_resumed(thread, special, waits_for(thread, code));
}

__attribute__((noinline)) static void record_specially(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	if (may_record(thread, code))
		record_at(thread, subject, counter_read(&thread->counter), code);
}

static inline void record_timed(mprof_thread *thread, uint64_t subject, uint32_t code)
{
	/* NULL if the thread could not be attached: it records nothing. The cost of the branch is not measurable. */
	if (__builtin_expect(thread == NULL, 0))
		return;
	if (__builtin_expect(atomic_load_explicit(&thread->special, memory_order_relaxed) == 0, 1))
		record_at(thread, subject, counter_read_register() >> thread->counter.shift, code);
	else
		record_specially(thread, subject, code);
}

void mprof_thread_enter_method(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_ENTER);
}

void mprof_thread_leave_method(mprof_thread *thread, mprof_key method)
{
	record_timed(thread, method, MPROF_EVENT_METHOD_LEAVE);
}

static inline void record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	uint32_t index = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	uint64_t stamp = SLOT_STAMP(size, MPROF_EVENT_ALLOCATION);

	if (__builtin_expect(index != buffer->capacity, 1))
		publish_slot(buffer, index, class_key, stamp);
	else
		record_first(thread, class_key, counter_read(&thread->counter), stamp);
}

__attribute__((noinline)) static void record_allocation_specially(mprof_thread *thread, mprof_key class_key,
								  uint64_t size)
{
	if (may_record(thread, MPROF_EVENT_ALLOCATION))
		record_allocation(thread, class_key, size);
}

void mprof_thread_record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
	if (__builtin_expect(thread == NULL, 0))
		return;
	/* SPECIAL_COUNTER is ignored: an allocation without details has no counter. */
	if (__builtin_expect(atomic_load_explicit(&thread->special, memory_order_relaxed) <= SPECIAL_COUNTER, 1))
		record_allocation(thread, class_key, size);
	else
		record_allocation_specially(thread, class_key, size);
}

/* Adds with an exchange: a signal handler may interrupt this function on the same thread. */
mprof_status mprof_thread_record_lost(mprof_thread *thread, uint32_t cause, uint64_t count)
{
	if (thread == NULL || cause >= LOSS_CAUSE_COUNT)
		return MPROF_ERR_ARGUMENT;
	if ((atomic_load_explicit(&thread->special, memory_order_relaxed) & SPECIAL_OFF) == 0 &&
	    !atomic_load_explicit(&thread->shared->closing, memory_order_relaxed))
		atomic_fetch_add_explicit(&thread->lost[cause], count, memory_order_relaxed);
	return MPROF_OK;
}

mprof_status mprof_thread_switch_stack(mprof_thread *thread, uint64_t stack)
{
	if (thread == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!thread->shared->takes_switches)
		return MPROF_ERR_UNSUPPORTED;
	/* A dropped switch is replaced by the next one. */
	if (stack == thread->running && !thread->has_dropped)
		return MPROF_OK;
	if (!thread->has_switched)
		atomic_fetch_add_explicit(&thread->shared->switching_threads, 1, memory_order_release);
	thread->running = stack;
	thread->has_switched = 1;
	thread->has_dropped = 0;
	/* The writer thread sorts switches by these counters, see drain.c. */
	counter_order_reading();
	record_timed(thread, stack, MPROF_EVENT_STACK_SWITCH);
	return MPROF_OK;
}

mprof_status mprof_thread_end_stack(mprof_thread *thread, uint64_t stack)
{
	if (thread == NULL || stack == 0)
		return MPROF_ERR_ARGUMENT;
	if (!thread->shared->takes_switches)
		return MPROF_ERR_UNSUPPORTED;
	if (thread->running == stack)
		thread->running = 0;
	counter_order_reading();
	record_timed(thread, stack, MPROF_EVENT_STACK_END);
	return MPROF_OK;
}

mprof_status mprof_thread_record_event(mprof_thread *thread, uint32_t kind, uint32_t flags, uint64_t subject)
{
	uint32_t code = (uint32_t)kind | ((flags & MPROF_EVENT_FLAG_FAILED) != 0 ? SLOT_FAILED : 0);

	if (thread == NULL || (uint32_t)kind > SLOT_KIND_MASK || (flags & ~(uint32_t)MPROF_EVENT_FLAG_FAILED) != 0)
		return MPROF_ERR_ARGUMENT;
	if (kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT) {
		/* The writer thread determines the method. */
		mprof_thread_leave_method(thread, 0);
		return MPROF_OK;
	}
	if (kind == MPROF_EVENT_STACK_SWITCH)
		return mprof_thread_switch_stack(thread, subject);
	if (kind == MPROF_EVENT_STACK_END)
		return mprof_thread_end_stack(thread, subject);
	if ((TIMED_KINDS & KIND_BIT(kind)) == 0)
		return MPROF_ERR_ARGUMENT;
	record_timed(thread, subject, code);
	return MPROF_OK;
}

/* The fields of a wide event, apart from its counter and frames. */
typedef struct wide_event {
	uint64_t subject;
	uint64_t object;
	uint64_t number;  /**< Allocations: the size. It is in the stamp, and the counter in the second slot. */
	int is_truncated; /**< The call stack has more frames than the limit. */
} wide_event;

static inline uint32_t kept_frames(size_t count)
{
	return (uint32_t)(count < MPROF_STACK_MAX ? count : MPROF_STACK_MAX);
}

/*
 * Returns the buffer to store a wide event with \p kept frames into, or NULL if the event must not be recorded.
 * \p counter receives the event's counter.
 */
static inline event_buffer *begin_wide(mprof_thread *thread, mprof_event_kind kind, uint32_t kept, uint64_t *counter)
{
	event_buffer *before;
	event_buffer *buffer;

	if (atomic_load_explicit(&thread->special, memory_order_relaxed) > SPECIAL_COUNTER && !may_record(thread, kind))
		return NULL;
	*counter = counter_read(&thread->counter);
	before = atomic_load_explicit(&thread->current, memory_order_relaxed);
	buffer = buffer_with_room(thread, SLOT_COUNT(kept), *counter, waits_for(thread, kind));
	/*
	 * The counter is read again: a watermark that was written while the thread waited must not be later than an
	 * event of native memory that follows it.
	 */
	if (kind >= MPROF_EVENT_MEMORY_ALLOCATED && buffer != before && buffer != NULL)
		*counter = counter_read(&thread->counter);
	return buffer;
}

/* Replaces the outermost of the \p kept frames by a marker for the frames that were left out. */
static void mark_truncated(event_slot *slots, uint32_t kept)
{
	event_slot *last = &slots[2 + (kept - 1) / 2];

	if (kept % 2 != 0)
		last->subject = MPROF_FRAME_TRUNCATED;
	else
		last->stamp = MPROF_FRAME_TRUNCATED;
}

static void record_wide(mprof_thread *thread, mprof_event_kind kind, const wide_event *event, const mprof_frame *frames,
			uint32_t kept)
{
	int is_allocation = kind == MPROF_EVENT_ALLOCATION;
	uint64_t counter;
	uint32_t index;
	event_buffer *buffer;
	event_slot *slots;

	buffer = begin_wide(thread, kind, kept, &counter);
	if (buffer == NULL)
		return;
	index = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	slots = &buffer->slots[index];
	slots[0].subject = event->subject;
	slots[0].stamp = SLOT_STAMP(is_allocation ? event->number : counter, (uint32_t)kind | SLOT_WIDE);
	slots[1].subject = event->object;
	slots[1].stamp = SLOT_STAMP(is_allocation ? counter : event->number, kept);
	/* Not memcpy(): for a few bytes its call takes longer than the rest. */
	for (uint32_t i = 0; i < kept; i += 2) {
		slots[2 + i / 2].subject = frames[i];
		slots[2 + i / 2].stamp = i + 1 < kept ? frames[i + 1] : 0;
	}
	if (event->is_truncated && kept > 0)
		mark_truncated(slots, kept);
	/*
	 * Release, as in publish_slot(). All slots are published at once, so that none is drained without the others.
	 */
	atomic_store_explicit(&buffer->published, index + SLOT_COUNT(kept), memory_order_release);
}

/*
 * Like record_wide(), with a word before the frames: the slots of a wide event have no other field left. Nothing is
 * copied to the stack, which may be small.
 */
static void record_led(mprof_thread *thread, mprof_event_kind kind, const wide_event *event, uint64_t word,
		       const mprof_frame *frames, uint32_t kept)
{
	uint64_t counter;
	uint32_t index;
	event_buffer *buffer;
	event_slot *slots;

	buffer = begin_wide(thread, kind, 1 + kept, &counter);
	if (buffer == NULL)
		return;
	index = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	slots = &buffer->slots[index];
	slots[0].subject = event->subject;
	slots[0].stamp = SLOT_STAMP(counter, (uint32_t)kind | SLOT_WIDE);
	slots[1].subject = event->object;
	slots[1].stamp = SLOT_STAMP(event->number, 1 + kept);
	slots[2].subject = word;
	slots[2].stamp = kept > 0 ? frames[0] : 0;
	for (uint32_t i = 1; i < kept; i += 2) {
		slots[3 + i / 2].subject = frames[i];
		slots[3 + i / 2].stamp = i + 1 < kept ? frames[i + 1] : 0;
	}
	if (event->is_truncated && kept > 0)
		mark_truncated(slots, 1 + kept);
	/* Release, as in record_wide(). */
	atomic_store_explicit(&buffer->published, index + SLOT_COUNT(1 + kept), memory_order_release);
}

/* The index of the innermost frame of a method; \p count if none. */
static size_t innermost_method(const mprof_frame *frames, size_t count)
{
	size_t i = 0;

	while (i < count && (frames[i] & MPROF_FRAME_NATIVE) != 0)
		i++;
	return i;
}

void mprof_thread_record_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size, uint64_t object,
					     const mprof_frame *frames, size_t count)
{
	wide_event event = {class_key, object, size, 0};
	uint32_t detail;

	if (thread == NULL)
		return;
	detail = thread->detail;
	if ((detail & MPROF_ALLOCATION_DETAIL_OBJECT) == 0)
		event.object = 0;
	if (frames == NULL)
		count = 0;
	if ((detail & DETAIL_OF_ALLOCATIONS) == 0) {
		mprof_thread_record_allocation(thread, class_key, size);
	} else if ((detail & MPROF_ALLOCATION_DETAIL_STACK) != 0) {
		event.is_truncated = count > MPROF_STACK_MAX;
		record_wide(thread, MPROF_EVENT_ALLOCATION, &event, frames, kept_frames(count));
	} else {
		size_t caller =
			(detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0 ? innermost_method(frames, count) : count;

		record_wide(thread, MPROF_EVENT_ALLOCATION, &event, caller < count ? &frames[caller] : NULL,
			    caller < count);
	}
}

/* Events other than allocations keep their call stack if the dialect supports that. */
static void record_detailed(mprof_thread *thread, mprof_event_kind kind, wide_event *event, const mprof_frame *frames,
			    size_t count)
{
	uint32_t kept = frames != NULL && (thread->detail & DETAIL_STACKS) != 0 ? kept_frames(count) : 0;

	event->is_truncated = count > MPROF_STACK_MAX;
	record_wide(thread, kind, event, frames, kept);
}

void mprof_thread_record_exception(mprof_thread *thread, mprof_key class_key, const mprof_frame *frames, size_t count)
{
	wide_event event = {class_key, 0, 0, 0};

	if (thread == NULL)
		return;
	if (frames == NULL || count == 0 || (thread->detail & DETAIL_EXCEPTION_STACKS) == 0)
		record_timed(thread, class_key, MPROF_EVENT_EXCEPTION);
	else
		record_detailed(thread, MPROF_EVENT_EXCEPTION, &event, frames, count);
}

mprof_status mprof_thread_record_exception_clause(mprof_thread *thread, uint32_t kind, uint32_t number,
						  mprof_key class_key, mprof_key method)
{
	/* The method takes the place of an object. */
	wide_event event = {class_key, method, (uint64_t)number << 2 | (uint64_t)kind, 0};

	if (thread == NULL || (uint32_t)kind > MPROF_CLAUSE_FAULT)
		return MPROF_ERR_ARGUMENT;
	if ((thread->detail & DETAIL_EXCEPTION_CLAUSES) != 0)
		record_wide(thread, MPROF_EVENT_EXCEPTION_CLAUSE, &event, NULL, 0);
	return MPROF_OK;
}

mprof_status mprof_thread_record_method_code(mprof_thread *thread, mprof_key method, uint32_t origin, uint32_t size)
{
	wide_event event = {method, 0, (uint64_t)size << 4 | (uint64_t)origin, 0};

	if (thread == NULL || (uint32_t)origin > MPROF_CODE_INTERPRETED)
		return MPROF_ERR_ARGUMENT;
	if ((thread->detail & DETAIL_METHOD_CODE) != 0)
		record_wide(thread, MPROF_EVENT_METHOD_CODE, &event, NULL, 0);
	return MPROF_OK;
}

mprof_status mprof_thread_record_monitor(mprof_thread *thread, uint32_t state, mprof_key class_key, uint64_t object,
					 const mprof_frame *frames, size_t count)
{
	wide_event event = {class_key, object, (uint64_t)state, 0};

	/* The format has no other states. */
	if (thread == NULL || state < MPROF_MONITOR_CONTENDED || state > MPROF_MONITOR_FAILED)
		return MPROF_ERR_ARGUMENT;
	record_detailed(thread, MPROF_EVENT_MONITOR, &event, frames, count);
	return MPROF_OK;
}

mprof_status mprof_thread_record_monitor_holder(mprof_thread *thread, mprof_key class_key, uint64_t object,
						uint64_t holder)
{
	wide_event event = {class_key, object, holder, 0};

	/* A slot has 56 bits for the number of an event. */
	if (thread == NULL || holder == 0 || holder >> 56 != 0)
		return MPROF_ERR_ARGUMENT;
	if ((thread->detail & DETAIL_MONITOR_HOLDERS) != 0)
		record_wide(thread, MPROF_EVENT_MONITOR_HOLDER, &event, NULL, 0);
	return MPROF_OK;
}

/* A handle may be an address: in logs it has 62 bits. */
static int handle_is_valid(uint64_t handle, uint32_t type)
{
	return handle >> 62 == 0 && type <= MPROF_HANDLE_PINNED;
}

mprof_status mprof_thread_record_handle_created(mprof_thread *thread, uint64_t handle, uint32_t type,
						mprof_key class_key, uint64_t object, const mprof_frame *frames,
						size_t count)
{
	wide_event event = {class_key, object, type, 0};
	uint32_t kept = kept_frames(count);

	if (thread == NULL || !handle_is_valid(handle, type))
		return MPROF_ERR_ARGUMENT;
	if (frames == NULL)
		kept = 0;
	if ((thread->detail & DETAIL_STACKS) == 0)
		kept = 0;
	event.is_truncated = kept > 0 && count > MPROF_STACK_MAX;
	record_led(thread, MPROF_EVENT_HANDLE_CREATED, &event, handle, frames, kept);
	return MPROF_OK;
}

mprof_status mprof_thread_record_handle_deleted(mprof_thread *thread, uint64_t handle, uint32_t type,
						const mprof_frame *frames, size_t count)
{
	/* The handle is stored in the field of the object, which is not recorded again. */
	wide_event event = {0, handle, type, 0};

	if (thread == NULL || !handle_is_valid(handle, type))
		return MPROF_ERR_ARGUMENT;
	record_detailed(thread, MPROF_EVENT_HANDLE_DELETED, &event, frames, count);
	return MPROF_OK;
}

void mprof_thread_record_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object)
{
	wide_event event = {class_key, object, 0, 0};

	if (thread != NULL)
		record_detailed(thread, is_end ? MPROF_EVENT_FINALIZER_END : MPROF_EVENT_FINALIZER_START, &event, NULL,
				0);
}

mprof_status mprof_thread_record_collection(mprof_thread *thread, uint32_t kind, uint32_t number, uint64_t value)
{
	wide_event event = {value, number, 0, 0};

	if (thread == NULL || (uint32_t)kind > SLOT_KIND_MASK || (COLLECTION_KINDS & KIND_BIT(kind)) == 0)
		return MPROF_ERR_ARGUMENT;
	/* Before the event is published: no allocation after the collection is drained without this time. */
	if (kind == MPROF_EVENT_GC_START)
		collection_times_add(&thread->shared->collections, counter_read(&thread->counter));
	record_wide(thread, kind, &event, NULL, 0);
	return MPROF_OK;
}

void mprof_thread_record_memory_allocated(mprof_thread *thread, uint64_t address, uint64_t size,
					  const mprof_frame *frames, size_t count)
{
	wide_event event = {address, 0, size, 0};

	if (thread != NULL)
		record_detailed(thread, MPROF_EVENT_MEMORY_ALLOCATED, &event, frames, frames != NULL ? count : 0);
}

void mprof_thread_record_memory_freed(mprof_thread *thread, uint64_t address, const mprof_frame *frames, size_t count)
{
	wide_event event = {address, 0, 0, 0};

	if (thread == NULL)
		return;
	if (frames == NULL || count == 0 || (thread->detail & DETAIL_STACKS) == 0)
		record_timed(thread, address, MPROF_EVENT_MEMORY_FREED);
	else
		record_detailed(thread, MPROF_EVENT_MEMORY_FREED, &event, frames, count);
}

void mprof_thread_record_memory_resized(mprof_thread *thread, uint64_t old_address, uint64_t started,
					uint64_t new_address, uint64_t size, const mprof_frame *frames, size_t count)
{
	wide_event event = {new_address, old_address, size, 0};
	uint32_t kept;

	if (thread == NULL)
		return;
	kept = frames != NULL && (thread->detail & DETAIL_STACKS) != 0 ? kept_frames(count) : 0;
	event.is_truncated = kept > 0 && count > MPROF_STACK_MAX;
	/* The counter at the start of the call is stored before the frames. */
	record_led(thread, MPROF_EVENT_MEMORY_RESIZED, &event, started, frames, kept);
}

/* An event of a type. */
typedef struct typed_event {
	uint32_t id; /**< Of the type. */
	const known_type *type;
	const mprof_argument_value *values;
	size_t count;
	int is_span;      /**< The values are those of the other arguments than the duration, which is since started. */
	uint64_t started; /**< Counter. */
} typed_event;

/* The slots for arguments of at most \p size bytes. Encoding stores words of eight bytes, so also after them. */
static inline uint32_t typed_slots(size_t size)
{
	return SLOT_COUNT((uint32_t)((size + 2 * sizeof(uint64_t) - 1) / sizeof(uint64_t)));
}

/* The number of arguments that are encoded. Values of a span that are missing before its duration are 0. */
static inline size_t typed_argument_count(const typed_event *event)
{
	if (!event->is_span)
		return event->count;
	return event->count < event->type->duration ? event->type->duration + (size_t)1 : event->count + 1;
}

/* The number that an argument is stored as. Durations are in counters of the log. */
static inline uint64_t fold_number(const mprof_thread *thread, uint32_t known, uint64_t number)
{
	const int is_signed = (known & KNOWN_ENCODING_MASK) == MPROF_ENCODING_SIGNED;

	/* An arithmetic shift of a signed number: the vacated high bits are copies of the sign. */
	if ((known & KNOWN_IS_DURATION) != 0)
		number = is_signed ? (uint64_t)((int64_t)number >> thread->counter.log_shift)
				   : number >> thread->counter.log_shift;
	return is_signed ? zigzag_fold(number) : number;
}

static inline uint8_t *put_number(const mprof_thread *thread, uint8_t *out, uint32_t known, uint64_t number)
{
	number = fold_number(thread, known, number);
	if ((known & KNOWN_ENCODING_MASK) != MPROF_ENCODING_FIXED)
		return varint_word_put_mostly_short(out, number);
	bytes_store_64(out, number);
	return out + sizeof(number);
}

/* The duration of a span, in counters of the log. No time has passed if it ends before it has started. */
static inline uint64_t span_duration(const mprof_thread *thread, const typed_event *event, uint64_t counter)
{
	const uint32_t shift = thread->counter.log_shift;

	return counter > event->started ? (counter >> shift) - (event->started >> shift) : 0;
}

/* Publishes an event whose arguments were stored after its second slot, up to end. */
static inline void publish_typed(event_buffer *buffer, const typed_event *event, uint64_t counter, const uint8_t *end)
{
	const uint32_t index = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	event_slot *slots = &buffer->slots[index];
	const size_t size = (size_t)(end - (uint8_t *)&slots[2]);
	uint32_t frames = (uint32_t)((size + sizeof(mprof_frame) - 1) / sizeof(mprof_frame));

	slots[1].subject = 0;
	if (frames == 1) {
		memcpy(&slots[1].subject, &slots[2], sizeof(slots[1].subject));
		frames = 0;
	}
	slots[0].subject = event->id;
	slots[0].stamp = SLOT_STAMP(counter, MPROF_EVENT_TYPED | SLOT_WIDE);
	slots[1].stamp = SLOT_STAMP(size, frames);
	/* Release, as in record_wide(). */
	atomic_store_explicit(&buffer->published, index + SLOT_COUNT(frames), memory_order_release);
}

/* The length of a text that is cut to at most \p most bytes, between two characters. */
static size_t cut_text(const mprof_argument_value *text, size_t most)
{
	size_t length = text->length < most ? text->length : most;

	for (int i = 0; i < 3 && length > 0 && length < text->length && (text->bytes[length] & 0xc0) == 0x80; i++)
		length--;
	return length;
}

/* The value of an argument; NULL for the duration of a span. *next is the number of values before it. */
static const mprof_argument_value *typed_value(const typed_event *event, size_t index, size_t *next)
{
	static const mprof_argument_value none;

	if (event->is_span && index == event->type->duration)
		return NULL;
	return *next < event->count ? &event->values[(*next)++] : &none;
}

/*
 * Returns the length of all arguments if texts have at most \p most bytes; SIZE_MAX if they are far too long. *texts
 * receives the number of texts that are longer.
 */
static size_t measure_arguments(const mprof_thread *thread, const typed_event *event, size_t most, size_t *texts)
{
	const size_t count = typed_argument_count(event);
	size_t next = 0;
	size_t size = 0;

	*texts = 0;
	for (size_t i = 0; i < count && size <= MPROF_RECORDED_ARGUMENTS_MAX_SIZE; i++) {
		const uint32_t known = event->type->arguments[i];
		const mprof_argument_value *value = typed_value(event, i, &next);
		size_t length;

		if ((known & KNOWN_ENCODING_MASK) == MPROF_ENCODING_FIXED) {
			size += sizeof(uint64_t);
		} else if ((known & KNOWN_ENCODING_MASK) != MPROF_ENCODING_BYTES) {
			size += value != NULL ? varint_length(fold_number(thread, known, value->number))
					      : MPROF_VARINT_MAX_LENGTH;
		} else {
			length = (known & KNOWN_IS_TEXT) != 0 ? cut_text(value, most) : value->length;
			*texts += length < value->length;
			if (length > MPROF_RECORDED_ARGUMENTS_MAX_SIZE)
				return SIZE_MAX;
			size += varint_length(length) + length;
		}
	}
	return size;
}

/* Finds the greatest length of texts with which all arguments fit. Returns 0 if they do not fit without texts. */
static int fit_texts(mprof_thread *thread, const typed_event *event, size_t *most)
{
	size_t texts;
	size_t least = 0;

	*most = MPROF_RECORDED_ARGUMENTS_MAX_SIZE;
	if (measure_arguments(thread, event, *most, &texts) > MPROF_RECORDED_ARGUMENTS_MAX_SIZE) {
		if (measure_arguments(thread, event, 0, &texts) > MPROF_RECORDED_ARGUMENTS_MAX_SIZE)
			return 0;
		/* They fit with least, and do not with *most. */
		while (*most - least > 1) {
			const size_t middle = least + (*most - least) / 2;

			if (measure_arguments(thread, event, middle, &texts) <= MPROF_RECORDED_ARGUMENTS_MAX_SIZE)
				least = middle;
			else
				*most = middle;
		}
		*most = least;
		(void)measure_arguments(thread, event, least, &texts);
	}
	if (texts > 0)
		atomic_fetch_add_explicit(&thread->shared->cut_texts, texts, memory_order_relaxed);
	return 1;
}

/* Whether the values of bytes exist. */
static int bytes_are_valid(const typed_event *event)
{
	const size_t count = typed_argument_count(event);
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		const mprof_argument_value *value = typed_value(event, i, &next);

		if ((event->type->arguments[i] & KNOWN_ENCODING_MASK) == MPROF_ENCODING_BYTES && value->bytes == NULL &&
		    value->length > 0)
			return 0;
	}
	return 1;
}

static uint8_t *put_bytes(uint8_t *out, uint32_t known, const mprof_argument_value *value, size_t most)
{
	const size_t length = (known & KNOWN_IS_TEXT) != 0 ? cut_text(value, most) : value->length;

	out = varint_put(out, length);
	if (length > 0)
		memcpy(out, value->bytes, length);
	return out + length;
}

/*
 * Records an event with bytes or texts, or with many arguments. \p stated: its time if the caller states it, else NULL,
 * as below.
 */
__attribute__((noinline)) static mprof_status record_long(mprof_thread *thread, const typed_event *event,
							  const uint64_t *stated)
{
	const size_t count = typed_argument_count(event);
	event_buffer *buffer;
	uint64_t counter;
	size_t next = 0;
	size_t most;
	uint8_t *out;

	if (!bytes_are_valid(event))
		return MPROF_ERR_ARGUMENT;
	if (atomic_load_explicit(&thread->special, memory_order_relaxed) > SPECIAL_COUNTER &&
	    !may_record(thread, MPROF_EVENT_TYPED))
		return MPROF_OK;
	if (!fit_texts(thread, event, &most)) {
		count_loss(thread, MPROF_LOSS_NO_BUFFER);
		return MPROF_ERR_LIMIT;
	}
	counter = stated != NULL ? *stated : counter_read(&thread->counter);
	buffer = buffer_with_room(thread, typed_slots(MPROF_RECORDED_ARGUMENTS_MAX_SIZE), counter,
				  waits_for(thread, MPROF_EVENT_TYPED));
	if (buffer == NULL)
		return MPROF_OK;
	out = (uint8_t *)&buffer->slots[atomic_load_explicit(&buffer->published, memory_order_relaxed) + 2];
	for (size_t i = 0; i < count; i++) {
		const uint32_t known = event->type->arguments[i];
		const mprof_argument_value *value = typed_value(event, i, &next);

		if (value == NULL)
			out = put_number(thread, out, known & ~(uint32_t)KNOWN_IS_DURATION,
					 span_duration(thread, event, counter));
		else if ((known & KNOWN_ENCODING_MASK) == MPROF_ENCODING_BYTES)
			out = put_bytes(out, known, value, most);
		else
			out = put_number(thread, out, known, value->number);
	}
	publish_typed(buffer, event, counter, out);
	return MPROF_OK;
}

/* Refuses an event whose type is not defined, which is a loss: its definition may have been refused. */
__attribute__((noinline)) static mprof_status refuse_undefined(mprof_thread *thread)
{
	if (!thread->shared->takes_types)
		return MPROF_ERR_UNSUPPORTED;
	(void)mprof_thread_record_lost(thread, MPROF_LOSS_NO_MEMORY, 1);
	return MPROF_ERR_UNDEFINED_ID;
}

/* Inlined, so that the conditions of spans and of stated times are constants. */
static inline __attribute__((always_inline)) mprof_status record_typed(mprof_thread *thread, typed_event *event,
								       const uint64_t *stated)
{
	event_buffer *buffer;
	uint64_t counter;
	uint8_t *out;
	size_t index = 0;

	if (thread == NULL || (event->values == NULL && event->count > 0))
		return MPROF_ERR_ARGUMENT;
	event->type = known_types_find(&thread->shared->types, event->id);
	if (__builtin_expect(event->type == NULL, 0))
		return refuse_undefined(thread);
	if ((event->is_span && event->type->duration == KNOWN_NO_DURATION) ||
	    event->count > event->type->argument_count - (uint32_t)event->is_span)
		return MPROF_ERR_ARGUMENT;
	if (event->type->has_bytes ||
	    typed_argument_count(event) > MPROF_RECORDED_ARGUMENTS_MAX_SIZE / MPROF_VARINT_MAX_LENGTH)
		return record_long(thread, event, stated);
	if (atomic_load_explicit(&thread->special, memory_order_relaxed) > SPECIAL_COUNTER &&
	    !may_record(thread, MPROF_EVENT_TYPED))
		return MPROF_OK;
	counter = stated != NULL ? *stated : counter_read(&thread->counter);
	buffer = buffer_with_room(thread, typed_slots(typed_argument_count(event) * MPROF_VARINT_MAX_LENGTH), counter,
				  waits_for(thread, MPROF_EVENT_TYPED));
	if (buffer == NULL)
		return MPROF_OK;
	out = (uint8_t *)&buffer->slots[atomic_load_explicit(&buffer->published, memory_order_relaxed) + 2];
	if (event->is_span) {
		for (; index < event->type->duration; index++)
			out = put_number(thread, out, event->type->arguments[index],
					 index < event->count ? event->values[index].number : 0);
		out = put_number(thread, out, event->type->arguments[index] & ~(uint32_t)KNOWN_IS_DURATION,
				 span_duration(thread, event, counter));
	}
	for (; index < event->count; index++)
		out = put_number(thread, out, event->type->arguments[index + (size_t)event->is_span],
				 event->values[index].number);
	publish_typed(buffer, event, counter, out);
	return MPROF_OK;
}

mprof_status mprof_thread_record_typed(mprof_thread *thread, uint32_t type, const mprof_argument_value *values,
				       size_t count)
{
	typed_event event = {type, NULL, values, count, 0, 0};

	return record_typed(thread, &event, NULL);
}

mprof_status mprof_thread_record_span(mprof_thread *thread, uint32_t type, uint64_t started,
				      const mprof_argument_value *values, size_t count)
{
	typed_event event = {type, NULL, values, count, 1, started};

	return record_typed(thread, &event, NULL);
}

/* The slots of an event, and its counter if it has one. */
static uint32_t step_over(const event_slot *slots, uint64_t *counter)
{
	const uint64_t mask = UINT64_MAX >> 8;
	const int is_wide = (slots[0].stamp & SLOT_WIDE) != 0;
	const int is_allocation = (slots[0].stamp & SLOT_KIND_MASK) == MPROF_EVENT_ALLOCATION;

	if (is_wide || !is_allocation)
		*counter += ((slots[is_wide && is_allocation ? 1 : 0].stamp >> 8) - *counter) & mask;
	return is_wide ? (uint32_t)SLOT_COUNT((uint32_t)(slots[1].stamp & 0xff)) : 1;
}

/* Finds the counter of the last event: each slot is looked at once. */
static const stated_bound *find_bound(mprof_thread *thread)
{
	const event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_relaxed);
	const uint32_t published = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	stated_bound *bound = &thread->bound;

	if (bound->sequence != thread->sequence) {
		/* The events of earlier buffers are not later than the first one of this. */
		bound->counter = buffer->capacity > 0 ? buffer->start_counter : counter_read(&thread->counter);
		bound->sequence = thread->sequence;
		bound->slots = 0;
	}
	while (buffer->capacity > 0 && bound->slots < published)
		bound->slots += step_over(&buffer->slots[bound->slots], &bound->counter);
	return bound;
}

/* The public functions state the rules for times. */
static mprof_status record_stated(mprof_thread *thread, typed_event *event, uint64_t stated)
{
	mprof_status status;

	if (thread == NULL)
		return MPROF_ERR_ARGUMENT;
	/* Before the bound is determined: this may record that recording was stopped. */
	if (atomic_load_explicit(&thread->special, memory_order_relaxed) > SPECIAL_COUNTER &&
	    !may_record(thread, MPROF_EVENT_TYPED))
		return MPROF_OK;
	if (stated < find_bound(thread)->counter || stated > counter_read(&thread->counter) ||
	    (event->is_span && event->started > stated))
		return MPROF_ERR_ARGUMENT;
	status = record_typed(thread, event, &stated);
	/* No buffer was free: the last event is still the same. */
	if (atomic_load_explicit(&thread->current, memory_order_relaxed) == &thread_no_buffer) {
		thread->bound.sequence = thread->sequence;
		thread->bound.slots = 0;
	}
	return status;
}

mprof_status mprof_thread_record_typed_at(mprof_thread *thread, uint32_t type, uint64_t counter,
					  const mprof_argument_value *values, size_t count)
{
	typed_event event = {type, NULL, values, count, 0, 0};

	return record_stated(thread, &event, counter);
}

mprof_status mprof_thread_record_span_at(mprof_thread *thread, uint32_t type, uint64_t started, uint64_t ended,
					 const mprof_argument_value *values, size_t count)
{
	typed_event event = {type, NULL, values, count, 1, started};

	return record_stated(thread, &event, ended);
}

void mprof_thread_record_object_freed(mprof_thread *thread, mprof_key class_key, uint64_t object, uint64_t size)
{
	wide_event event = {class_key, object, size, 0};

	if (thread != NULL && (thread->detail & DETAIL_OBJECT_EVENTS) != 0)
		record_wide(thread, MPROF_EVENT_OBJECT_FREED, &event, NULL, 0);
}

void mprof_thread_record_object_resized(mprof_thread *thread, mprof_key class_key, uint64_t old_object,
					uint64_t new_object, uint64_t size)
{
	wide_event event = {class_key, old_object, size, 0};

	if (thread != NULL && (thread->detail & DETAIL_OBJECT_EVENTS) != 0)
		record_led(thread, MPROF_EVENT_OBJECT_RESIZED, &event, new_object, NULL, 0);
}

uint64_t mprof_thread_get_id(const mprof_thread *thread)
{
	return thread != NULL ? thread->id : 0;
}
