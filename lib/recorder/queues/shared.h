/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/shared.h
 * \brief What all threads of a recorder share: constants, lock-free structures, and state guarded by locks.
 *
 * A recording thread owns its mprof_thread, except for the part marked as the writer thread's, and its current buffer.
 * The writer thread owns recorder_drain and recorder_output. All other state that several threads access is here.
 * Recording an event takes no lock, except to wait for a buffer; an event of a collection never does.
 */
#ifndef RECORDER_QUEUES_SHARED_H
#define RECORDER_QUEUES_SHARED_H

#include <mprof/recorder.h>

#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/heap_recording.h"
#include "recorder/queues/known_types.h"
#include "recorder/queues/message_queue.h"
#include "recorder/queues/salvage.h"
#include "recorder/queues/sample_store.h"
#include "recorder/system/counter.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/** A power of two: more collections than happen between two rounds of the writer thread. */
#define COLLECTION_TIMES 256

/*
 * An allocation has no time in the log: it has that of the event before it in its block. The blocks of a thread are
 * therefore divided where a collection began, so that a reader can count the collections that an object survived, and
 * distinguish objects that had one address before and after a collection.
 */

/**
 * Owner: the threads that record starts of collections, usually one at a time. Only the writer thread reads. It sees
 * the time of a collection before it sees an allocation that happened after the collection: the runtime restarts the
 * world in between. If two threads store at the same time, or more collections begin than there is room for, a time may
 * be overlooked; a block is then not divided there.
 */
typedef struct collection_times {
	_Atomic uint64_t counters[COLLECTION_TIMES];
	_Atomic uint32_t count;
} collection_times;

/** Notes that a collection begins. Takes no lock and does not wait. */
static inline void collection_times_add(collection_times *times, uint64_t counter)
{
	uint32_t index = atomic_load_explicit(&times->count, memory_order_relaxed);

	atomic_store_explicit(&times->counters[index % COLLECTION_TIMES], counter, memory_order_relaxed);
	/* Release: pairs with the acquire in collection_times_after(), which then sees the counter. */
	atomic_store_explicit(&times->count, index + 1, memory_order_release);
}

/** The start of the first collection after a counter; UINT64_MAX if none is known. Writer thread. */
static inline uint64_t collection_times_after(const collection_times *times, uint64_t counter)
{
	uint32_t count = atomic_load_explicit(&times->count, memory_order_acquire);
	uint64_t found = UINT64_MAX;

	for (uint32_t i = 0; i < count && i < COLLECTION_TIMES; i++) {
		uint64_t start = atomic_load_explicit(&times->counters[(count - 1 - i) % COLLECTION_TIMES],
						      memory_order_relaxed);

		if (start <= counter)
			break;
		found = start;
	}
	return found;
}

/*
 * Where the system supports it, a page is marked to read as zeros in children. The check then costs a load instead of a
 * system call; it is made at each change of buffers and in each sample. A child made by vfork() shares the page, so it
 * is treated as the process itself.
 */

typedef struct fork_guard {
	const volatile unsigned char *page; /**< Contains 1 in its process and 0 in children; NULL if none. */
	pid_t process;
} fork_guard;

/** Always succeeds: without a page, process IDs are compared. */
void fork_guard_init(fork_guard *guard);
void fork_guard_destroy(fork_guard *guard);

/** Maximum of mprof_recorder_options::drain_threads. */
#define MAX_DRAIN_THREADS 64

/** With the writer thread. */
#define MAX_OWN_THREADS (MAX_DRAIN_THREADS + 1)

/** Number of lists of threads by ID, a power of two. */
#define THREAD_LISTS 1024

/**
 * A bit of recorder_shared::detail in addition to those of #mprof_allocation_detail: other events keep their call
 * stacks.
 */
#define DETAIL_STACKS 0x100
/** Exceptions keep their call stacks (option exception_stacks). */
#define DETAIL_EXCEPTION_STACKS 0x200
/** Exception clauses are recorded (option exception_clauses). A lossy writer counts them if the log has none. */
#define DETAIL_EXCEPTION_CLAUSES 0x400
/** References of heap snapshots keep their offsets, and classes their fields. */
#define DETAIL_HEAP_OFFSETS 0x800
/** METHOD_CODE events are recorded (option method_code). */
#define DETAIL_METHOD_CODE 0x1000
/** The events of the holders of monitors: the log has their directive. */
#define DETAIL_MONITOR_HOLDERS 0x2000
/** Objects that are freed or resized are recorded (option object_events). A lossy writer counts them if it must. */
#define DETAIL_OBJECT_EVENTS 0x4000
/** The bits of #mprof_allocation_detail. */
#define DETAIL_OF_ALLOCATIONS 0xff

/** The request of a thread that waits in mprof_recorder_retire_keys(). It is on the stack of that thread. */
typedef struct retire_request {
	struct retire_request *next;   /**< Guarded by recorder_shared::state_lock. */
	const mprof_key_range *ranges; /**< Sorted and disjoint. Constant while the request waits. */
	size_t count;
	uint64_t round; /**< Value of recorder_shared::drain_requested that serves it. */
} retire_request;

/**
 * Where threads of the program wait for the writer thread, with a lock that is released meanwhile. Waiting on Linux is
 * no cancellation point, unlike at a condition variable: see base/cancellation.h.
 */
typedef struct wait_point {
#if defined(__linux__)
	_Atomic uint32_t wakes; /**< Incremented under the lock. Relaxed: the lock orders it. */
#else
	pthread_cond_t condition;
#endif
} wait_point;

/**
 * Waits until the point is woken, at most \p nanoseconds, less than a second; 0: without a limit. Returns 0 if it was
 * not woken meanwhile; 1 also without a cause. The caller holds the lock. Keeps errno.
 */
int wait_point_wait(wait_point *point, pthread_mutex_t *lock, long nanoseconds);

/** Wakes all threads that wait. The caller holds the lock. Keeps errno. */
void wait_point_wake(wait_point *point);

typedef struct recorder_shared {
	/* Constant once the recorder is open: any thread reads them without ordering. */
	mprof_allocator allocator;
	counter_source counter;
	fork_guard origin;          /**< A child made by fork() has no writer thread. */
	uint32_t overflow;          /**< A #mprof_overflow. */
	uint32_t detail;            /**< What events keep: what was requested and the dialect supports. */
	int takes_switches;         /**< Switches are recorded: the dialect supports them, or the writer is lossy. */
	int takes_types;            /**< Events of types are recorded: as takes_switches. */
	int takes_clocks;           /**< Clocks, timelines and processes are recorded: as takes_switches. */
	int keys_are_ids;           /**< The client's keys are the IDs of the log. */
	int records_thread_times;   /**< See recorder/drain/drain.h. */
	uint64_t max_name_length;   /**< Bytes. */
	counter_instant opened;     /**< From when on the rate of the counter is measured. */
	double counters_per_second; /**< In the unit of counter_read(); 0: it is measured. */

	recorder_salvage salvage; /**< What outlives the process. */

	/* Lock-free: each declares which threads may do what. */
	buffer_pool pool;
	message_queue messages;
	sample_store samples;
	heap_recording heap;
	collection_times collections;
	known_types types;   /**< Recording takes no lock. */
	known_clocks clocks; /**< With a lock of its own. */

	sem_t work; /**< Posted for full buffers, requests and closing; the writer thread waits. Async-signal-safe. */
	/**
	 * 1 from the start of mprof_recorder_close() on: recording ends. Sequentially consistent store, acquire load by
	 * the writer thread, whose last round then sees everything recorded before.
	 */
	_Atomic int closing;
	/**
	 * The mprof_status that ended the writing of the log, #MPROF_OK until then. The writer thread stores it;
	 * relaxed, since nothing else is read because of it.
	 */
	_Atomic uint32_t failed;
	_Atomic int enabled; /**< Changed under threads_lock, read relaxed. */
	/**
	 * The values of pthread_self() on the writer thread and the drain threads, 0 where none runs. Relaxed: only the
	 * thread itself compares equal, and it has stored the value itself.
	 */
	_Atomic(pthread_t) own_threads[MAX_OWN_THREADS];
	/**
	 * Number of threads, ended ones included, that have switched to another stack than their own. Release before
	 * the switch is published, acquire after slots were seen: so the count includes every thread whose switch the
	 * writer thread can see.
	 */
	_Atomic uint32_t switching_threads;
	_Atomic uint32_t metrics_defined; /**< Raised under state_lock, with release after the definition was pushed. */

	pthread_mutex_t wait_lock;         /**< For threads that wait for a buffer or for room for a message. */
	wait_point buffers_free;           /**< Woken when buffers were given back, and at closing. */
	_Atomic uint32_t waiting;          /**< Threads that wait. Incremented before the pool is checked. */
	uint32_t wake_buffers;             /**< Buffers to give back before threads are woken within a round. */
	_Atomic uint32_t given_back;       /**< Buffers that were given back since then. Relaxed: only a count. */
	wait_point room_free;              /**< Woken when messages were released, and at closing. */
	_Atomic uint32_t waiting_for_room; /**< Threads that wait for it. Incremented before the room is checked. */
	uint32_t room_given_up_in;         /**< Value of blocking when a thread last gave up. Guarded by wait_lock. */
	_Atomic uint32_t blocking;    /**< Odd while the writer thread may wait for others, which then must not wait. */
	_Atomic uint64_t waits;       /**< Number of waits. Relaxed: a statistic. */
	_Atomic uint64_t cut_texts;   /**< Texts in events that were shortened. Relaxed: a statistic. */
	pthread_mutex_t threads_lock; /**< Guards the lists of threads and the count. */
	mprof_thread *threads;        /**< Newest first. Only the writer thread removes threads. */
	/** The same threads by their IDs, newest first in each list, so that one is found among many. */
	mprof_thread *threads_by_id[THREAD_LISTS];
	uint32_t next_serial;

	pthread_mutex_t state_lock; /**< Guards what follows. */
	wait_point drained;         /**< Woken when drain_completed grows. */
	/**
	 * Number of requested rounds. Incremented with release under the lock; the writer thread loads it with acquire,
	 * without the lock, so the round sees what the caller recorded before.
	 */
	_Atomic uint64_t drain_requested;
	uint64_t drain_completed;
	retire_request *retiring;     /**< Requests that no round has served yet. */
	int closed;                   /**< No more requests are accepted. */
	mprof_recorder_stats stats;   /**< As of the end of the last round. Stored by the writer thread. */
	mprof_writer_stats log_stats; /**< Those of the writer, at the same time. */
} recorder_shared;

/** Creates the locks. Returns 0 if the system refuses. */
int recorder_init_locks(recorder_shared *shared);
void recorder_destroy_locks(recorder_shared *shared);

/** Whether the process is a child made by fork(), which has no writer thread. Any thread; async-signal-safe. */
int recorder_in_child(const recorder_shared *shared);

/** The error that ended the writing of the log, or #MPROF_OK. Any thread; async-signal-safe. */
static inline mprof_status recorder_failure(const recorder_shared *shared)
{
	return (mprof_status)atomic_load_explicit(&shared->failed, memory_order_relaxed);
}

/** Marks the calling thread as the writer thread or a drain thread, until recorder_end_own_thread(). */
void recorder_begin_own_thread(recorder_shared *shared);
void recorder_end_own_thread(recorder_shared *shared);

/**
 * Whether the calling thread is the writer thread or a drain thread: it must wait for nothing that these threads do,
 * since they wait for each other.
 */
int recorder_on_own_thread(const recorder_shared *shared);

/**
 * Gives the definition of a metric the next ID, and hands it to the writer thread. Returns the ID. Any thread; the
 * message is the writer thread's from here on.
 */
uint32_t recorder_define_metric(recorder_shared *shared, message *definition);

/** Whether the log can contain a name: it has no NUL inside and is not too long. Any thread. */
int recorder_name_is_writable(const recorder_shared *shared, const char *name, size_t length);

/**
 * Reads the recorder's counter and the wall clock. \p user is the recorder_shared. As #mprof_clock_function; any
 * thread.
 */
void recorder_read_clock(void *user, mprof_clock *now);

/**
 * The newest thread of the list. Threads are added at the head and only the writer thread removes them, so the writer
 * thread may follow the links from there without the lock.
 */
mprof_thread *recorder_threads(recorder_shared *shared);

/**
 * Gives a buffer that was drained back to the pool. Threads that wait are woken once there are several, or else at the
 * end of the round: with one at a time, all threads would wake for it and most of them wait again. Writer thread and
 * drain threads.
 */
void recorder_give_back(recorder_shared *shared, event_buffer *buffer);

/** Wakes threads that wait for a buffer. */
void recorder_wake_waiting(recorder_shared *shared);

/** Wakes threads that wait for room for a message. Any thread. */
void recorder_wake_senders(recorder_shared *shared);

/**
 * Waits once for the writer thread to wake \p point. The caller holds wait_lock, and has loaded \p blocking after
 * it was counted as waiting. \p given_up_in is kept between calls: the value of recorder_shared::blocking with which
 * the wait was given up.
 * Returns 0 if it must not wait any more: the writer thread has been waiting for the loader's lock for long, and this
 * thread may be the one that holds it. After that the thread does not wait again until the writer thread has left the
 * loader.
 */
int recorder_wait(recorder_shared *shared, wait_point *point, uint32_t blocking, uint32_t *given_up_in);

/** Waits at \p point for a short time. The caller holds wait_lock. Returns 0 if nothing happened meanwhile. */
int recorder_wait_shortly(recorder_shared *shared, wait_point *point);

/**
 * Begins or ends a call of the loader by the writer thread. A thread inside the loader holds its lock and may record
 * events, since the loader calls malloc() and free(). If it then waited for the writer thread, both would wait for each
 * other. So until the call ends, such a thread gets a buffer beyond the bound, or drops the event after a short wait.
 * Writer thread.
 */
void recorder_begin_blocking(recorder_shared *shared);
void recorder_end_blocking(recorder_shared *shared);

#endif
