/* SPDX-License-Identifier: MIT */
/* Copies the calls, samples or allocations of a profile. */
#include "model/frame_source.h"

#include "base/checked.h"
#include "model/profile_internal.h"

#include <string.h>

static int add_item(frame_source *source, uint32_t kind, uint32_t id, uint32_t flags)
{
	void *items = source->items;
	frame_item *item;

	if (!array_reserve(&source->allocator, &items, &source->item_capacity, source->item_count + 1,
			   sizeof(*source->items)))
		return 0;
	source->items = items;
	item = &source->items[source->item_count++];
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	item->id = id;
	item->flags = flags;
	return 1;
}

int frame_source_init(frame_source *source, memory_budget *budget)
{
	memset(source, 0, sizeof(*source));
	source->budget = budget;
	source->allocator = budget->allocator;
	hash_map_init(&source->numbers[0], &source->allocator);
	hash_map_init(&source->numbers[1], &source->allocator);
	return call_tree_init(&source->stacks, &source->allocator) && add_item(source, 0, 0, 0);
}

void frame_source_release_nodes(frame_source *source)
{
	allocator_release(&source->allocator, source->nodes, source->node_capacity * sizeof(*source->nodes));
	source->nodes = NULL;
	source->node_count = 0;
	source->node_capacity = 0;
	call_tree_destroy(&source->stacks);
	hash_map_destroy(&source->numbers[0]);
	hash_map_destroy(&source->numbers[1]);
}

void frame_source_destroy(frame_source *source)
{
	frame_source_release_nodes(source);
	allocator_release(&source->allocator, source->items, source->item_capacity * sizeof(*source->items));
	source->items = NULL;
	source->item_count = 0;
}

/* The number of an item, which is added if missing. 0 if there is no memory. */
static uint32_t get_item(frame_source *source, uint32_t kind, uint32_t id, uint32_t flags)
{
	hash_map *numbers = &source->numbers[flags != 0];
	const uint64_t key = (uint64_t)kind << 32 | id;
	const uint64_t *known = hash_map_get(numbers, key);

	if (known != NULL)
		return (uint32_t)*known;
	if (source->item_count >= UINT32_MAX || !hash_map_put(numbers, key, source->item_count) ||
	    !add_item(source, kind, id, flags))
		return 0;
	return (uint32_t)source->item_count - 1;
}

uint32_t frame_source_add_collapsed(frame_source *source)
{
	return get_item(source, MPROF_SAMPLE_COLLAPSED, 0, 0);
}

static int reserve_nodes(frame_source *source, size_t count)
{
	void *nodes = source->nodes;
	int is_reserved =
		array_reserve(&source->allocator, &nodes, &source->node_capacity, count, sizeof(*source->nodes));

	source->nodes = nodes;
	return is_reserved;
}

static void add_node(frame_source *source, uint32_t parent, uint32_t item, uint64_t self, uint64_t count)
{
	source_node *node = &source->nodes[source->node_count++];

	memset(node, 0, sizeof(*node));
	node->parent = parent;
	node->item = item;
	node->self = self;
	node->count = count;
}

/* \p has_bytes: the values are the allocations of the nodes, not their times. */
static int read_calls(frame_source *source, const mprof_profile *profile, int has_bytes)
{
	const call_tree *tree = &profile->calls.tree;
	size_t count = profile->calls.keeps_tree ? tree->count : 1;

	if (!reserve_nodes(source, count))
		return 0;
	add_node(source, 0, 0, has_bytes ? tree->shown[0].bytes : profile->calls.shown_at_root,
		 has_bytes ? tree->shown[0].allocations : 0);
	for (size_t i = 1; i < count; i++) {
		const call_node *node = &tree->nodes[i];
		const shown_call_stats *shown = &tree->shown[i];
		uint32_t item = get_item(source, MPROF_SAMPLE_METHOD, node->method,
					 node->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0);

		if (item == 0 || !progress_step(source->going))
			return 0;
		add_node(source, node->parent, item, has_bytes ? shown->bytes : shown->self,
			 has_bytes ? shown->allocations : shown->calls);
	}
	return 1;
}

static int read_samples(frame_source *source, const mprof_profile *profile, const mprof_reader *reader)
{
	const sample_model *samples = &profile->samples;

	if (!reserve_nodes(source, samples->tree.count))
		return 0;
	add_node(source, 0, 0, samples->tree.shown[0].self, 0);
	for (size_t i = 1; i < samples->tree.count; i++) {
		const call_node *node = &samples->tree.nodes[i];
		const sample_record *record = &samples->records[node->method];
		const mprof_stack_frame frame = {.id = record->id, .is_native = 1};
		uint32_t kind = record->kind;
		uint32_t id = record->id;
		uint32_t item;

		/* A profile may count native code by location; frames of a tree are functions. */
		if (kind == MPROF_SAMPLE_LOCATION)
			samples_item_of_frame(reader, &frame, &kind, &id);
		item = get_item(source, kind, id, 0);
		if (item == 0 || !progress_step(source->going))
			return 0;
		add_node(source, node->parent, item, samples->tree.shown[i].self, 0);
	}
	return 1;
}

/* The frames of a call stack, the innermost first. Returns 0 if there is no memory. */
static int get_frames(frame_source *source, const mprof_reader *reader, uint32_t stack, mprof_stack_frame **frames,
		      size_t *capacity, size_t *count)
{
	void *larger = *frames;

	*count = 0;
	if (mprof_reader_lookup_stack(reader, stack, *frames, sizeof(**frames), *capacity, count) != MPROF_OK) {
		*count = 0;
		return 1;
	}
	if (*count <= *capacity)
		return 1;
	if (!array_reserve(&source->allocator, &larger, capacity, *count, sizeof(**frames)))
		return 0;
	*frames = larger;
	return mprof_reader_lookup_stack(reader, stack, *frames, sizeof(**frames), *capacity, count) == MPROF_OK;
}

/* Adds an allocation site with a call stack to the tree of call stacks. Returns 0 if there is no memory. */
static int add_stack(frame_source *source, const mprof_reader *reader, const mprof_stack_frame *frames, size_t count,
		     const mprof_allocation_site *site)
{
	uint32_t node = CALL_TREE_ROOT;

	for (size_t i = count; i > 0; i--) {
		uint32_t kind;
		uint32_t id;
		uint32_t item;

		samples_item_of_frame(reader, &frames[i - 1], &kind, &id);
		item = get_item(source, kind, id, frames[i - 1].is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0);
		node = item != 0 ? call_tree_child(&source->stacks, node, item) : CALL_TREE_ROOT;
		if (node == CALL_TREE_ROOT || !progress_step(source->going))
			return 0;
	}
	source->stacks.nodes[node].self += site->bytes;
	source->stacks.nodes[node].calls += site->allocations;
	return 1;
}

static int add_stacks(frame_source *source, const mprof_profile *profile, const mprof_reader *reader)
{
	mprof_stack_frame *frames = NULL;
	size_t capacity = 0;
	size_t count;
	int is_added = 1;

	for (size_t i = 0; is_added && i < profile->allocations.count; i++) {
		mprof_allocation_site site = {.struct_size = sizeof(site)};

		if (!progress_step(source->going)) {
			is_added = 0;
			break;
		}
		if (mprof_profile_get_row(profile, MPROF_TABLE_ALLOCATION_SITES, i, &site) != MPROF_OK ||
		    site.stack == 0)
			continue;
		is_added = get_frames(source, reader, site.stack, &frames, &capacity, &count) &&
			   add_stack(source, reader, frames, count, &site);
	}
	allocator_release(&source->allocator, frames, capacity * sizeof(*frames));
	return is_added;
}

static int has_stacks(const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->allocations.count; i++) {
		if (profile->allocations.records[i].key.stack != 0)
			return 1;
	}
	return 0;
}

static int read_allocations(frame_source *source, const mprof_profile *profile, const mprof_reader *reader)
{
	if (!has_stacks(profile))
		return read_calls(source, profile, 1);
	if (!add_stacks(source, profile, reader) || !reserve_nodes(source, source->stacks.count))
		return 0;
	for (size_t i = 0; i < source->stacks.count; i++) {
		const call_node *node = &source->stacks.nodes[i];

		if (!progress_step(source->going))
			return 0;
		add_node(source, node->parent, node->method, node->self, node->calls);
	}
	return 1;
}

uint64_t frame_source_steps(const mprof_profile *profile, uint32_t kind)
{
	if (kind == MPROF_FRAME_SOURCE_SAMPLES)
		return profile->samples.tree.count;
	return kind == MPROF_FRAME_SOURCE_ALLOCATIONS && has_stacks(profile) ? profile->allocations.count
									     : profile->calls.tree.count;
}

int frame_source_read(frame_source *source, const mprof_profile *profile, const mprof_reader *reader, uint32_t kind,
		      progress *going)
{
	source->going = going;
	switch (kind) {
	case MPROF_FRAME_SOURCE_CALLS:
		return read_calls(source, profile, 0);
	case MPROF_FRAME_SOURCE_SAMPLES:
		return read_samples(source, profile, reader);
	default:
		return read_allocations(source, profile, reader);
	}
}
