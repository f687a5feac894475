/* SPDX-License-Identifier: MIT */
/* Groups objects by the shape of their path. */
#include "heap/shapes.h"

#include "heap/view.h"

#include <stdlib.h>
#include <string.h>

/* A number for a key, from 1. */
typedef struct numbered {
	uint64_t key;
	uint64_t number;
} numbered;

/* A root, by kind and name: areas with the same name, such as those of threads, are one. */
typedef struct shape_root {
	uint32_t kind;
	const char *name;
} shape_root;

/* An object whose shape is not known yet. */
typedef struct shape_step {
	uint32_t object;
	mprof_heap_reference parent;
} shape_step;

/* Steps that repeat are found if they repeat after at most this many. */
#define MAX_PERIOD 4

/* The labels of roots are apart from those of fields. */
#define ROOT_LABEL (UINT64_C(1) << 63)

int path_shapes_init(path_shapes *shapes, const heap_view *view)
{
	size_t count = (size_t)view->totals.objects + 1;

	memset(shapes, 0, sizeof(*shapes));
	shapes->view = view;
	shapes->fields.value_size = shapes->labels.value_size = sizeof(uint64_t);
	shapes->children.value_size = shapes->areas.value_size = sizeof(uint64_t);
	shapes->of_object = calloc(count, sizeof(*shapes->of_object));
	shapes->marks = calloc(count, sizeof(*shapes->marks));
	shapes->shapes = calloc(64, sizeof(*shapes->shapes));
	shapes->capacity = 64;
	shapes->count = 1;
	return shapes->of_object != NULL && shapes->marks != NULL && shapes->shapes != NULL;
}

void path_shapes_release(path_shapes *shapes)
{
	free(shapes->shapes);
	free(shapes->of_object);
	free(shapes->marks);
	free(shapes->roots);
	free(shapes->pending);
	key_map_clear(&shapes->fields);
	key_map_clear(&shapes->labels);
	key_map_clear(&shapes->children);
	key_map_clear(&shapes->areas);
}

/* Makes room for one more element. Returns 0 if out of memory. */
static int grow(void **array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity == 0 ? 64 : *capacity * 2;
	void *grown;

	if (count < *capacity)
		return 1;
	grown = wanted <= SIZE_MAX / size ? realloc(*array, wanted * size) : NULL;
	if (grown == NULL)
		return 0;
	*array = grown;
	*capacity = wanted;
	return 1;
}

/* The number of a key; 0 if out of memory. */
static uint64_t number_of(key_map *map, uint64_t key)
{
	numbered *entry = key_map_put(map, key);

	if (entry == NULL)
		return 0;
	if (entry->number == 0)
		entry->number = map->count;
	return entry->number;
}

/* The number of a root in the list, from 1; 0 if out of memory. */
static uint64_t number_of_root(path_shapes *shapes, const mprof_heap_root *root)
{
	/* Kinds are below 2^8, so that the keys differ. */
	const uint64_t key = root->holder != MPROF_HEAP_NO_OBJECT ? UINT64_C(1) << 63 | root->holder
								  : (uint64_t)root->kind << 32 | root->area;
	numbered *entry = key_map_put(&shapes->areas, key);
	const char *name = label_root(shapes->view, root);
	const uint32_t kind = root->kind;
	size_t i = 0;

	if (entry == NULL || entry->number != 0)
		return entry != NULL ? entry->number : 0;
	while (i < shapes->root_count && (shapes->roots[i].kind != kind || strcmp(shapes->roots[i].name, name) != 0))
		i++;
	if (i == shapes->root_count) {
		if (!grow((void **)&shapes->roots, &shapes->root_capacity, i, sizeof(*shapes->roots)))
			return 0;
		shapes->roots[shapes->root_count++] = (shape_root){kind, name};
	}
	entry->number = i + 1;
	return entry->number;
}

/* Whether a shape has the same last step as another one. */
static int is_same_step(const path_shape *a, const char *field, uint32_t class_index)
{
	return a->parent != SHAPE_NONE && a->class_index == class_index && a->field == field;
}

/* The ancestor of a shape, that many steps before; SHAPE_NONE if there is none. */
static uint32_t ancestor_of(const path_shapes *shapes, uint32_t shape, uint32_t steps)
{
	while (steps > 0 && shape != SHAPE_NONE) {
		shape = shapes->shapes[shape].parent;
		steps--;
	}
	return shape;
}

/* Whether the last steps of a path, to which one more is added, are those before them again. */
static int is_repetition(const path_shapes *shapes, uint32_t shape, uint32_t period, const char *field,
			 uint32_t class_index)
{
	uint32_t before = ancestor_of(shapes, shape, period - 1);

	if (before == SHAPE_NONE || !is_same_step(&shapes->shapes[before], field, class_index))
		return 0;
	for (uint32_t i = 1; i < period; i++) {
		const path_shape *last = &shapes->shapes[shape];

		before = shapes->shapes[before].parent;
		if (before == SHAPE_NONE || last->parent == SHAPE_NONE ||
		    !is_same_step(&shapes->shapes[before], last->field, last->class_index))
			return 0;
		shape = last->parent;
	}
	return 1;
}

/*
 * The shape that a path falls back to if one more step repeats what is before; SHAPE_NONE if not. Objects of one class
 * that refer to each other count as repetitions whichever their fields are, as those of a tree.
 */
static uint32_t find_repeated(const path_shapes *shapes, uint32_t shape, const char *field, uint32_t class_index)
{
	const path_shape *last = &shapes->shapes[shape];

	if (last->parent != SHAPE_NONE && last->class_index == class_index &&
	    shapes->shapes[last->parent].class_index == class_index)
		return shape;
	for (uint32_t period = 2; period <= MAX_PERIOD; period++) {
		if (is_repetition(shapes, shape, period, field, class_index))
			return ancestor_of(shapes, shape, period - 1);
	}
	return SHAPE_NONE;
}

/* The shape with one more step; SHAPE_NONE if out of memory. */
static uint32_t child_of(path_shapes *shapes, uint32_t parent, uint64_t label, const path_shape *step)
{
	uint64_t number = number_of(&shapes->labels, label);
	numbered *entry = number != 0 ? key_map_put(&shapes->children, (uint64_t)parent << 32 | number) : NULL;
	path_shape *created;

	if (entry == NULL || entry->number != 0)
		return entry != NULL ? (uint32_t)entry->number : SHAPE_NONE;
	if (!grow((void **)&shapes->shapes, &shapes->capacity, shapes->count, sizeof(*shapes->shapes)))
		return SHAPE_NONE;
	created = &shapes->shapes[shapes->count];
	*created = *step;
	created->parent = parent;
	created->marks = UINT64_MAX;
	if (parent != SHAPE_NONE) {
		created->depth = shapes->shapes[parent].depth + 1;
		created->root_kind = shapes->shapes[parent].root_kind;
		created->root_name = shapes->shapes[parent].root_name;
	}
	entry->number = shapes->count++;
	return (uint32_t)entry->number;
}

static uint32_t shape_of_root(path_shapes *shapes, uint32_t object, uint32_t class_index)
{
	mprof_heap_root root = {.struct_size = sizeof(root)};
	path_shape step = {.class_index = class_index};
	uint64_t number;
	size_t count;

	mprof_heap_graph_get_path(shapes->view->graph, object, &root, NULL, sizeof(mprof_heap_step), 0, &count);
	number = number_of_root(shapes, &root);
	if (number == 0)
		return SHAPE_NONE;
	step.root_kind = shapes->roots[number - 1].kind;
	step.root_name = shapes->roots[number - 1].name;
	return child_of(shapes, SHAPE_NONE, ROOT_LABEL | number << 32 | class_index, &step);
}

static uint32_t shape_of_step(path_shapes *shapes, const shape_step *step, uint32_t class_index)
{
	uint32_t parent = shapes->of_object[step->parent.object];
	path_shape created = {.class_index = class_index};
	uint32_t repeated;
	uint64_t number;

	created.field =
		label_field(shapes->view, heap_view_object(shapes->view, step->parent.object).class_id, &step->parent);
	repeated = find_repeated(shapes, parent, created.field, class_index);
	if (repeated != SHAPE_NONE) {
		shapes->shapes[repeated].is_repeated = 1;
		return repeated;
	}
	number = number_of(&shapes->fields, (uintptr_t)created.field);
	return number != 0 ? child_of(shapes, parent, number << 32 | class_index, &created) : SHAPE_NONE;
}

/* The number of steps that two shapes have in common. */
static uint32_t common_steps(const path_shapes *shapes, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a == SHAPE_NONE || (b != SHAPE_NONE && shapes->shapes[b].depth >= shapes->shapes[a].depth))
			b = shapes->shapes[b].parent;
		else
			a = shapes->shapes[a].parent;
	}
	return a != SHAPE_NONE ? shapes->shapes[a].depth + 1 : 0;
}

/* The marks of the first steps. */
static uint64_t first_marks(uint32_t steps)
{
	return steps < SHAPE_MARKS ? (UINT64_C(1) << steps) - 1 : UINT64_MAX;
}

/*
 * The steps on all paths to an object are those of its dominators, which are on its path, so their marks are known. In
 * a repetition, the path of a dominator may have steps that this one does not have.
 */
static uint64_t marks_before(const path_shapes *shapes, uint32_t shape, uint32_t dominator)
{
	if (dominator == MPROF_HEAP_NO_OBJECT)
		return 0;
	return shapes->marks[dominator] & first_marks(common_steps(shapes, shape, shapes->of_object[dominator]));
}

static int resolve_one(path_shapes *shapes, const shape_step *step)
{
	mprof_heap_object object = heap_view_object(shapes->view, step->object);
	uint32_t shape = step->parent.object == MPROF_HEAP_NO_OBJECT
				 ? shape_of_root(shapes, step->object, object.class_index)
				 : shape_of_step(shapes, step, object.class_index);
	uint32_t depth = shapes->shapes[shape].depth;

	if (shape == SHAPE_NONE)
		return 0;
	shapes->of_object[step->object] = shape;
	shapes->marks[step->object] =
		marks_before(shapes, shape, object.dominator) | (depth < SHAPE_MARKS ? UINT64_C(1) << depth : 0);
	return 1;
}

/* Finds the shape of an object, and of those before it on its path. Returns 0 if out of memory. */
static int resolve(path_shapes *shapes, uint32_t object)
{
	size_t count = 0;

	while (object != MPROF_HEAP_NO_OBJECT && shapes->of_object[object] == SHAPE_NONE) {
		if (!grow((void **)&shapes->pending, &shapes->pending_capacity, count, sizeof(*shapes->pending)))
			return 0;
		shapes->pending[count].object = object;
		mprof_heap_graph_get_parent(shapes->view->graph, object, &shapes->pending[count].parent,
					    sizeof(mprof_heap_reference));
		object = shapes->pending[count++].parent.object;
	}
	while (count > 0) {
		if (!resolve_one(shapes, &shapes->pending[--count]))
			return 0;
	}
	return 1;
}

int path_shapes_add(path_shapes *shapes, uint32_t object)
{
	mprof_heap_object stats = heap_view_object(shapes->view, object);
	path_shape *shape;
	uint64_t mark;

	if (!resolve(shapes, object))
		return 0;
	shape = &shapes->shapes[shapes->of_object[object]];
	mark = shape->depth < SHAPE_MARKS ? UINT64_C(1) << shape->depth : 0;
	if (shape->objects++ == 0 ||
	    stats.retained_bytes > heap_view_object(shapes->view, shape->example).retained_bytes)
		shape->example = object;
	shape->bytes += stats.bytes;
	/* One that dominates it, at the same step, retains it. */
	if ((marks_before(shapes, shapes->of_object[object], stats.dominator) & mark) == 0)
		shape->retained += stats.retained_bytes;
	shape->marks &= shapes->marks[object];
	return 1;
}
