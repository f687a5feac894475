/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/known_clocks.h
 * \brief The clocks that a client has defined, with the pairs of their values and the counter, by which their times are
 * converted. A lock guards all; no thread holds it while it waits for anything.
 */
#ifndef RECORDER_QUEUES_KNOWN_CLOCKS_H
#define RECORDER_QUEUES_KNOWN_CLOCKS_H

#include <mprof/recorder.h>

#include "base/allocator.h"
#include "format/values/clock_conversion.h"
#include "recorder/queues/message_queue.h"

#include <pthread.h>

/** How many pairs of a clock are kept: the first one, and the latest. */
#define KNOWN_CLOCK_PAIRS 4096

typedef struct known_clock {
	clock_ratio rate; /**< Ticks per second; 0 if not known. */
	mprof_clock_pair_record *pairs;
	size_t count;
	size_t capacity;
} known_clock;

typedef struct known_clocks {
	mprof_allocator allocator; /**< Constant. */
	pthread_mutex_t lock;      /**< Guards what follows. */
	known_clock
		*clocks[MPROF_RECORDED_CLOCKS_MAX]; /**< By ID - 1; the first one is the counter of the log: NULL. */
	uint32_t count;
} known_clocks;

/** Returns 0 if the system refuses a lock. */
int known_clocks_init(known_clocks *clocks, const mprof_allocator *allocator);
void known_clocks_destroy(known_clocks *clocks);

/**
 * Gives a clock, #MESSAGE_DEFINE_CLOCK, the next ID, and pushes it. Any thread.
 * \return #MPROF_OK: the message is the writer thread's. Otherwise #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY; the message
 * is the caller's, and nothing is defined.
 */
mprof_status known_clocks_define(known_clocks *clocks, message_queue *messages, message *definition, uint32_t *id);

/**
 * Adds a pair, #MESSAGE_CLOCK_PAIR, and pushes it. Any thread.
 * \return #MPROF_OK: the message is the writer thread's. In all other cases it is the caller's, and nothing is added:
 * - #MPROF_ERR_UNDEFINED_ID if no client has defined the clock.
 * - #MPROF_ERR_ARGUMENT if the pair goes back.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status known_clocks_add_pair(known_clocks *clocks, message_queue *messages, message *pair);

/** Whether a clock is defined. Any thread. */
int known_clocks_has(known_clocks *clocks, uint32_t id);

/**
 * Converts a value. \p counters: the counters per second. \return What mprof_recorder_convert_time() returns. Any
 * thread.
 */
mprof_status known_clocks_convert(known_clocks *clocks, uint32_t id, const clock_ratio *counters, uint64_t value,
				  uint64_t *counter);

/** Whether the result for a value depends on the counters per second. Any thread. */
int known_clocks_need_rate(known_clocks *clocks, uint32_t id, uint64_t value);

#endif
