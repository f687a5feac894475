/* SPDX-License-Identifier: MIT */
/* Stores path shapes as a tree. */
#include "heap/shape_table.h"

#include "base/array.h"

/* Steps that lead back are not limited by the number of shapes; this many for each shape are. */
#define STEPS_FOR_EACH_SHAPE 4

static uint64_t hash_step(const shape_table *table, const shape_step *step)
{
	uint64_t hash = hash_mix(table->index.seed, (uint64_t)step->parent << 32 | step->name);

	return hash_key(hash, (uint64_t)step->root_kind << 32 | step->class_index);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const shape_table *table = owner;

	return hash_step(table, &table->steps[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *key)
{
	const shape_step *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const shape_step *step;

	if (position == 0)
		return 0;
	step = &((const shape_table *)owner)->steps[position - 1];
	return step->parent == wanted->parent && step->name == wanted->name &&
	       step->class_index == wanted->class_index && step->root_kind == wanted->root_kind;
}

static const hash_index_type step_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 256,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void shape_table_init(shape_table *table, const mprof_allocator *allocator, uint32_t max_shapes, uint32_t max_depth)
{
	memset(table, 0, sizeof(*table));
	hash_index_init(&table->index, allocator);
	table->max_shapes = max_shapes;
	table->max_depth = max_depth;
}

void shape_table_destroy(shape_table *table)
{
	allocator_release(&table->index.allocator, table->steps, table->step_capacity * sizeof(*table->steps));
	allocator_release(&table->index.allocator, table->shapes, table->capacity * sizeof(*table->shapes));
	hash_index_destroy(&table->index, &step_slots);
}

shape_table_size shape_table_get_size(const shape_table *table)
{
	return (shape_table_size){table->step_count, table->count};
}

/* Whether a step leads back to the shape where its class occurred before. */
static int leads_back(const shape_step *step)
{
	return step->parent != SHAPE_NONE && step->shape <= step->parent;
}

/* Marks the shapes that the remaining steps lead back to, and no others. */
static void mark_recursive(shape_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->shapes[i].is_recursive = 0;
	for (size_t i = 0; i < table->step_count; i++) {
		if (leads_back(&table->steps[i]))
			table->shapes[table->steps[i].shape].is_recursive = 1;
	}
}

void shape_table_truncate(shape_table *table, const shape_table_size *size)
{
	while (table->step_count > size->steps) {
		const shape_step *step = &table->steps[table->step_count - 1];
		void *slot =
			hash_index_find(&table->index, &step_slots, hash_step(table, step), slot_matches, table, step);

		hash_index_remove(&table->index, &step_slots, table, slot);
		table->step_count--;
	}
	table->count = size->shapes;
	mark_recursive(table);
}

/* Makes room for another step and another shape. */
static int reserve_step(shape_table *table)
{
	const mprof_allocator *allocator = &table->index.allocator;
	void *steps = table->steps;
	void *shapes = table->shapes;
	int is_reserved =
		array_reserve(allocator, &steps, &table->step_capacity, table->step_count + 1, sizeof(*table->steps));

	table->steps = steps;
	is_reserved = is_reserved &&
		      array_reserve(allocator, &shapes, &table->capacity, table->count + 1, sizeof(*table->shapes));
	table->shapes = shapes;
	return is_reserved && hash_index_reserve(&table->index, &step_slots, table);
}

/* The shape of a class among a shape and those that it continues, or SHAPE_NONE. */
static uint32_t find_ancestor(const shape_table *table, uint32_t shape, uint32_t class_index)
{
	while (shape != SHAPE_NONE && table->shapes[shape].class_index != class_index)
		shape = table->shapes[shape].parent;
	return shape;
}

static uint32_t add_shape(shape_table *table, const shape_step *step)
{
	path_shape *shape = &table->shapes[table->count];
	const path_shape *parent = step->parent != SHAPE_NONE ? &table->shapes[step->parent] : NULL;

	memset(shape, 0, sizeof(*shape));
	shape->parent = step->parent;
	shape->name = step->name;
	shape->class_index = step->class_index;
	shape->depth = parent != NULL ? parent->depth + 1 : 1;
	shape->root_kind = parent != NULL ? parent->root_kind : (uint8_t)step->root_kind;
	return (uint32_t)table->count++;
}

static void add_step(shape_table *table, const shape_step *step)
{
	table->steps[table->step_count] = *step;
	*(uint32_t *)hash_index_take_slot(&table->index, &step_slots, hash_step(table, step)) =
		(uint32_t)++table->step_count;
}

int shape_table_put_root(shape_table *table, uint32_t kind, uint32_t name, uint32_t class_index, uint32_t *shape)
{
	shape_step step = {SHAPE_NONE, name, class_index, kind, SHAPE_NONE};
	const uint32_t *slot =
		hash_index_find(&table->index, &step_slots, hash_step(table, &step), slot_matches, table, &step);

	if (slot != NULL) {
		*shape = table->steps[*slot - 1].shape;
		return 1;
	}
	if (table->count >= SHAPE_INEXACT - 1 || !reserve_step(table))
		return 0;
	step.shape = add_shape(table, &step);
	add_step(table, &step);
	*shape = step.shape;
	return 1;
}

int shape_table_put_child(shape_table *table, uint32_t parent, uint32_t name, uint32_t class_index, uint32_t *shape)
{
	shape_step step = {parent, name, class_index, 0, SHAPE_NONE};
	const uint32_t *slot;

	*shape = parent;
	if ((parent & SHAPE_INEXACT) != 0)
		return 1;
	slot = hash_index_find(&table->index, &step_slots, hash_step(table, &step), slot_matches, table, &step);
	if (slot != NULL) {
		*shape = table->steps[*slot - 1].shape;
		return 1;
	}
	step.shape = find_ancestor(table, parent, class_index);
	*shape = parent | SHAPE_INEXACT;
	if (table->step_count / STEPS_FOR_EACH_SHAPE >= table->max_shapes)
		return 1;
	if (step.shape == SHAPE_NONE &&
	    (table->count >= table->max_shapes || table->shapes[parent].depth >= table->max_depth))
		return 1;
	if (!reserve_step(table))
		return 0;
	if (step.shape == SHAPE_NONE)
		step.shape = add_shape(table, &step);
	else
		table->shapes[step.shape].is_recursive = 1;
	add_step(table, &step);
	*shape = step.shape;
	return 1;
}
