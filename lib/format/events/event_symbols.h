/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_symbols.h
 * \brief The symbols of the events of a block of columns (doc/format.md, 3.22).
 */
#ifndef FORMAT_EVENTS_EVENT_SYMBOLS_H
#define FORMAT_EVENTS_EVENT_SYMBOLS_H

#include "format/events/event_columns.h"

#include <stddef.h>
#include <stdint.h>

/** Number of events of a block with each symbol. Enters and leaves have the same columns, and are not distinguished. */
typedef struct event_symbol_counts {
	uint32_t with_method; /**< #EVENT_SYMBOL_ENTER and #EVENT_SYMBOL_LEAVE. */
	uint32_t implicit_leaves;
	uint32_t allocations;       /**< #EVENT_SYMBOL_ALLOCATION. */
	uint32_t fixed_allocations; /**< #EVENT_SYMBOL_ALLOCATION_FIXED. */
	uint32_t rows;
	uint32_t typed; /**< #EVENT_SYMBOL_TYPED. */
} event_symbol_counts;

/** The symbol of the event \p position. \p bytes is the start of the column, as in all functions here. */
static inline uint32_t event_symbol_at(const uint8_t *bytes, size_t position)
{
	return (uint32_t)bytes[position / 2] >> position % 2 * EVENT_SYMBOL_BITS & EVENT_SYMBOL_MASK;
}

/**
 * Sets \p counts for \p count events from the event \p position on, up to the first invalid symbol. Returns the number
 * of events counted.
 */
size_t event_symbols_count(const uint8_t *bytes, size_t position, size_t count, event_symbol_counts *counts);

/** Stores the symbols of \p count events from the event \p position on, a byte each. */
void event_symbols_unpack(const uint8_t *bytes, size_t position, size_t count, uint8_t *symbols);

/** As event_symbols_unpack(), without instructions of a particular processor. */
void event_symbols_unpack_portable(const uint8_t *bytes, size_t position, size_t count, uint8_t *symbols);

/** Returns how many of \p count symbols of a byte each are those of enters and leaves, which have a time. */
size_t event_symbols_count_times(const uint8_t *symbols, size_t count);

/**
 * Stores which of \p count symbols of a byte each are those of allocations. \p count is at most 65536. Returns their
 * number.
 */
size_t event_symbols_find_allocations(const uint8_t *symbols, size_t count, uint16_t *positions);

/** The values in the column of times. */
static inline size_t event_symbols_with_time(const event_symbol_counts *counts)
{
	return (size_t)counts->with_method + counts->implicit_leaves + counts->typed;
}

/** Replaces each #EVENT_SYMBOL_ALLOCATION_FIXED among \p count symbols of a byte each by #EVENT_SYMBOL_ALLOCATION. */
void event_symbols_merge_allocations(uint8_t *symbols, size_t count);

#endif
