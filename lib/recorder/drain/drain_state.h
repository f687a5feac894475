/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/drain_state.h
 * \brief The writer thread's own state. A function that takes a recorder_drain is called on the writer thread alone,
 * unless it is constant.
 */
#ifndef RECORDER_DRAIN_DRAIN_STATE_H
#define RECORDER_DRAIN_DRAIN_STATE_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "base/thread_map.h"
#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/message_queue.h"
#include "recorder/queues/salvage.h"
#include "recorder/queues/shared.h"
#include "recorder/system/counter.h"
#include "recorder/tables/heap_drain.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/output.h"
#include "recorder/tables/roots.h"
#include "recorder/tables/stacks.h"
#include "recorder/tables/written_types.h"
#include "writer/events.h"

#include <pthread.h>
#include <string.h>

/**
 * Number of bits of an index. 4,096 keys of 16 bytes fit into the second cache of most processors, and programs rarely
 * call more methods in a while. With fewer bits, more keys are searched in the tables, which takes much longer.
 */
#define KEY_CACHE_BITS 12

/** A key with one version, whose ID thus does not depend on the time of an event. */
typedef struct cached_key {
	mprof_key key;        /**< 0: empty. */
	uint32_t id;          /**< In the log. */
	uint32_t object_size; /**< The fixed size of a class's objects; 0 if it has none. */
} cached_key;

typedef struct key_cache {
	cached_key keys[1 << KEY_CACHE_BITS];
} key_cache;

static inline void key_cache_clear(key_cache *cache)
{
	memset(cache->keys, 0, sizeof(cache->keys));
}

/** The two elements for a key. */
static inline cached_key *key_cache_pair(key_cache *cache, mprof_key key)
{
	/* Keys are often at regular distances: without the second multiplication, many of them would share elements. */
	return &cache->keys[hash_key(0, key) >> (64 - KEY_CACHE_BITS) & ~(uint64_t)1];
}

/** The element of a key, or any other one if the cache does not contain the key. Does not branch. */
static inline const cached_key *key_cache_find(key_cache *cache, mprof_key key)
{
	const cached_key *pair = key_cache_pair(cache, key);

	return pair + (pair->key != key);
}

/** Adds a key that the cache does not contain, and evicts the older one of its pair. Returns its element. */
static inline const cached_key *key_cache_put(key_cache *cache, const cached_key *added)
{
	cached_key *pair = key_cache_pair(cache, added->key);

	pair[1] = pair[0];
	pair[0] = *added;
	return pair;
}

typedef struct open_block {
	event_collector events;
	struct mprof_thread *thread; /**< Whose events it contains; NULL: there is no block. */
	event_buffer *last;          /**< The buffer of the last events. */
	/** Full buffers, all of whose events are in the block or in the log, linked by next_full. They are given back
	 * after the commit that covers them. */
	event_buffer *held;
	uint32_t held_count;     /**< Number of them. */
	uint64_t start_counter;  /**< Base counter of the block, in the units of slots. */
	uint64_t buffer_counter; /**< event_encoder::last_counter before the events of the last buffer. */
	uint32_t most_events;    /**< A block to which another buffer is added does not exceed this. Constant. */
	int is_encoded;          /**< open_block::events has the content of the block. */
	mprof_status status;     /**< Other than #MPROF_OK if the block cannot be written. */
	uint32_t generation;     /**< recorder_keys::generation at which the caches are valid. */
	key_cache methods;
	key_cache classes;
} open_block;

/** The block of a recording thread in a round. */
typedef struct drain_job {
	open_block block;
	struct mprof_thread *thread; /**< NULL: the job is free. */
	uint32_t slots;              /**< Slots that were converted last. */
	int is_slow;                 /**< The next slot is for the writer thread. */
	struct drain_job *next;      /**< In the list that it is in. */
} drain_job;

typedef struct drain_threads {
	/* Constant while the writer thread runs. */
	uint32_t wanted; /**< From the options. */
	uint32_t count;  /**< Threads that run. With less than two, the writer thread converts all buffers. */
	uint32_t job_count;
	drain_job *jobs;
	pthread_t handles[MAX_DRAIN_THREADS];
	const struct recorder_drain *drain;

	/**
	 * Guards what follows. The thread that takes a job from a list owns it, its block, and the drain part of its
	 * recording thread, until it adds the job to another list. The lock makes all changes visible to the next
	 * owner.
	 */
	pthread_mutex_t lock;
	pthread_cond_t work; /**< Signalled when a job waits, and at the end. */
	pthread_cond_t done; /**< Signalled when a job is finished. */
	drain_job *waiting;
	drain_job *finished;
	int is_ending;
} drain_threads;

/*
 * Definitions stay pending until the next values, or the end of the batch of messages, to share a block.
 */

/** The value of a metric in the log. */
typedef struct metric_state {
	uint64_t value;
	uint64_t block; /**< Number of its block in a ring; 0 without one. */
	int has_value;
} metric_state;

typedef struct metric_table {
	mprof_allocator allocator;
	const mprof_allocator *messages; /**< The allocator of messages. */
	recorder_output *output;
	metric_state *states; /**< By ID - 1. */
	size_t capacity;
	message *waiting;      /**< Definitions that are not in the log yet, the oldest first. */
	message *newest;       /**< The last of them. */
	message *written;      /**< Definitions that are in the log, which may not be committed yet. */
	mprof_record *records; /**< The records of a block. */
	size_t record_capacity;
} metric_table;

/** A slot at which a thread switches between stacks: see recorder/drain/drain.c. */
typedef struct stack_point stack_point;

/**
 * Owner: the writer thread once it runs; before that and after its end, the thread that opens or frees the recorder.
 */
typedef struct recorder_drain {
	recorder_shared *shared;
	recorder_output *output;

	/* Constant. */
	uint32_t buffer_events; /**< Capacity of buffers, and so of the arrays below. */
	uint32_t interval_ms;   /**< Time between rounds that drain buffers which are not full. */
	void (*failed)(void *user, const mprof_error *error); /**< As in the options. May be NULL. */
	void *failed_user;
	int has_failed;                     /**< recorder_shared::failed is set. */
	void (*thread_started)(void *user); /**< Called on the writer thread before all else. May be NULL. */
	void (*thread_ended)(void *user);   /**< Called on the writer thread after all else. May be NULL. */
	void *thread_user;

	recorder_keys keys;
	stack_store stacks;
	metric_table metrics;
	written_types types;
	root_table roots;
	heap_drain heap;

	mprof_event *events;         /**< The events of one buffer. */
	mprof_event_detail *details; /**< The details of wide events. */

	open_block block; /**< In columns. There is none between rounds. */
	drain_threads threads;

	counter_rate rate;         /**< The frequency of the counter. */
	uint64_t latest_counter;   /**< The highest counter of events and samples that were drained. */
	uint64_t samples_written;  /**< Samples in the log. */
	salvage_progress progress; /**< Made valid by the next salvage_commit(). */
	salvage_tail tail;         /**< Of a compressed log. */

	/* Watermarks. */
	uint64_t memory_events; /**< Events of native memory since the last watermark. */
	uint64_t whole_round; /**< Counter before a round that drained all threads, for the next watermark; 0: none. */
	uint64_t ring_round;  /**< Of a ring: counter before the last round that drained all threads. */
	uint64_t whole_round_time; /**< When that round ended, in nanoseconds of the monotonic clock. */

	stack_table switched; /**< Call stacks that threads switch between: #switched_stack. */
	/* State of rounds that order stacks: see recorder/drain/drain.c. */
	stack_point *stack_points;
	size_t stack_point_count;
	size_t stack_point_capacity;
	uint32_t round_number;
	int order_has_failed; /**< There was no memory to order this round, so its events are lost. */
} recorder_drain;

#endif
