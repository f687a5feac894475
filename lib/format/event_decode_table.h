/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_decode_table.h
 * \brief The event codes as a table for the decoder.
 */
#ifndef FORMAT_EVENT_DECODE_TABLE_H
#define FORMAT_EVENT_DECODE_TABLE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/event_codes.h"

/**
 * The meaning of an event code, in a form that lets the decoder handle all kinds without branches.
 *
 * An event consists of a byte, one or two varints, and optional fields. The *main number* is the first varint, shifted
 * left by main_shift and combined with the bits in the byte. The *second number* is the second varint. Each number is
 * stored in at most one field of the event; masks of 0 or -1 select that field. The size of an entry is 16 bytes,
 * because indexing the table is then fastest.
 */
typedef struct event_decode_entry {
	uint32_t event_template; /**< The bytes of mprof_event before the ID, in memory order. */
	uint8_t layout;          /**< An #event_layout. */
	uint8_t main_shift;      /**< Bits of the main number that the byte holds: 5 or 0. */
	uint8_t main_low;        /**< The bits of the main number that the byte holds. */
	uint8_t is_slow;         /**< 1: decoded by the slow path. */
	int8_t main_id_mask;
	int8_t main_value_mask;
	int8_t main_time_mask;
	int8_t second_value_mask;
	int8_t second_time_mask;
	int8_t class_size_mask; /**< The value is the object size of the class (directive 18). */
	uint16_t fields;        /**< Optional fields, as EVENT_FIELDS(); if there are any, the event has a detail. */
} event_decode_entry;

typedef struct event_decode_table {
	/**
	 * The templates of enter, leave and allocation events without optional fields, which are the majority in most
	 * logs; 0 for all other bytes.
	 */
	uint32_t packed_templates[256];
	event_decode_entry entries[256];
	/**
	 * An event has no second varint if its byte, masked with single_mask, equals single_value. This holds for
	 * implicit leaves, allocations of fixed size, or both.
	 */
	uint8_t single_mask;
	uint8_t single_value;
	uint8_t has_single;            /**< 1: implicit leaves occur. */
	uint8_t has_sizes;             /**< 1: allocations of fixed size occur. */
	uint8_t has_fields;            /**< 1: allocations have optional fields. */
	uint8_t has_frames;            /**< 1: a stack section precedes most allocations. */
	uint8_t extracts;              /**< 1: varint_word_extract() may be used. */
	uint8_t has_bad_monitor_times; /**< See dialect_rules::has_bad_monitor_times. */
	/**
	 * All bits: allocations of fixed size get #EVENT_SIZE_UNKNOWN, and object_sizes must be empty. One that has
	 * this size itself is an error then. 0: they get the size of their class.
	 */
	uint64_t unsized_mask;
	const id_map *object_sizes; /**< Fixed object sizes in bytes, by class ID. Borrowed. */
} event_decode_table;

/** The size of an allocation of fixed size, which is not looked up. */
#define EVENT_SIZE_UNKNOWN UINT64_MAX

/** Fills the table for a dialect and the directives in force. \p object_sizes is borrowed and may grow later. */
void event_decode_table_build(event_decode_table *table, const dialect_rules *rules, uint64_t directives,
			      const id_map *object_sizes);

#endif
