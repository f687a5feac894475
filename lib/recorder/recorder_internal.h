/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recorder_internal.h
 * \brief What the parts of the recorder share.
 *
 * Who owns what: a thread that records owns its mprof_thread (but for the part marked as the writer thread's) and its
 * current buffer. The writer thread owns the mprof_writer, the key tables and all drained state. What both touch is
 * atomic or says which lock guards it. Locks are never taken while an event is recorded, except to wait for a buffer, and
 * never by an event of a collection.
 */
#ifndef RECORDER_RECORDER_INTERNAL_H
#define RECORDER_RECORDER_INTERNAL_H

#include <mprof/recorder.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "recorder/buffer_pool.h"
#include "recorder/counter.h"
#include "recorder/key_table.h"
#include "recorder/leave_stack.h"
#include "recorder/message_queue.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

struct mprof_thread {
	/** The buffer events go to, or one of capacity 0. The owner stores with release; the writer thread loads with
	 * acquire to drain what is not full yet. */
	_Atomic(event_buffer *) current;
	mprof_recorder *recorder;
	counter_source counter; /**< A copy: recording touches this line and the buffer's only. */
	uint64_t id;
	uint32_t serial;        /**< Never used twice in a recorder. */
	uint32_t sequence;      /**< Place of the current buffer in the chain. Owner. */

	/** Events lost, by cause. The owner alone adds, relaxed; the writer thread reads. */
	_Atomic uint64_t lost[MPROF_LOSS_CAUSE_COUNT];
	/** 1 once the handle ended and all its buffers are handed over; stored with release by mprof_recorder_detach(). */
	_Atomic int detached;

	char padding[CACHE_LINE]; /**< The writer thread's part is on cache lines of its own. */
	/* The rest is the writer thread's. */
	mprof_thread *next;       /**< In recorder->threads; written under threads_lock. */
	uint32_t next_sequence;                  /**< Place in the chain of the buffer that is drained next. */
	uint64_t last_counter;                   /**< Full counter of the last event drained. */
	uint64_t lost_written[MPROF_LOSS_CAUSE_COUNT];
	uint64_t lost_draining;                  /**< Events without an ID for want of memory, not written yet. */
	leave_stack stack;
};

struct mprof_recorder {
	mprof_allocator allocator;
	counter_source counter;
	uint32_t overflow;
	uint32_t drain_interval_ms;
	mprof_resolve_function resolve[2]; /**< By key_subject. */
	void *resolve_user;
	pid_t process;                     /**< A child made by fork() has another one, and no writer thread. */

	buffer_pool pool;
	message_queue messages;

	/** 1 from the begin of mprof_recorder_close(): recording ends. */
	_Atomic int closing;
	sem_t work;                        /**< Posted for a full buffer, a request to drain, and closing. */

	pthread_mutex_t wait_lock;         /**< With buffers_free: for threads without a buffer. */
	pthread_cond_t buffers_free;
	_Atomic uint32_t waiting;          /**< Threads that wait for a buffer. */
	_Atomic uint64_t waits;

	pthread_mutex_t threads_lock;      /**< Guards the head of the list and the counts below. */
	mprof_thread *threads;             /**< Only the writer thread unlinks. */
	uint32_t next_serial;

	pthread_mutex_t state_lock;        /**< Guards what follows, up to stats. */
	pthread_cond_t drained;
	_Atomic uint64_t drain_requested;  /**< Raised under the lock, read by the writer thread without it. */
	uint64_t drain_completed;
	int closed;
	mprof_recorder_stats stats;        /**< As of the end of the last round. */
	pthread_t writer_thread;

	/* The rest is the writer thread's once it runs. */
	mprof_writer *writer;
	uint64_t max_name_length;
	int keys_are_ids;                  /**< Constant. */
	int implicit_leaves;               /**< The log declares directive 16. */
	mprof_status status;               /**< The error that stopped the writing. */
	mprof_error error;
	key_table keys[2];                 /**< By key_subject. */
	hash_map elements;                 /**< Element key → element ID. */
	uint32_t next_element_id;
	mprof_event *events;               /**< Room for one buffer. */
	uint64_t lost_total[MPROF_LOSS_CAUSE_COUNT];
	uint64_t unresolved_keys;
};

/** Whether the process is a child made by fork(), which has no writer thread. */
int recorder_in_child(const mprof_recorder *recorder);

/** Whether the log can hold a name: no NUL inside, not too long. */
int recorder_name_is_writable(const mprof_recorder *recorder, const char *name, size_t length);

/** Writes all that is to be written: full buffers, and with \p partial those that are not full too. Writer thread. */
void recorder_drain_round(mprof_recorder *recorder, int partial);

/** Frees a thread's memory. */
void thread_release(mprof_recorder *recorder, mprof_thread *thread);

#endif
