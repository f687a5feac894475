/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/threads/thread.h
 * \brief The handle of a recording thread: what its owner uses for each event, and what the writer thread keeps about
 * it.
 */
#ifndef RECORDER_THREADS_THREAD_H
#define RECORDER_THREADS_THREAD_H

#include <mprof/recorder.h>

#include "format/blocks/records.h"
#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/shared.h"
#include "recorder/system/counter.h"
#include "recorder/tables/output.h"
#include "recorder/tables/stacks.h"
#include "recorder/threads/switches.h"

#include <stdatomic.h>
#include <stddef.h>

/** Bits of mprof_thread::special: why its events take the slow path. Most threads have none. */
typedef enum thread_special {
	SPECIAL_COUNTER = 1, /**< The counter is a function. Constant. */
	SPECIAL_OFF = 2,     /**< Recording is stopped. Set and cleared under threads_lock. */
	SPECIAL_GAP = 4      /**< Recording was stopped, and the thread has not recorded the gap yet. Set with
	                          SPECIAL_OFF, and cleared by the owner while SPECIAL_OFF is not set. */
} thread_special;

/** What the system has counted for a thread since it started; #THREAD_WALL_TIME is the time of the monotonic clock. */
typedef struct thread_clock {
	uint64_t values[THREAD_METRIC_COUNT]; /**< By #thread_metric; times in nanoseconds. */
	uint32_t available;                   /**< Bits 1 << #thread_metric: those that the system counts. */
} thread_clock;

/** What was counted for a thread when it was attached and detached. */
typedef struct attached_times {
	thread_clock begin; /**< When it was attached. */
	thread_clock end;   /**< When it was detached. Stored by the owner before mprof_thread::detached. */
	/**
	 * 1 before the end is read. The owner stores it before it reads its clocks, and the writer thread loads it
	 * after it has read them, both sequentially consistent; clocks are read with system calls, which no access
	 * moves across. So if the writer thread loads 0, what it has read is not later than the end.
	 */
	_Atomic int is_ending;
	uint32_t system_id;
	int is_counted; /**< The times are recorded. */
} attached_times;

/** A position in the sequence of a thread's buffers. */
typedef struct slot_position {
	uint32_t sequence; /**< Sequence number of the buffer. */
	uint32_t slots;    /**< Number of its slots before the position. */
} slot_position;

/** The last event of a thread that is known, for events at stated times. */
typedef struct stated_bound {
	uint64_t counter;  /**< Its counter, or one that is not earlier. */
	uint32_t sequence; /**< Sequence number of its buffer. */
	uint32_t slots;    /**< Number of the slots of the buffer up to it. */
} stated_bound;

/** The state of a thread in a round of draining. */
typedef struct thread_round {
	event_buffer *full_first; /**< Full buffers, taken and not drained yet, linked by next_full. */
	event_buffer *full_last;
	mprof_thread *next_full; /**< The next thread with full buffers. Valid while those are drained. */
	event_buffer *current;   /**< The buffer after these; NULL if the thread has moved on from it. */
	slot_position known;     /**< Everything up to here was published before the round began. */
	slot_position available; /**< Slots can be read up to here. */
	slot_position limit;     /**< The round drains up to here. */
	uint32_t number;         /**< Number of the round to which the positions belong. */
	int is_needed;           /**< An event that is drained later depends on earlier events of the thread. */
} thread_round;

/** The part of a handle that the writer thread owns. */
typedef struct thread_drain {
	uint32_t next_sequence; /**< Sequence number of the buffer that is drained next. */
	int follows_another;    /**< An earlier handle had the ID and may have buffers that must be drained first. */
	uint64_t last_counter;  /**< Full counter of the last event drained. */
	uint64_t lost_seen[LOSS_CAUSE_COUNT];       /**< The part of mprof_thread::lost that was counted. */
	uint64_t lost_unreported[LOSS_CAUSE_COUNT]; /**< Losses that are not in the log yet. */
	thread_stacks stacks;
	thread_round round;
	stack_memory last_stack;               /**< The call stack that was interned last. */
	uint32_t metrics[THREAD_METRIC_COUNT]; /**< IDs by #thread_metric; 0: not defined yet. */
	int times_are_final;                   /**< The times at which it was detached are written. */
} thread_drain;

/** Aligned to a cache line, so its allocation is larger than the struct: see thread_create(). */
struct mprof_thread {
	/* Read for each event, all in one cache line. */
	/** The buffer that events are stored into, or one of capacity 0. Owner: the recording thread, which stores it
	 * with release; the writer thread loads it with acquire, to drain buffers that are not full yet. */
	_Alignas(CACHE_LINE) _Atomic(event_buffer *) current;
	/** Bits of #thread_special. The owner loads it relaxed for each event, and with acquire before stopped. */
	_Atomic uint32_t special;
	uint32_t detail;        /**< As recorder_shared::detail: the optional fields that events keep. Constant. */
	counter_source counter; /**< A copy, so that recording accesses only this line and the buffer. */
	recorder_shared *shared;

	uint64_t id;         /**< ID in the log. Constant, as are serial and memory once the thread is attached. */
	uint32_t serial;     /**< Never used twice in a recorder. */
	void *memory;        /**< Start of the allocation that contains this struct. */
	uint32_t sequence;   /**< Sequence number of the current buffer. Owner. */
	uint32_t gave_up_in; /**< recorder_shared::blocking when it last gave up waiting; never even. Owner. */
	uint64_t running;    /**< The stack that the thread is on; 0: its own. Owner. */
	int has_switched;    /**< It has switched to another stack. Owner. */
	int has_dropped;     /**< An event was dropped, which may have been a switch. Owner. */
	stated_bound bound;  /**< Owner. */
	int has_given_up;    /**< It has waited without success while the system refused memory for buffers. Owner. */

	/** Counter at which recording stopped. The thread that stops recording stores it, relaxed, before it sets
	 * SPECIAL_GAP with release, and not again while that is set; the owner loads it after it has loaded special
	 * with acquire. */
	_Atomic uint64_t stopped;
	/** Events lost, by cause. Owner: the recording thread, which alone adds. Relaxed: the writer thread reads a
	 * statistic that orders nothing. */
	_Atomic uint64_t *lost; /**< Array of #LOSS_CAUSE_COUNT: own_lost, or salvage_thread::lost. Constant. */
	_Atomic uint64_t own_lost[LOSS_CAUSE_COUNT];
	attached_times times;     /**< Constant once it is attached, except for the end. */
	salvage_thread *salvaged; /**< Its state for recovery; NULL without a salvage_area or without room in it. */
	/**
	 * 1 once the thread is detached and all its buffers are handed over. mprof_thread_detach() stores it with
	 * release; the writer thread, which loads it with acquire, then sees the last buffer in the list and the final
	 * sequence.
	 */
	_Atomic int detached;
	mprof_thread *next;       /**< In recorder_shared::threads; changed under threads_lock. */
	mprof_thread *next_by_id; /**< In a list of recorder_shared::threads_by_id; the same. */

	_Alignas(CACHE_LINE) thread_drain drain; /**< On cache lines of its own. */
};

_Static_assert(offsetof(mprof_thread, shared) + sizeof(recorder_shared *) <= CACHE_LINE,
	       "hot fields are one cache line");
_Static_assert(offsetof(mprof_thread, drain) % CACHE_LINE == 0, "the writer thread shares no line with the owner");

/** Counts events of a thread that are lost between its buffer and the log. Writer thread. */
static inline void thread_count_lost(mprof_thread *thread, recorder_output *output, mprof_loss_cause cause,
				     uint64_t count)
{
	output->lost[cause] += count;
	thread->drain.lost_unreported[cause] += count;
}

/** The current buffer of a thread that has none: always full, never written. */
extern event_buffer thread_no_buffer;

/** Makes a buffer the thread's current one. Tickets of consecutive buffers are consecutive. */
void thread_adopt_buffer(mprof_thread *thread, event_buffer *buffer, uint64_t start_counter);

/** Hands over the current buffer, which is then full or the thread's last. */
void thread_hand_over(mprof_thread *thread, event_buffer *buffer);

#endif
