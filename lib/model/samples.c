/* SPDX-License-Identifier: MIT */
#include "model/samples.h"

#include "base/array.h"

#include <mprof/profile.h>

#include <string.h>

int samples_init(sample_model *samples, const mprof_allocator *allocator)
{
	memset(samples, 0, sizeof(*samples));
	hash_map_init(&samples->numbers, allocator);
	record_table_init(&samples->stacks, allocator, sizeof(sample_stack));
	return call_tree_init(&samples->tree, allocator);
}

void samples_destroy(sample_model *samples)
{
	const mprof_allocator *allocator = &samples->tree.allocator;

	allocator_release(allocator, samples->places, samples->place_capacity * sizeof(*samples->places));
	allocator_release(allocator, samples->path, samples->path_capacity * sizeof(*samples->path));
	samples->places = NULL;
	samples->path = NULL;
	samples->place_capacity = 0;
	samples->path_capacity = 0;
	hash_map_destroy(&samples->numbers);
	record_table_destroy(&samples->stacks);
	call_tree_destroy(&samples->tree);
}

/* Returns 0 if there is no memory. */
static int find_place(sample_model *samples, uint32_t kind, uint32_t id, uint32_t *number)
{
	uint64_t key = (uint64_t)kind << 32 | id;
	const uint64_t *found = hash_map_get(&samples->numbers, key);
	void *places = samples->places;
	sample_place *place;

	if (found != NULL) {
		*number = (uint32_t)*found;
		return 1;
	}
	if (!array_reserve(&samples->tree.allocator, &places, &samples->place_capacity, samples->place_count + 1,
			   sizeof(*samples->places)))
		return 0;
	samples->places = places;
	if (!hash_map_put(&samples->numbers, key, samples->place_count))
		return 0;
	place = &samples->places[samples->place_count];
	memset(place, 0, sizeof(*place));
	place->kind = kind;
	place->id = id;
	*number = (uint32_t)samples->place_count++;
	return 1;
}

/* A location is counted under its function; if that is not known under its module. */
static int find_native_place(sample_model *samples, const mprof_reader *reader, uint32_t location, uint32_t *number)
{
	mprof_record record;

	if (mprof_reader_record(reader, MPROF_RECORD_LOCATION, location, &record) == MPROF_OK) {
		if (record.target != 0)
			return find_place(samples, MPROF_SAMPLE_FUNCTION, record.target, number);
		if (record.parent != 0)
			return find_place(samples, MPROF_SAMPLE_MODULE, record.parent, number);
	}
	return find_place(samples, MPROF_SAMPLE_LOCATION, location, number);
}

/* The node of what a chain adds to that of its caller; the root if there is no memory. */
static uint32_t add_frame(sample_model *samples, const mprof_reader *reader, uint32_t parent, uint32_t stack)
{
	mprof_stack_frame frame;
	uint32_t caller;
	uint32_t place;
	int is_found;

	if (mprof_reader_stack_step(reader, stack, &frame, &caller) != MPROF_OK)
		is_found = find_place(samples, MPROF_SAMPLE_METHOD, 0, &place);
	else if (frame.is_native)
		is_found = find_native_place(samples, reader, frame.id, &place);
	else
		is_found = find_place(samples, MPROF_SAMPLE_METHOD, frame.id, &place);
	return is_found ? call_tree_child(&samples->tree, parent, place) : CALL_TREE_ROOT;
}

/*
 * Puts a chain that has no node, and its callers that have none, into samples->path, innermost first. Sets the node
 * that all of them hang from. Returns 0 if there is no memory.
 */
static int find_path(sample_model *samples, const mprof_reader *reader, uint32_t stack, size_t *length, uint32_t *node)
{
	uint32_t caller = stack;
	mprof_stack_frame frame;

	*length = 0;
	*node = CALL_TREE_ROOT;
	do {
		void *path = samples->path;
		const sample_stack *known;

		stack = caller;
		known = record_table_get(&samples->stacks, stack);
		if (known == NULL)
			return 0;
		*node = known->node;
		if (known->node != CALL_TREE_ROOT)
			return 1;
		if (!array_reserve(&samples->tree.allocator, &path, &samples->path_capacity, *length + 1,
				   sizeof(*samples->path)))
			return 0;
		samples->path = path;
		samples->path[(*length)++] = stack;
		/* A caller stands before those that it calls; anything else would never end. */
	} while (mprof_reader_stack_step(reader, stack, &frame, &caller) == MPROF_OK && caller != 0 && caller < stack);
	return 1;
}

/* Gives a chain and its callers nodes. Returns the chain's, the root if there is no memory. */
static uint32_t make_nodes(sample_model *samples, const mprof_reader *reader, uint32_t stack)
{
	uint32_t node;
	size_t length;

	if (!find_path(samples, reader, stack, &length, &node))
		return CALL_TREE_ROOT;
	while (length > 0) {
		uint32_t next = samples->path[--length];

		node = add_frame(samples, reader, node, next);
		if (node == CALL_TREE_ROOT)
			return CALL_TREE_ROOT;
		((sample_stack *)record_table_get(&samples->stacks, next))->node = node;
	}
	return node;
}

int samples_add_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count)
{
	const sample_stack *known = record_table_get(&samples->stacks, stack);
	uint32_t node;

	if (known == NULL)
		return 0;
	node = known->node != CALL_TREE_ROOT ? known->node : make_nodes(samples, reader, stack);
	if (node == CALL_TREE_ROOT)
		return 0;
	samples->tree.nodes[node].self += count;
	return 1;
}

int samples_add_place(sample_model *samples, uint32_t kind, uint32_t id, uint64_t count)
{
	uint32_t place;
	uint32_t node;

	if (!find_place(samples, kind, id, &place))
		return 0;
	node = call_tree_child(&samples->tree, CALL_TREE_ROOT, place);
	if (node == CALL_TREE_ROOT)
		return 0;
	samples->tree.nodes[node].self += count;
	return 1;
}

static void leave_place(void *user, const call_node *node)
{
	sample_model *samples = user;

	samples->places[node->method].active--;
}

void samples_sum(sample_model *samples)
{
	call_tree *tree = &samples->tree;

	call_tree_sum(tree);
	for (size_t i = 0; i < samples->place_count; i++)
		samples->places[i].self = samples->places[i].total = 0;
	for (uint32_t node = tree->nodes[CALL_TREE_ROOT].first_child; node != CALL_TREE_ROOT;
	     node = call_tree_next(tree, node, leave_place, samples)) {
		sample_place *place = &samples->places[tree->nodes[node].method];

		place->self += tree->nodes[node].self;
		if (place->active++ == 0)
			place->total += tree->nodes[node].total;
	}
}
