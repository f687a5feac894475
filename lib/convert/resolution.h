/* SPDX-License-Identifier: MIT */
/**
 * \file convert/resolution.h
 * \brief Converts counters of the log to a coarser unit for the copy.
 *
 * Everything that the converter reads is converted when it is read, apart from the base counters of EVENTS blocks,
 * which copy_events.c compares with each other first.
 */
#ifndef CONVERT_RESOLUTION_H
#define CONVERT_RESOLUTION_H

#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/id_map.h"
#include "format/values/dialect.h"

typedef struct copy_resolution {
	uint64_t origin;      /**< Counter at the start of the log: later counters may have passed 2^64. */
	int64_t divisor;      /**< Units of the log in one unit of the copy; 1 if the unit stays the same. */
	uint64_t nanoseconds; /**< The unit that the caller requested. */
} copy_resolution;

/** Keeps the unit of the log. */
void resolution_init(copy_resolution *resolution);

/**
 * Chooses the unit: the longest multiple of the log's unit that is at most \p nanoseconds long. \p origin is the
 * counter at the start of the log.
 */
void resolution_choose(copy_resolution *resolution, uint64_t origin, uint64_t nanoseconds, double counters_per_second);

/** Whether the unit of the copy is not that of the log. */
static inline int resolution_is_coarser(const copy_resolution *resolution)
{
	return resolution->divisor > 1;
}

/** Converts a counter, rounding down. The order of counters stays; different ones may become equal. */
static inline uint64_t resolution_counter(const copy_resolution *resolution, uint64_t counter)
{
	int64_t difference;
	int64_t quotient;

	if (!resolution_is_coarser(resolution))
		return counter;
	difference = (int64_t)(counter - resolution->origin);
	quotient = difference / resolution->divisor;
	quotient -= difference % resolution->divisor < 0;
	return resolution->origin / (uint64_t)resolution->divisor + (uint64_t)quotient;
}

/** Converts the counters of a block, apart from the base counter of an EVENTS block. */
void resolution_convert_block(const copy_resolution *resolution, mprof_block *block);

/** Converts counters and durations of events, apart from those in their details. */
void resolution_convert_events(const copy_resolution *resolution, mprof_event *events, size_t count);

/*
 * A writer requires IDs without gaps. A log has gaps after damaged blocks with definitions. IDs before the first gap
 * are unchanged, and need no memory.
 */

typedef struct id_translation {
	uint32_t defined; /**< The IDs 1 to this one are defined in the copy. */
	uint32_t same;    /**< IDs up to this one are unchanged in the copy. */
	id_map moved;     /**< For all other IDs: the ID in the copy. */
} id_translation;

void id_translation_init(id_translation *translation, const mprof_allocator *allocator);
void id_translation_destroy(id_translation *translation);

/** Assigns the next ID of the copy to an ID of the log. Returns it, or 0 if out of memory. */
uint32_t id_translation_define(id_translation *translation, uint32_t id);

/** The ID in the copy; 0 for 0 and for an ID that is not defined. */
static inline uint32_t id_translation_get(const id_translation *translation, uint32_t id)
{
	return id <= translation->same ? id : id_map_get(&translation->moved, id);
}

/** Declarations for a log as a whole. */
typedef struct log_declarations {
	const dialect_rules *rules;
	uint64_t directives; /**< As #MPROF_DIRECTIVE_BIT. */
	uint32_t flags;      /**< Flags of INTRO. */
} log_declarations;

/** Returns the declarations for the copy of a log in a dialect. */
log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target);

#endif
