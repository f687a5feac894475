/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/known_types.h
 * \brief The texts, arguments and types of events that a client has defined: their IDs, and what threads must know of
 * a type to record its events; and the clocks, with the pairs of their values and the counter, by which their times
 * are converted.
 *
 * Definitions take a lock, which no thread holds while it waits for anything. Recording takes none: a type is
 * published once, and stays as it is until the recorder is destroyed. The clocks have a lock of their own.
 */
#ifndef RECORDER_QUEUES_KNOWN_TYPES_H
#define RECORDER_QUEUES_KNOWN_TYPES_H

#include <mprof/recorder.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "format/values/clock_conversion.h"
#include "recorder/queues/message_queue.h"

#include <pthread.h>
#include <stdatomic.h>

/** A byte of known_type::arguments: an #mprof_argument_encoding, and these bits. */
#define KNOWN_ENCODING_MASK 3
#define KNOWN_IS_DURATION 4 /**< A number of counters, which is converted to those of the log. */
#define KNOWN_IS_TEXT 8     /**< A text in the event, which may be shortened. */
#define KNOWN_IS_SPAN 16    /**< The duration of the span. */

/**
 * The bits above these: what the argument is for a sample, a #known_sample_role. In known_type::sample_layout they are
 * in the order of the arguments, the first one in the lowest bits.
 */
#define KNOWN_SAMPLE_SHIFT 5
#define KNOWN_SAMPLE_BITS 3

/** What a number of a sample is. 0 ends a layout. */
typedef enum known_sample_role {
	KNOWN_SAMPLE_END,
	KNOWN_SAMPLE_THREAD,
	KNOWN_SAMPLE_STACK,
	KNOWN_SAMPLE_WEIGHT,
	KNOWN_SAMPLE_CPU,
	KNOWN_SAMPLE_MODE
} known_sample_role;

/** In known_type::sample_layout: the type is a kind of samples that can be recorded. */
#define KNOWN_IS_SAMPLE (UINT32_C(1) << 31)

/** The number of arguments that a layout has room for. */
#define KNOWN_SAMPLE_ARGUMENTS 10

/** known_type::duration of a type without one. */
#define KNOWN_NO_DURATION UINT32_MAX

/** A type of events. Constant once it is published. */
typedef struct known_type {
	uint32_t argument_count;
	uint32_t duration;      /**< Index of the argument that is the duration of the span; #KNOWN_NO_DURATION. */
	uint32_t has_bytes;     /**< 1: an argument has the encoding #MPROF_ENCODING_BYTES. */
	uint32_t sample_layout; /**< #KNOWN_IS_SAMPLE and what its arguments are; 0 for other types. */
	uint8_t arguments[];
} known_type;

/** Length of a table of types, and the number of tables. */
#define KNOWN_TABLE_LENGTH 1024
#define KNOWN_TABLE_COUNT (MPROF_RECORDED_DEFINITIONS_MAX / KNOWN_TABLE_LENGTH)

/** Texts, arguments, types or ranges of code: what has a sequence of IDs of its own. */
typedef enum known_kind { KNOWN_TEXT, KNOWN_ARGUMENT, KNOWN_TYPE, KNOWN_CODE, KNOWN_KIND_COUNT } known_kind;

/** A text that has an ID. */
typedef struct known_text {
	char *text;
	size_t length;
	uint64_t hash;
} known_text;

typedef struct known_types {
	mprof_allocator allocator; /**< Constant. */
	/**
	 * The types by ID - 1, in tables of #KNOWN_TABLE_LENGTH. A table, and a type in it, is stored once, with
	 * release, under the lock. Any thread loads them with acquire.
	 */
	_Atomic(_Atomic(known_type *) *) tables[KNOWN_TABLE_COUNT];

	pthread_mutex_t lock; /**< Guards what follows. */
	uint32_t counts[KNOWN_KIND_COUNT];
	hash_index text_index; /**< Its slots are positions in texts. */
	known_text *texts;     /**< By ID - 1. */
	size_t text_capacity;
	uint8_t *arguments; /**< By ID - 1: as known_type::arguments. */
	size_t argument_capacity;
} known_types;

/** Returns 0 if the system refuses a lock. \p types is all 0. */
int known_types_init(known_types *types, const mprof_allocator *allocator);
void known_types_destroy(known_types *types);

/** A type, or NULL if none has the ID. Any thread; takes no lock. */
static inline const known_type *known_types_find(const known_types *types, uint32_t id)
{
	const uint32_t index = id - 1;
	_Atomic(known_type *) *table;

	if (__builtin_expect(index >= MPROF_RECORDED_DEFINITIONS_MAX, 0))
		return NULL;
	table = atomic_load_explicit(&types->tables[index / KNOWN_TABLE_LENGTH], memory_order_acquire);
	return table != NULL ? atomic_load_explicit(&table[index % KNOWN_TABLE_LENGTH], memory_order_acquire) : NULL;
}

/** The ID of a text that is defined, else 0. Any thread. */
uint32_t known_types_find_text(known_types *types, const char *text, size_t length);

/**
 * Gives a definition, #MESSAGE_DEFINE_TEXT, #MESSAGE_DEFINE_ARGUMENTS, #MESSAGE_DEFINE_TYPE or #MESSAGE_DEFINE_CODE,
 * the next ID, and pushes it: the log has definitions in the order of their IDs. Any thread.
 * \param id Receives the ID, that of the first argument.
 * \return #MPROF_OK: the message is the writer thread's. In all other cases it is the caller's, and nothing is defined:
 * - #MPROF_ERR_REDEFINED_ID if the text has an ID.
 * - #MPROF_ERR_UNDEFINED_ID if a type refers to an argument, a text or a type that is not defined.
 * - #MPROF_ERR_LIMIT if there are too many.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status known_types_define(known_types *types, message_queue *messages, message *definition, uint32_t *id);

/** Whether a range of code has the ID. Any thread. */
int known_types_has_code(known_types *types, uint32_t id);

/*
 * Clocks. A lock guards all; no thread holds it while it waits for anything.
 */

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
