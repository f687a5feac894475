/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/typed_columns_encode.h
 * \brief Moves events of types from the rows of a block to columns (doc/format.md, 3.22, directive 34).
 *
 * Which types have enough events for columns is known when the block ends. Until then their events are rows, so events
 * of other kinds are collected as if there were no types.
 */
#ifndef FORMAT_EVENTS_TYPED_COLUMNS_ENCODE_H
#define FORMAT_EVENTS_TYPED_COLUMNS_ENCODE_H

#include "base/hash_map.h"
#include "base/id_map.h"
#include "format/values/encode_buffer.h"

#include <stddef.h>
#include <stdint.h>

/** The arguments of a type. */
typedef struct type_shape {
	uint32_t first; /**< ID of the first one. */
	uint32_t count;
} type_shape;

typedef struct type_shapes {
	mprof_allocator allocator;
	uint8_t *encodings; /**< The #mprof_argument_encoding of argument ID N at N - 1. */
	size_t encoding_count;
	size_t encoding_capacity;
	type_shape *types; /**< Type ID N at N - 1. */
	size_t type_count;
	size_t type_capacity;
} type_shapes;

/** Initializes without memory. \p allocator is copied. */
void type_shapes_init(type_shapes *shapes, const mprof_allocator *allocator);
void type_shapes_destroy(type_shapes *shapes);

/** Stores an argument or a type, unless its ID leaves a gap. */
void type_shapes_add_argument(type_shapes *shapes, uint32_t id, uint32_t encoding);
void type_shapes_add_type(type_shapes *shapes, uint32_t id, uint32_t first_argument, uint32_t argument_count);

/** An event of a type among the rows of a block. */
typedef struct typed_row {
	uint32_t event; /**< Its position among the events. */
	uint32_t time;  /**< Number of values in the column of times before it. */
	uint32_t start; /**< Its position in the rows, in bytes. */
	uint32_t end;
} typed_row;

/** A block whose events of types are rows. All is borrowed. */
typedef struct typed_source {
	const uint8_t *symbols;
	size_t event_count;
	const uint64_t *times;
	size_t time_count;
	const uint8_t *rows;
	size_t row_length; /**< In bytes. */
	const typed_row *typed;
	size_t typed_count;
	const type_shapes *shapes;
} typed_source;

/** The columns that differ if events of types are in columns. */
typedef struct typed_split {
	mprof_allocator allocator;
	void *memory; /**< For everything but the buffers. */
	size_t capacity;
	id_map groups_of;   /**< The groups of types, plus 1. */
	hash_index entries; /**< The entries of a dictionary. */
	const uint8_t *symbols;
	const uint8_t *rows;
	size_t row_length;
	encode_buffer times;     /**< The column of times. */
	encode_buffer groups;    /**< #EVENT_COLUMN_GROUPS. */
	encode_buffer shapes;    /**< #EVENT_COLUMN_SHAPES. */
	encode_buffer lengths;   /**< The lengths of the columns of arguments, as varints. */
	encode_buffer arguments; /**< These columns. */
	size_t column_count;     /**< Their number. */
} typed_split;

/** Initializes without memory. \p allocator is copied. */
void typed_split_init(typed_split *split, const mprof_allocator *allocator);
void typed_split_destroy(typed_split *split);

/**
 * Moves the events of all types that have enough of them to columns. The result is valid as long as the source. Returns
 * 0 if the block would not be smaller, or there is no memory: the events remain rows then.
 */
int typed_split_build(typed_split *split, const typed_source *source);

/** Fewer events of types than this are not worth columns. */
#define TYPED_SPLIT_MIN_EVENTS 8

#endif
