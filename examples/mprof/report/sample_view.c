/* SPDX-License-Identifier: MIT */
/* Builds the table, the tree and the lines of samples from a profile that counts native code by location. */
#include "report/sample_view.h"

#include "common/elements.h"
#include "shared/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct view_builder {
	sample_view *view;
	const mprof_profile *profile;
	const mprof_reader *reader;
	native_lines *lines;
	const mprof_frame_tree *filtered; /* NULL: all samples of the profile. */
} view_builder;

/* An entry of the maps: the first index with a hash. */
typedef struct index_entry {
	uint64_t hash;
	uint64_t next; /* 1 + the index; 0 for a new entry. */
} index_entry;

static int is_same_item(const sample_item *a, const sample_item *b)
{
	if (a->kind != b->kind || a->id != b->id)
		return 0;
	return a->kind != SAMPLE_ITEM_NAMED ||
	       (a->module == b->module && a->name == b->name && a->is_inlined == b->is_inlined && a->file == b->file &&
		a->line == b->line);
}

static uint64_t hash_item(const sample_item *item)
{
	uint64_t hash = hash_mix(item->kind, item->id);

	return item->kind == SAMPLE_ITEM_NAMED
		       ? hash_mix(hash_mix(hash_mix(hash, item->module), (uintptr_t)item->name), item->line)
		       : hash;
}

/* Not all locations in a function may have debug information. */
static void complete_item(sample_item *item, const sample_item *found)
{
	if (item->file == NULL) {
		item->file = found->file;
		item->line = found->line;
	}
	if (item->name == NULL) {
		item->name = found->name;
		item->symbol = found->symbol;
	}
}

/* Colliding hashes get the following numbers. */
static int find_item(sample_view *view, const sample_item *wanted, uint32_t *index)
{
	void *items = view->items;
	index_entry *entry;

	for (uint64_t hash = hash_item(wanted);; hash++) {
		entry = key_map_put(&view->item_indexes, hash);
		if (entry == NULL)
			return 0;
		if (entry->next == 0)
			break;
		*index = (uint32_t)(entry->next - 1);
		if (is_same_item(&view->items[*index], wanted)) {
			complete_item(&view->items[*index], wanted);
			return 1;
		}
	}
	if (!elements_reserve(&items, &view->item_capacity, view->item_count, sizeof(*view->items)))
		return 0;
	view->items = items;
	*index = (uint32_t)view->item_count;
	view->items[view->item_count++] = *wanted;
	entry->next = view->item_count;
	return 1;
}

static int add_node(sample_view *view, uint32_t parent, uint32_t item)
{
	void *nodes = view->nodes;

	if (!elements_reserve(&nodes, &view->node_capacity, view->node_count, sizeof(*view->nodes)))
		return 0;
	view->nodes = nodes;
	view->nodes[view->node_count++] = (sample_view_node){.item = item, .parent = parent};
	return 1;
}

/* The child of a node for an item. */
static int find_child(sample_view *view, uint32_t parent, uint32_t item, uint32_t *child)
{
	index_entry *entry = key_map_put(&view->node_indexes, (uint64_t)parent << 32 | item);

	if (entry == NULL)
		return 0;
	if (entry->next == 0) {
		if (!add_node(view, parent, item))
			return 0;
		entry->next = view->node_count;
		view->nodes[entry->next - 1].next_sibling = view->nodes[parent].first_child;
		view->nodes[parent].first_child = (uint32_t)(entry->next - 1);
	}
	*child = (uint32_t)(entry->next - 1);
	return 1;
}

static int count_line(sample_view *view, uint32_t item, const char *file, uint32_t line, uint64_t hits)
{
	uint64_t hash = hash_mix(hash_mix(item, (uintptr_t)file), line);
	void *lines = view->lines;
	index_entry *entry;

	for (;; hash++) {
		sample_line *known;

		entry = key_map_put(&view->line_indexes, hash);
		if (entry == NULL)
			return 0;
		if (entry->next == 0)
			break;
		known = &view->lines[entry->next - 1];
		if (known->item == item && known->file == file && known->line == line) {
			known->hits += hits;
			return 1;
		}
	}
	if (!elements_reserve(&lines, &view->line_capacity, view->line_count, sizeof(*view->lines)))
		return 0;
	view->lines = lines;
	view->lines[view->line_count++] = (sample_line){.item = item, .line = line, .file = file, .hits = hits};
	entry->next = view->line_count;
	return 1;
}

/* What a location is without debug information: its function, its module, or itself. */
static sample_item describe_location(const mprof_reader *reader, uint32_t location)
{
	sample_item item = {.kind = MPROF_SAMPLE_LOCATION, .id = location};
	mprof_record record;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, location, &record, sizeof(record)) != MPROF_OK)
		return item;
	item.module = record.as.location.module;
	if (record.as.location.function != 0) {
		item.kind = MPROF_SAMPLE_FUNCTION;
		item.id = record.as.location.function;
	} else if (record.as.location.module != 0) {
		item.kind = MPROF_SAMPLE_MODULE;
		item.id = record.as.location.module;
	}
	return item;
}

/* The item of one of the functions at a location. */
static int find_frame_item(sample_view *view, sample_item base, const native_frame *frame, uint32_t *item)
{
	if (frame->is_inlined || (base.kind != MPROF_SAMPLE_FUNCTION && frame->name != NULL)) {
		base.kind = SAMPLE_ITEM_NAMED;
		base.id = 0;
	}
	base.name = frame->name;
	base.symbol = frame->symbol;
	base.is_inlined = frame->is_inlined;
	base.file = frame->defined_file;
	base.line = frame->defined_line;
	return find_item(view, &base, item);
}

/* Adds the frames of a location to the path that leads to it. */
static int add_location(view_builder *builder, const mprof_sample_node *sample, uint32_t *node)
{
	sample_view *view = builder->view;
	const sample_item base = describe_location(builder->reader, sample->id);
	const native_frame *frames;
	/* An address that a function was called from is a return address. */
	size_t count = native_lines_find(builder->lines, sample->id, sample->first_child != 0, &frames);
	uint32_t item = 0;

	if (count == 0)
		return find_item(view, &base, &item) && find_child(view, *node, item, node);
	for (size_t i = count; i > 0; i--) {
		if (!find_frame_item(view, base, &frames[i - 1], &item) || !find_child(view, *node, item, node))
			return 0;
	}
	return sample->self == 0 || frames[0].file == NULL ||
	       count_line(view, item, frames[0].file, frames[0].line, sample->self);
}

static int add_sample_node(view_builder *builder, const mprof_sample_node *sample, uint32_t *node)
{
	sample_item item = {.kind = sample->kind, .id = sample->id};
	mprof_record record;
	uint32_t index;

	if (sample->kind == MPROF_SAMPLE_LOCATION)
		return add_location(builder, sample, node);
	if (sample->kind == MPROF_SAMPLE_FUNCTION &&
	    mprof_reader_lookup_record(builder->reader, MPROF_RECORD_FUNCTION, sample->id, &record, sizeof(record)) ==
		    MPROF_OK)
		item.module = record.as.function.module;
	else if (sample->kind == MPROF_SAMPLE_MODULE)
		item.module = sample->id;
	return find_item(builder->view, &item, &index) && find_child(builder->view, *node, index, node);
}

static mprof_sample_node get_node(const view_builder *builder, uint32_t node)
{
	mprof_sample_node sample = {.struct_size = sizeof(sample)};
	mprof_frame_node frame = {.struct_size = sizeof(frame)};

	if (builder->filtered == NULL) {
		mprof_profile_get_row(builder->profile, MPROF_TABLE_SAMPLE_NODES, node, &sample);
		return sample;
	}
	mprof_frame_tree_get_node(builder->filtered, node, &frame);
	sample.kind = frame.kind;
	sample.id = frame.id;
	sample.parent = frame.parent;
	sample.first_child = frame.first_child;
	sample.self = frame.self;
	return sample;
}

/* Replaces all nodes. A node is after its parent in the profile. */
static int add_nodes(view_builder *builder, uint32_t *replaced, size_t count)
{
	sample_view *view = builder->view;

	for (size_t i = 0; i < count; i++) {
		const mprof_sample_node sample = get_node(builder, (uint32_t)i);
		uint32_t node;

		node = i > 0 ? replaced[sample.parent] : 0;
		if (i > 0 && !add_sample_node(builder, &sample, &node))
			return 0;
		replaced[i] = node;
		view->nodes[node].self += sample.self;
	}
	return 1;
}

static void sum_nodes(sample_view *view)
{
	for (size_t i = 0; i < view->node_count; i++)
		view->nodes[i].total = view->nodes[i].self;
	/* A node is after its parent. */
	for (size_t i = view->node_count; i-- > 1;)
		view->nodes[view->nodes[i].parent].total += view->nodes[i].total;
}

/* Visits all nodes, so that a recursive function counts once for each path. */
static void sum_items(sample_view *view)
{
	uint32_t node = view->nodes[0].first_child;

	while (node != 0) {
		sample_item *item = &view->items[view->nodes[node].item];

		item->self += view->nodes[node].self;
		if (item->active++ == 0)
			item->total += view->nodes[node].total;
		if (view->nodes[node].first_child != 0) {
			node = view->nodes[node].first_child;
			continue;
		}
		while (node != 0 && view->nodes[node].next_sibling == 0) {
			view->items[view->nodes[node].item].active--;
			node = view->nodes[node].parent;
		}
		if (node != 0) {
			view->items[view->nodes[node].item].active--;
			node = view->nodes[node].next_sibling;
		}
	}
}

int sample_view_build(sample_view *view, const mprof_profile *profile, const mprof_reader *reader, native_lines *lines,
		      const mprof_frame_tree *filtered)
{
	const size_t count = filtered != NULL ? mprof_frame_tree_get_node_count(filtered)
					      : mprof_profile_get_row_count(profile, MPROF_TABLE_SAMPLE_NODES);
	uint32_t *replaced = calloc(count + 1, sizeof(*replaced));
	view_builder builder = {
		.view = view, .profile = profile, .reader = reader, .lines = lines, .filtered = filtered};
	int is_built;

	memset(view, 0, sizeof(*view));
	view->item_indexes.value_size = sizeof(index_entry) - sizeof(uint64_t);
	view->node_indexes.value_size = sizeof(index_entry) - sizeof(uint64_t);
	view->line_indexes.value_size = sizeof(index_entry) - sizeof(uint64_t);
	is_built = replaced != NULL && add_node(view, 0, 0) && add_nodes(&builder, replaced, count);
	free(replaced);
	key_map_clear(&view->item_indexes);
	key_map_clear(&view->node_indexes);
	key_map_clear(&view->line_indexes);
	if (is_built) {
		sum_nodes(view);
		sum_items(view);
	}
	return is_built;
}

void sample_view_release(sample_view *view)
{
	free(view->items);
	free(view->nodes);
	free(view->lines);
	key_map_clear(&view->item_indexes);
	key_map_clear(&view->node_indexes);
	key_map_clear(&view->line_indexes);
	memset(view, 0, sizeof(*view));
}
