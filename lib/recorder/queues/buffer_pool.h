/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/buffer_pool.h
 * \brief Event buffers: a bounded number, passed between threads that record and the writer thread without locks.
 *
 * The bound grows by one with each thread that records: an idle thread keeps its current buffer, and the others must
 * not have to wait for it.
 *
 * There are also *extra* buffers, for events that must neither wait nor be lost when all other buffers are in use:
 * events of collections, and events that are recorded while the writer thread itself may be waiting for the recording
 * thread. They are kept in a list of their own, so that only such events use them and no more of them exist than were
 * needed at once.
 *
 * A buffer is in one of four states: *free*, in the pool; *current*, owned by one thread, which alone stores into it;
 * *full*, in the list that the writer thread takes; or *drained*, owned by the writer thread until it is free again.
 */
#ifndef RECORDER_QUEUES_BUFFER_POOL_H
#define RECORDER_QUEUES_BUFFER_POOL_H

#include "recorder/queues/salvage_area.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

/**
 * One event as it is stored while the program runs, or a part of a wide one.
 *
 * A wide event has several slots, published at once: first one like that of other events; then its object, and
 * number << 8 | count of frames; then the frames, two to a slot. The number is an allocation's counter, a handle's
 * type, or the state of a monitor. The handle itself is the first frame where it is made, and the object where it is
 * deleted. The arguments of an event of a type are where the frames are, and the number is their length in bytes; up to
 * eight bytes are in place of the object.
 */
typedef struct event_slot {
	uint64_t subject; /**< Key of the method or class, or the value of a kind that has neither. */
	uint64_t stamp;   /**< Counter (or an allocation's size) modulo 2^56 in the high bits, slot code in the low
	                       eight. */
} event_slot;

/** The slot code is the event kind, with these bits for events of several slots and for #MPROF_EVENT_FLAG_FAILED. */
#define SLOT_KIND_MASK 0x3f
#define SLOT_WIDE 0x40
#define SLOT_FAILED 0x80
#define SLOT_STAMP(number, code) ((uint64_t)(number) << 8 | (code))

/** The number of slots of a wide event with \p frame_count frames. */
#define SLOT_COUNT(frame_count) (2 + ((frame_count) + 1) / 2)

typedef struct event_buffer event_buffer;
struct event_buffer {
	/** Number of slots that contain events. Owner: the recording thread, which stores it with release after it has
	 * filled a slot; the writer thread loads it with acquire and then reads those slots. Nothing else writes it
	 * while the buffer has an owner, so no exchange is needed. */
	_Alignas(CACHE_LINE) _Atomic uint32_t published;
	uint32_t capacity;      /**< In slots. Constant. */
	uint64_t start_counter; /**< Full counter at the first event. The owner stores it before the first publish. */

	/** Identifies the use of the buffer: thread serial << 32 | sequence number of the buffer among those of the
	 * thread; 0 while it has no owner. The owner stores it with release when it takes the buffer; the writer thread
	 * loads it with acquire. That order is enough: a writer thread that loads the expected value also sees the
	 * published count of this use, and not that of an earlier one. */
	_Alignas(CACHE_LINE) _Atomic uint64_t ticket;
	uint32_t drained;           /**< Slots written to the log. Writer thread only, reset before the buffer becomes
	                              free. */
	uint32_t index;             /**< In the pool. Constant. */
	uint32_t is_extra;          /**< Constant. */
	_Atomic uint32_t next_free; /**< Index + 1 of the next buffer in the free stack; 0 at its end. */
	event_buffer *next_full;    /**< Next in the list of full buffers. Published by the push. */
	/** The thread whose events it contains; NULL while it has no owner. The owner stores it when it takes the
	 * buffer; the writer thread reads it only in full buffers, and the release of buffer_pool_push_full() makes it
	 * visible. It is valid there: a handle is freed only after the writer thread has drained all buffers that it
	 * handed over. */
	struct mprof_thread *owner;
	/** For recovery: slots that are in the log for good, and the counter of their last event. Writer thread. */
	uint32_t committed;
	uint64_t committed_counter;
	uint64_t thread_id; /**< Of the owner, for recovery. The owner stores it when it takes the buffer. */

	_Alignas(CACHE_LINE) event_slot slots[];
};

/** Length of a table of buffers, and the most tables that a pool has. */
#define BUFFER_TABLE_LENGTH 1024
#define BUFFER_TABLE_COUNT 1024

/** Maximum number of buffers of a pool, whatever its bounds. */
#define BUFFER_POOL_MAX ((uint32_t)BUFFER_TABLE_LENGTH * BUFFER_TABLE_COUNT)

typedef struct buffer_pool {
	salvage_area *area; /**< Where buffers are allocated; NULL: in private memory. Constant. */
	/**
	 * The buffers by index, in tables of #BUFFER_TABLE_LENGTH, so that few take no address space for many. A table
	 * is stored once, with release, before an index in it is used; its elements are written once, before the buffer
	 * is first handed out.
	 */
	_Atomic(event_buffer **) tables[BUFFER_TABLE_COUNT];
	uint32_t buffer_events;
	/** Number of full buffers at which the writer thread is woken: waking costs more than a change of buffers.
	 * Fewer full buffers wait for the next interval, or for a thread that finds no free buffer. */
	uint32_t wake_count;
	_Atomic uint32_t full_count; /**< About how many were pushed since the list was taken. Relaxed. */
	/** Maximum number of buffers, by is_extra. The first changes as threads attach and detach; the second is
	 * constant. Any thread; relaxed, since a bound orders nothing. */
	_Atomic uint32_t bounds[2];
	_Atomic uint32_t counts[2]; /**< By is_extra: how many were created. Does not shrink with the bound. */
	_Atomic uint32_t created;   /**< Indices given out, to extra buffers too. */
	/** The system has refused memory for a buffer, so there may be fewer than threads. Any thread; relaxed. */
	_Atomic int has_refused;
	/** Top of the stack of free buffers, by is_extra: index + 1 in the low half; the number of pops in the high
	 * half, so that a compare-and-exchange fails if the same buffer was taken and given back since (ABA). Any
	 * thread pops and pushes, with sequentially consistent exchanges: see pop_free_buffer(). */
	_Atomic uint64_t free_top[2];
	_Atomic(event_buffer *) full; /**< Newest first. Pushed with release, taken with acquire. */
} buffer_pool;

/** \p area: where to allocate buffers, or NULL. Returns 0 if there is no memory. */
int buffer_pool_init(buffer_pool *pool, uint32_t max_buffers, uint32_t buffer_events, salvage_area *area);

/** Unmaps all buffers, also those in use. */
void buffer_pool_destroy(buffer_pool *pool);

/** Raises the bound by one for a thread that is attached. */
void buffer_pool_add_thread(buffer_pool *pool);

/** Lowers the bound by one for a thread that is gone. */
void buffer_pool_remove_thread(buffer_pool *pool);

/**
 * Returns a free or a new buffer with published and drained 0. Returns NULL if the system refuses memory or the bound
 * is reached; with \p may_be_extra, extra buffers are tried before that. No lock, no malloc; any thread.
 */
event_buffer *buffer_pool_take(buffer_pool *pool, int may_be_extra);

/** Gives back a buffer. Any thread, normally the writer thread. */
void buffer_pool_give(buffer_pool *pool, event_buffer *buffer);

/** Hands a buffer to the writer thread. Returns 1 if enough buffers are full to wake it. */
int buffer_pool_push_full(buffer_pool *pool, event_buffer *buffer);

/** Takes all full buffers, in the order in which they were pushed. Writer thread only. */
event_buffer *buffer_pool_take_full(buffer_pool *pool);

/** Number of buffers made so far. */
uint32_t buffer_pool_created(const buffer_pool *pool);

#endif
