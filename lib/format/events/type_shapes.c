/* SPDX-License-Identifier: MIT */
/* Keeps how the arguments of types are encoded. */
#include "format/events/type_shapes.h"

#include "base/checked.h"

#include <string.h>

void type_shapes_init(type_shapes *shapes, const mprof_allocator *allocator)
{
	memset(shapes, 0, sizeof(*shapes));
	shapes->allocator = *allocator;
}

void type_shapes_destroy(type_shapes *shapes)
{
	allocator_release(&shapes->allocator, shapes->encodings, shapes->encoding_capacity);
	allocator_release(&shapes->allocator, shapes->types, shapes->type_capacity * sizeof(*shapes->types));
}

void type_shapes_add_argument(type_shapes *shapes, uint32_t id, uint32_t encoding)
{
	void *encodings = shapes->encodings;
	int is_reserved;

	if (id != shapes->encoding_count + 1)
		return;
	is_reserved = array_reserve(&shapes->allocator, &encodings, &shapes->encoding_capacity, id, 1);
	shapes->encodings = encodings;
	if (is_reserved)
		shapes->encodings[shapes->encoding_count++] = (uint8_t)encoding;
}

void type_shapes_add_type(type_shapes *shapes, uint32_t id, uint32_t first_argument, uint32_t argument_count)
{
	void *types = shapes->types;
	int is_reserved;

	if (id != shapes->type_count + 1)
		return;
	is_reserved = array_reserve(&shapes->allocator, &types, &shapes->type_capacity, id, sizeof(*shapes->types));
	shapes->types = types;
	if (is_reserved)
		shapes->types[shapes->type_count++] = (type_shape){first_argument, argument_count};
}

int type_shapes_find(const type_shapes *shapes, uint32_t id, const uint8_t **encodings)
{
	const type_shape *shape;

	if (id == 0 || id > shapes->type_count)
		return -1;
	shape = &shapes->types[id - 1];
	if (shape->count == 0)
		return 0;
	if (shape->first == 0 || shape->first > shapes->encoding_count ||
	    shape->count > shapes->encoding_count - (shape->first - 1))
		return -1;
	*encodings = shapes->encodings + shape->first - 1;
	return (int)shape->count;
}
