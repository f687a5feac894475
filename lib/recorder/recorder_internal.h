/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recorder_internal.h
 * \brief What the parts of the recorder share.
 *
 * Who owns what: a thread that records owns its mprof_thread (but for the part marked as the writer thread's) and its
 * current buffer. The writer thread owns the mprof_writer, the key tables and all drained state. What both touch is
 * atomic or says which lock guards it. Locks are never taken while an event is recorded, except to wait for a buffer,
 * and never by an event of a collection.
 */
#ifndef RECORDER_RECORDER_INTERNAL_H
#define RECORDER_RECORDER_INTERNAL_H

#include <mprof/recorder.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "format/kind_counts.h"
#include "recorder/block_ring.h"
#include "recorder/buffer_pool.h"
#include "recorder/counter.h"
#include "recorder/fork_guard.h"
#include "recorder/heap.h"
#include "recorder/key_table.h"
#include "recorder/keys.h"
#include "recorder/leave_stack.h"
#include "recorder/message_queue.h"
#include "recorder/metrics.h"
#include "recorder/roots.h"
#include "recorder/samples.h"
#include "recorder/stack_order.h"
#include "recorder/stacks.h"
#include "recorder/switches.h"
#include "recorder/unloading.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

/** What the subject of an event is; the first two index mprof_recorder::keys. */
typedef enum key_subject { SUBJECT_METHOD, SUBJECT_CLASS, SUBJECT_VALUE } key_subject;

/** Bits of mprof_thread::special: why its events take the long way. Most threads have none. */
typedef enum thread_special {
	SPECIAL_COUNTER = 1, /**< The counter is a function. Constant. */
	SPECIAL_OFF = 2,     /**< Recording is stopped. Set and cleared under threads_lock. */
	SPECIAL_GAP = 4      /**< It was stopped, which the thread has not recorded yet. Set with SPECIAL_OFF, and
	                          cleared by the owner while that is not set. */
} thread_special;

/** A bit of mprof_thread::detail beside those of #mprof_allocation_detail: other events keep their call chains. */
#define DETAIL_STACKS 0x100

/** A slot at which a thread switches between stacks: see recorder/stack_order.c. */
typedef struct stack_point stack_point;

struct mprof_thread {
	/** The buffer events go to, or one of capacity 0. The owner stores with release; the writer thread loads with
	 * acquire to drain what is not full yet. */
	_Atomic(event_buffer *) current;
	/** Bits of #thread_special. The owner loads it relaxed for each event, and with acquire before stopped. */
	_Atomic uint32_t special;
	uint32_t detail;        /**< What events keep. Constant. */
	counter_source counter; /**< A copy: recording touches this line and the buffer's only. */
	mprof_recorder *recorder;
	uint64_t id;
	uint32_t serial;     /**< Never used twice in a recorder. */
	uint32_t sequence;   /**< Place of the current buffer in the chain. Owner. */
	uint64_t running;    /**< The stack that the thread is on; 0: its own. Owner. */
	int has_switched;    /**< It was on another stack than its own. Owner. */
	int has_dropped;     /**< An event found no buffer, maybe a switch. Owner. */
	uint32_t gave_up_in; /**< recorder->blocking when it last gave up waiting; never even. Owner. */

	/** When recording stopped. Stored before SPECIAL_GAP is set, and not again while it is. */
	_Atomic uint64_t stopped;
	/** Events lost, by cause. The owner alone adds, relaxed; the writer thread reads. */
	_Atomic uint64_t lost[LOSS_CAUSE_COUNT];
	/**
	 * 1 once the handle ended and all its buffers are handed over; stored with release by mprof_thread_detach().
	 */
	_Atomic int detached;

	char padding[CACHE_LINE]; /**< The writer thread's part is on cache lines of its own. */
	/* The rest is the writer thread's. */
	mprof_thread *next;     /**< In recorder->threads; written under threads_lock. */
	uint32_t next_sequence; /**< Place in the chain of the buffer that is drained next. */
	uint64_t last_counter;  /**< Full counter of the last event drained. */
	int follows_another;    /**< A handle before had the ID, and may have buffers that are to be drained first. */
	uint64_t lost_seen[LOSS_CAUSE_COUNT];   /**< Of lost. */
	uint64_t lost_untold[LOSS_CAUSE_COUNT]; /**< Not in the log yet. */
	thread_stacks stacks;
	thread_round round;
	stack_memory chain;
};

struct mprof_recorder {
	mprof_allocator allocator;
	counter_source counter;
	uint32_t overflow;
	uint32_t buffer_events;
	uint32_t drain_interval_ms;
	uint32_t detail;    /**< For threads: what was asked for and the dialect has. */
	int takes_switches; /**< The dialect has switches between stacks, or what it lacks is left out. Constant. */
	int tracks_objects;
	mprof_resolve_function resolve[2]; /**< By key_subject. */
	void *resolve_user;
	fork_guard origin; /**< A child made by fork() has no writer thread. */

	void (*thread_started)(void *user); /**< Called on the writer thread before all else. May be NULL. */
	void (*thread_ended)(void *user);   /**< Called on the writer thread after all else. May be NULL. */
	void *thread_user;

	buffer_pool pool;
	message_queue messages;
	_Atomic uint32_t metrics_defined; /**< Raised under state_lock. */

	/** What pthread_self() is on the writer thread, 0 while it does not run: stored by the writer thread itself, so
	 * that it finds itself there whenever it looks, and no other thread does. */
	_Atomic(pthread_t) writer_self;

	/** 1 from the begin of mprof_recorder_close(): recording ends. */
	_Atomic int closing;
	_Atomic int enabled; /**< Changed under threads_lock. */
	sem_t work;          /**< Posted for a full buffer, a request to drain, and closing. */

	pthread_mutex_t wait_lock; /**< With buffers_free: for threads without a buffer. */
	pthread_cond_t buffers_free;
	_Atomic uint32_t waiting; /**< Threads that wait for a buffer. */
	_Atomic uint32_t
		blocking; /**< Odd while the writer thread may be waiting for a thread of the program, which must
	                                not wait for it then; another number each time. */
	_Atomic uint64_t waits;
	_Atomic uint32_t switching_threads; /**< Threads that were on another stack than their own, ended ones too. */

	pthread_mutex_t threads_lock; /**< Guards the head of the list and the count below. */
	mprof_thread *threads;        /**< Only the writer thread unlinks. */
	uint32_t next_serial;

	pthread_mutex_t state_lock; /**< Guards what follows, up to stats. */
	pthread_cond_t drained;
	_Atomic uint64_t drain_requested; /**< Raised under the lock, read by the writer thread without it. */
	uint64_t drain_completed;
	unloading *unloadings; /**< Those that are under way. */
	int closed;
	mprof_recorder_stats stats; /**< As of the end of the last round. */
	mprof_writer_stats written; /**< The same. */
	pthread_t writer_thread;    /**< To join it. */

	pthread_mutex_t dump_lock; /**< For one mprof_recorder_dump_path() at a time. */
	block_ring *ring;          /**< NULL if the log goes elsewhere. */
	uint32_t file_mode;        /**< Permissions of files that the ring is written to. */

	sample_store samples;
	heap_store heap;

	/* The rest is the writer thread's once it runs. */
	mprof_writer *writer;
	uint64_t max_name_length;
	int keys_are_ids;    /**< Constant. */
	int implicit_leaves; /**< The log declares directive 16. */
	int has_heap_blocks; /**< The log has HEAP_DATA blocks. */
	int methods_need_class;             /**< As in dialect_rules. */
	int numbers_shots_like_collections; /**< As in dialect_rules. */
	int limit_reached;   /**< The log takes losses and its end only. */
	int limit_told;      /**< Losses up to then are in the log; later ones wait for its end. */
	mprof_status status; /**< The error that stopped the writing. */
	mprof_error error;
	key_table keys[2];    /**< By key_subject. */
	uint32_t no_class_id; /**< Of the class that stands for none; 0 before it is used. */
	hash_map elements;    /**< Element key → element ID. */
	uint32_t next_element_id;
	stack_store stacks;
	stack_table switched;      /**< Call stacks that threads switch between: #switched_stack. */
	stack_point *stack_points; /**< Of this round: see recorder/stack_order.c. */
	size_t stack_point_count;
	size_t stack_point_capacity;
	uint32_t round_number; /**< Of rounds that order stacks. */
	int order_has_failed;  /**< There was no memory to order this round: its events are lost. */
	int repeats_switches;  /**< Blocks may be dropped: each begins with the stack that its thread is on. */
	metric_table metrics;
	root_table roots;
	uint64_t memory_events; /**< Events of native memory since the last watermark. */
	uint64_t whole_round; /**< Counter before a round that drained all threads, for the next watermark; 0: none. */
	uint64_t whole_round_time;   /**< When that was, in nanoseconds of the monotonic clock. */
	mprof_event *events;         /**< Room for those of one buffer. */
	mprof_event_detail *details; /**< The same, for wide events. */
	uint64_t lost_total[LOSS_CAUSE_COUNT];
	uint64_t lost_untold[LOSS_CAUSE_COUNT]; /**< Of no thread, or of threads that ended. */
	uint64_t unresolved_keys;
};

/** Whether the process is a child made by fork(), which has no writer thread. */
int recorder_in_child(const mprof_recorder *recorder);

/** Whether the calling thread is the writer thread, which must wait for nothing that the writer thread does. */
int recorder_on_writer_thread(const mprof_recorder *recorder);

/**
 * The writer thread is about to ask the loader, or is done with it. A thread that is within the loader holds its lock, and
 * may record meanwhile, as malloc() and free() are called there: until the end it gets a buffer beyond the bound, or drops
 * the event after a short wait. Writer thread.
 */
void recorder_begin_blocking(mprof_recorder *recorder);
void recorder_end_blocking(mprof_recorder *recorder);

/** Whether the log can hold a name: no NUL inside, not too long. */
int recorder_name_is_writable(const mprof_recorder *recorder, const char *name, size_t length);

/** Reads the recorder's counter and the wall clock. As #mprof_clock_function. */
void recorder_read_clock(void *user, mprof_clock *now);

/** mprof_recorder_open_sink() with what a ring does not have left out: implicit leaves, compression, a limit. */
mprof_status recorder_open_to_ring(const mprof_sink *sink, const mprof_recorder_options *options,
				   mprof_recorder **recorder, mprof_error *error);

/** Frees a ring that was opened. */
void recorder_release_ring(block_ring *ring);

/**
 * Writes all that is to be written: full buffers, samples, heap shots, and with \p partial buffers that are not full
 * too: then all that was published before the call is in the log. \p is_last: nothing follows but the end. Writer
 * thread.
 */
void recorder_drain_round(mprof_recorder *recorder, int partial, int is_last);

/** Whether all threads should be drained for a watermark: so that readers never hold back many events. */
int recorder_needs_watermark(const mprof_recorder *recorder);

/** Has the writer thread do a round as mprof_recorder_drain() does, with \p asked done at its end if it is not NULL. */
mprof_status recorder_request_round(mprof_recorder *recorder, unloading *asked);

/** Writes the slots of a buffer that were published and not drained yet, up to published. Writer thread. */
void recorder_drain_buffer(mprof_recorder *recorder, mprof_thread *thread, event_buffer *buffer, uint32_t published);

/** Gives back a buffer that was drained. Writer thread. */
void recorder_give_back(mprof_recorder *recorder, event_buffer *buffer);

/** The whole counter of a slot that has lost its top bits; it is near the last one, a little before or any time after. */
static inline uint64_t slot_counter(uint64_t last, uint64_t stamp)
{
	uint64_t difference = (stamp & ~UINT64_C(0xff)) - (last << 8);

	return last + (uint64_t)((int64_t)difference >> 8);
}

/** How many slots an event has that begins with this one. */
static inline uint32_t slot_count(const event_slot *slots)
{
	return (slots->stamp & SLOT_WIDE) != 0 ? SLOT_COUNT((uint32_t)slots[1].stamp & 0xff) : 1;
}

/** Counts events of a thread that are lost on the way from its buffer to the log. Writer thread. */
static inline void thread_count_lost(mprof_recorder *recorder, mprof_thread *thread, mprof_loss_cause cause,
				     uint64_t count)
{
	recorder->lost_total[cause] += count;
	thread->lost_untold[cause] += count;
}

/** Takes the definition of a class or a method. Writer thread. */
void keys_define(mprof_recorder *recorder, const message *defined);

/** Turns slots into recorder->events. Returns how many there are. Writer thread. */
size_t slots_convert(mprof_recorder *recorder, mprof_thread *thread, const event_slot *slots, uint32_t count);

/** How many events there are in slots. */
size_t slots_count_events(const event_slot *slots, uint32_t count);

/** Frees a thread's memory. */
void thread_release(mprof_recorder *recorder, mprof_thread *thread);

#endif
