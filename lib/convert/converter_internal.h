/* SPDX-License-Identifier: MIT */
/**
 * \file convert/converter_internal.h
 * \brief The struct of the converter, for the files of lib/convert alone.
 *
 * converter.c chooses the unit of counters and the directives of the copy, iterates over the blocks, and copies those
 * that have neither definitions nor events. copy_definitions.c copies those with definitions, and copy_events.c those
 * with events, whose switches between call stacks it replaces where needed.
 *
 * If several logs are merged, each has a converter, which merger.c runs, and all of them write to the same writer. The
 * numbers of a log are then translated to those of the merged log, which merge_input.c chooses: of records by
 * copy_definitions.c, of events by copy_events.c, of blocks by merge_blocks.c, which also copies the properties.
 *
 * Functions that copy return #MPROF_OK or the error that ends the copy: one of the writer, or #MPROF_ERR_MEMORY. Damage
 * in the log is reported by converter_read_failed() and does not end the copy, unless no more blocks can be read.
 */
#ifndef CONVERT_CONVERTER_INTERNAL_H
#define CONVERT_CONVERTER_INTERNAL_H

#include <mprof/convert.h>

#include "base/call_frames.h"
#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/thread_map.h"
#include "format/blocks/records.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"
#include "reader/reader.h"
#include "writer/writer.h"

/**
 * A coarser unit of counters for the copy. Everything that the converter reads is converted when it is read, apart from
 * the base counters of EVENTS blocks, which copy_events.c compares with each other first.
 */
typedef struct copy_resolution {
	uint64_t origin;      /**< Counter at the start of the log: later counters may have passed 2^64. */
	int64_t divisor;      /**< Units of the log in one unit of the copy; 1 if the unit stays the same. */
	uint64_t nanoseconds; /**< The unit that the caller requested. */

	/* A log whose counter is not that of the merged log: counters are converted linearly instead. */
	int is_scaled;
	double scale;           /**< Units of the merged log in one unit of the log. */
	uint64_t scaled_origin; /**< The counter of the merged log at origin. */
} copy_resolution;

/** The greatest distance from the origin that is converted, in units of the merged log; others are cut to it. */
#define MAX_SCALED_DISTANCE ((double)(INT64_C(1) << 62))

/** Whether the unit of the copy is not that of the log. */
static inline int resolution_is_coarser(const copy_resolution *resolution)
{
	return resolution->divisor > 1;
}

/** Whether counters of the copy differ from those of the log. */
static inline int resolution_changes(const copy_resolution *resolution)
{
	return resolution_is_coarser(resolution) || resolution->is_scaled;
}

/** Converts a counter to that of the merged log, rounding down. */
static inline uint64_t resolution_scaled_counter(const copy_resolution *resolution, uint64_t counter)
{
	double distance = (double)(int64_t)(counter - resolution->origin) * resolution->scale;
	int64_t whole;

	if (distance > MAX_SCALED_DISTANCE)
		distance = MAX_SCALED_DISTANCE;
	else if (!(distance > -MAX_SCALED_DISTANCE))
		distance = -MAX_SCALED_DISTANCE;
	whole = (int64_t)distance;
	whole -= (double)whole > distance;
	return resolution->scaled_origin + (uint64_t)whole;
}

/** Converts a duration. */
static inline uint64_t resolution_duration(const copy_resolution *resolution, uint64_t duration)
{
	if (resolution->is_scaled)
		return resolution_scaled_counter(resolution, resolution->origin + duration) - resolution->scaled_origin;
	return duration / (uint64_t)resolution->divisor;
}

/** Converts a counter, rounding down. The order of counters stays; different ones may become equal. */
static inline uint64_t resolution_counter(const copy_resolution *resolution, uint64_t counter)
{
	int64_t difference;
	int64_t quotient;

	if (resolution->is_scaled)
		return resolution_scaled_counter(resolution, counter);
	if (!resolution_is_coarser(resolution))
		return counter;
	difference = (int64_t)(counter - resolution->origin);
	quotient = difference / resolution->divisor;
	quotient -= difference % resolution->divisor < 0;
	return resolution->origin / (uint64_t)resolution->divisor + (uint64_t)quotient;
}

/*
 * A writer requires IDs without gaps. A log has gaps after damaged blocks with definitions. IDs before the first gap
 * are unchanged, and need no memory.
 */

typedef struct id_translation {
	uint32_t defined; /**< The IDs 1 to this one are defined in the copy. */
	uint32_t same;    /**< IDs up to this one are unchanged in the copy. */
	id_map moved;     /**< For all other IDs: the ID in the copy. */
} id_translation;

/** The ID in the copy; 0 for 0 and for an ID that is not defined. */
static inline uint32_t id_translation_get(const id_translation *translation, uint32_t id)
{
	return id <= translation->same ? id : id_map_get(&translation->moved, id);
}

/** Declarations for a log as a whole. */
typedef struct log_declarations {
	const dialect_rules *rules;
	uint64_t directives; /**< As #MPROF_DIRECTIVE_BIT. */
	uint64_t flags;      /**< Flags of INTRO. */
} log_declarations;

/** Events fetched from the reader at a time. */
#define CONVERTER_BATCH 2048

/** A call stack that threads switch to and from. */
typedef struct switched_calls {
	stack_state state; /**< state.thread is the index of its thread plus 1. */
	call_frames calls; /**< Only methods. */
} switched_calls;

/** The state of a thread between its blocks. */
typedef struct thread_state {
	uint64_t thread;
	uint64_t base_counter; /**< Base counter of its last block in the log, in the unit of the log. */
	uint64_t begun_at;     /**< Base counter of its last block in the copy. */
	uint64_t last_counter; /**< Counter of its last event. */
	int has_block;
	int has_begun;         /**< begun_at is set. */
	call_frames own_calls; /**< Only methods. */
	uint64_t own_left;     /**< Counter when it switched from its own stack to another one. */
	switched_calls *other; /**< The stack that it is on; NULL for its own. */
} thread_state;

/** The calls that are open on the stack that a thread is on. */
static inline call_frames *thread_calls(thread_state *thread)
{
	return thread->other != NULL ? &thread->other->calls : &thread->own_calls;
}

struct mprof_converter {
	mprof_allocator allocator;
	struct merge_input *merge; /**< If the log is merged with others: its numbers in the merged log. Borrowed. */
	mprof_writer_options writer_options; /**< Those with which the writer must be opened. */
	mprof_reader *reader;
	log_declarations source;
	log_declarations target;
	mprof_status (*at_end)(void *user, mprof_writer *writer); /**< NULL if there is none, or when it was called. */
	void *at_end_user;
	int is_strict;        /**< The copy ends when information is left out. */
	int merges_events;    /**< Blocks of a thread that follow one another become one block of the copy. */
	int has_open_block;   /**< The EVENTS block of the copy is not ended, since it may continue. */
	uint64_t open_thread; /**< Its thread. */
	int resolves_leaves;  /**< Implicit leaves are converted to leaves with a method. */
	int shortens_leaves;  /**< Leaves of the method on top are converted to implicit leaves. */

	copy_resolution resolution; /**< The unit of all counters below. */
	int is_resolution_stated;   /**< The copy has the property that states the resolution. */

	mprof_block pending; /**< A block that was read ahead. */
	mprof_status pending_status;
	int has_pending;

	/* While the copy runs */
	mprof_writer *writer;
	fault_report faults;
	int is_over;          /**< No more blocks can be read. */
	int is_closed;        /**< END was read. */
	mprof_status failure; /**< The error that ended the copy permanently; #MPROF_OK if none did. */

	mprof_clock clocks[4]; /**< Passed to the writer, one after the other; see converter_read_clock(). */
	size_t clock_count;    /**< 1 or more. */
	size_t next_clock;

	id_translation ids[RECORD_KIND_COUNT];   /**< By #mprof_record_kind. */
	uint32_t implied_ids[RECORD_KIND_COUNT]; /**< Last of the reader's own IDs that the copy has, by kind. */
	uint32_t last_snapshot;                  /**< The greatest number of a heap snapshot in the copy. */

	thread_map thread_positions; /**< Positions in threads. */
	thread_state *threads;
	size_t thread_count;
	size_t thread_capacity;
	stack_table stacks;      /**< Stacks that are not a thread's own: #switched_calls. */
	uint64_t searched;       /**< Frames that failed searches visited: see #CALL_FRAMES_MAX_SEARCHED. */
	uint64_t replayed_calls; /**< Calls that were left or entered again because of switches. */

	mprof_event events[CONVERTER_BATCH];
	mprof_event_detail details[CONVERTER_BATCH]; /**< Details that differ from those of the log. */
	encode_buffer arguments;                     /**< Arguments of the batch that differ. */
	int translates_arguments;                    /**< Arguments of the batch may differ. */
	mprof_record *records;
	size_t record_capacity;
	mprof_event samples[CONVERTER_BATCH];
	uint64_t repeated_samples;         /**< Samples added because a hit of the log stands for several. */
	uint32_t hits[2][CONVERTER_BATCH]; /**< IDs of methods, and of native functions. */
};

/**
 * Reports an error that the reader just returned. Returns #MPROF_OK, or #MPROF_ERR_MEMORY, which ends the copy.
 */
static inline mprof_status converter_read_failed(mprof_converter *converter, mprof_status status)
{
	if (status == MPROF_ERR_MEMORY)
		return status;
	if (status != MPROF_END && !fault_report_error(&converter->faults))
		converter->is_over = 1;
	return MPROF_OK;
}

#endif
