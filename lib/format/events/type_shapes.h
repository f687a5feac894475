/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/type_shapes.h
 * \brief How the arguments of the types of a log are encoded (doc/format.md, 3.25).
 *
 * It is only a help to store events well: a type that is missing, for lack of memory or because another writer defined
 * it, changes nothing but the size of the log.
 */
#ifndef FORMAT_EVENTS_TYPE_SHAPES_H
#define FORMAT_EVENTS_TYPE_SHAPES_H

#include "base/allocator.h"

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

/** Returns the number of arguments of a type, and their encodings; -1 if they are not known. */
int type_shapes_find(const type_shapes *shapes, uint32_t id, const uint8_t **encodings);

#endif
