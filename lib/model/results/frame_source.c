/* SPDX-License-Identifier: MIT */
/* Copies the calls, samples, allocations, waits or handles of a profile. */
#include "model/results/frame_source.h"

#include "base/checked.h"
#include "model/profile/profile_internal.h"

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

/* A row of a table of call sites. */
typedef struct frame_site {
	uint32_t class_id;
	uint32_t stack;
	uint32_t call;
	uint32_t caller;
	uint32_t flags;
	int is_estimated;
	uint64_t count;
	uint64_t value;
} frame_site;

/* Reads a table of call sites into the tree of call stacks. */
typedef struct site_reader {
	frame_source *source;
	const mprof_profile *profile;
	const mprof_reader *reader;
	const mprof_frame_tree_options *options;
	mprof_stack_frame *frames; /* Of one call stack. */
	size_t capacity;
	uint32_t *calls; /* By node of the call tree that is a site or a caller of one: the node of the call stack. */
	hash_map counts; /* By class: the sums over all sites. */
	hash_map values;
} site_reader;

static uint32_t table_of_sites(uint32_t kind)
{
	return kind == MPROF_FRAME_SOURCE_WAITS     ? MPROF_TABLE_MONITOR_SITES
	       : kind == MPROF_FRAME_SOURCE_HANDLES ? MPROF_TABLE_HANDLE_SITES
						    : MPROF_TABLE_ALLOCATION_SITES;
}

static frame_site get_allocations(const mprof_profile *profile, size_t index)
{
	mprof_allocation_site row = {.struct_size = sizeof(row)};

	if (mprof_profile_get_row(profile, MPROF_TABLE_ALLOCATION_SITES, index, &row) != MPROF_OK)
		return (frame_site){.count = 0};
	return (frame_site){.class_id = row.class_id,
			    .stack = row.stack,
			    .call = row.call,
			    .caller = row.caller,
			    .flags = row.flags & MPROF_EVENT_FLAG_COMPILING,
			    .is_estimated = row.samples != 0,
			    .count = row.allocations,
			    .value = row.bytes};
}

static frame_site get_waits(const mprof_profile *profile, size_t index)
{
	mprof_monitor_site row = {.struct_size = sizeof(row)};

	if (mprof_profile_get_row(profile, MPROF_TABLE_MONITOR_SITES, index, &row) != MPROF_OK)
		return (frame_site){.count = 0};
	return (frame_site){.class_id = row.class_id,
			    .stack = row.stack,
			    .call = row.call,
			    .count = row.contentions,
			    .value = row.contended_ns};
}

static frame_site get_handles(const mprof_profile *profile, size_t index)
{
	mprof_handle_site row = {.struct_size = sizeof(row)};

	if (mprof_profile_get_row(profile, MPROF_TABLE_HANDLE_SITES, index, &row) != MPROF_OK)
		return (frame_site){.count = 0};
	return (frame_site){.class_id = row.class_id, .stack = row.stack, .count = row.created, .value = row.alive};
}

static size_t count_sites(const site_reader *sites)
{
	return mprof_profile_get_row_count(sites->profile, table_of_sites(sites->options->source));
}

static frame_site get_site(const site_reader *sites, size_t index)
{
	switch (sites->options->source) {
	case MPROF_FRAME_SOURCE_WAITS:
		return get_waits(sites->profile, index);
	case MPROF_FRAME_SOURCE_HANDLES:
		return get_handles(sites->profile, index);
	default:
		return get_allocations(sites->profile, index);
	}
}

/* Goes on to a callee of a node. Returns 0 if there is no memory or it was stopped, like the functions below. */
static int add_frame(const site_reader *sites, uint32_t kind, uint32_t id, uint32_t flags, uint32_t *node)
{
	frame_source *source = sites->source;
	uint32_t item = get_item(source, kind, id, flags);

	*node = item != 0 ? call_tree_child(&source->stacks, *node, item) : CALL_TREE_ROOT;
	return *node != CALL_TREE_ROOT && progress_step(source->going);
}

/* Reads the frames of a call stack, the innermost first. */
static int get_frames(site_reader *sites, uint32_t stack, size_t *count)
{
	void *larger = sites->frames;

	*count = 0;
	if (stack == 0 || mprof_reader_lookup_stack(sites->reader, stack, sites->frames, sizeof(*sites->frames),
						    sites->capacity, count) != MPROF_OK) {
		*count = 0;
		return 1;
	}
	if (*count <= sites->capacity)
		return 1;
	if (!array_reserve(&sites->source->allocator, &larger, &sites->capacity, *count, sizeof(*sites->frames)))
		return 0;
	sites->frames = larger;
	return mprof_reader_lookup_stack(sites->reader, stack, sites->frames, sizeof(*sites->frames), sites->capacity,
					 count) == MPROF_OK;
}

static int add_stack_frame(const site_reader *sites, const mprof_stack_frame *frame, uint32_t *node)
{
	uint32_t kind = MPROF_SAMPLE_LOCATION;
	uint32_t id = frame->id;

	if (!sites->options->with_locations || !frame->is_native || frame->id == 0)
		samples_item_of_frame(sites->reader, frame, &kind, &id);
	return add_frame(sites, kind, id, frame->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0, node);
}

/* Whether call sites without a call stack are left out. */
static int wants_only_stacks(const site_reader *sites)
{
	return sites->options->source == MPROF_FRAME_SOURCE_ALLOCATIONS && !sites->options->with_classes;
}

/* Finds the node of a call site. */
static int add_path(site_reader *sites, const frame_site *site, uint32_t *node)
{
	size_t count;

	*node = CALL_TREE_ROOT;
	if (site->stack == 0 && site->call != 0 && sites->calls != NULL) {
		*node = sites->calls[site->call];
		return 1;
	}
	if (!get_frames(sites, site->stack, &count))
		return 0;
	for (size_t i = count; i > 0; i--) {
		if (!add_stack_frame(sites, &sites->frames[i - 1], node))
			return 0;
	}
	if (count > 0 || wants_only_stacks(sites))
		return 1;
	return site->stack == 0 && site->caller != 0
		       ? add_frame(sites, MPROF_SAMPLE_METHOD, site->caller, site->flags, node)
		       : add_frame(sites, MPROF_SAMPLE_NO_STACK, 0, 0, node);
}

static int add_site(site_reader *sites, const frame_site *site)
{
	uint32_t node;

	if (wants_only_stacks(sites) && site->stack == 0)
		return 1;
	if (!add_path(sites, site, &node) ||
	    (sites->options->with_classes && !add_frame(sites, MPROF_SAMPLE_CLASS, site->class_id, 0, &node)))
		return 0;
	sites->source->stacks.nodes[node].self += site->value;
	sites->source->stacks.nodes[node].calls += site->count;
	return 1;
}

/* Adds the call paths of all sites that are nodes of the call tree. */
static int add_calls(site_reader *sites)
{
	const call_tree *tree = &sites->profile->calls.tree;
	const size_t count = count_sites(sites);
	uint32_t *calls = NULL;

	for (size_t i = 0; i < count; i++) {
		const uint32_t call = get_site(sites, i).call;

		if (call != 0 && calls == NULL) {
			calls = allocator_allocate_zeroed(&sites->source->allocator, tree->count * sizeof(*calls));
			sites->calls = calls;
			if (calls == NULL)
				return 0;
		}
		if (call != 0)
			calls[call] = 1;
	}
	if (calls == NULL)
		return 1;
	/* A node has a larger number than its caller. */
	for (size_t i = tree->count; i-- > 1;)
		calls[tree->nodes[i].parent] |= calls[i];
	calls[CALL_TREE_ROOT] = CALL_TREE_ROOT;
	for (size_t i = 1; i < tree->count; i++) {
		const call_node *call = &tree->nodes[i];

		if (calls[i] == 0)
			continue;
		calls[i] = calls[call->parent];
		if (!add_frame(sites, MPROF_SAMPLE_METHOD, call->method,
			       call->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0, &calls[i]))
			return 0;
	}
	return 1;
}

static int add_to_sum(hash_map *sums, uint64_t key, uint64_t value)
{
	uint64_t *sum = hash_map_get(sums, key);

	if (sum == NULL)
		return hash_map_put(sums, key, value);
	*sum += value;
	return 1;
}

static uint64_t subtract_sum(const hash_map *sums, uint64_t key, uint64_t value)
{
	const uint64_t *sum = hash_map_get(sums, key);

	return value - (sum != NULL ? *sum : 0);
}

/* Adds the allocations of each class that are in no site. */
static int add_classes(site_reader *sites)
{
	const size_t count = mprof_profile_get_row_count(sites->profile, MPROF_TABLE_CLASSES);

	for (size_t i = 0; i < count; i++) {
		mprof_class_stats row = {.struct_size = sizeof(row)};
		frame_site site = {.count = 0};

		if (mprof_profile_get_row(sites->profile, MPROF_TABLE_CLASSES, i, &row) != MPROF_OK)
			continue;
		site.class_id = row.id;
		site.count = subtract_sum(&sites->counts, row.id, row.allocations);
		site.value = subtract_sum(&sites->values, row.id, row.bytes);
		if (site.count > 0 && !add_site(sites, &site))
			return 0;
	}
	return 1;
}

static int add_sites(site_reader *sites)
{
	const int has_classes =
		sites->options->source == MPROF_FRAME_SOURCE_ALLOCATIONS && sites->options->with_classes;
	const size_t count = count_sites(sites);
	int is_estimated = 0;

	if ((has_classes || sites->options->source == MPROF_FRAME_SOURCE_WAITS) && !add_calls(sites))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const frame_site site = get_site(sites, i);

		is_estimated |= site.is_estimated;
		if (!progress_step(sites->source->going) || !add_site(sites, &site))
			return 0;
		if (has_classes && (!add_to_sum(&sites->counts, site.class_id, site.count) ||
				    !add_to_sum(&sites->values, site.class_id, site.value)))
			return 0;
	}
	/* Estimates do not add up to the exact sums of classes. */
	return !has_classes || is_estimated || add_classes(sites);
}

static int read_sites(frame_source *source, const mprof_profile *profile, const mprof_reader *reader,
		      const mprof_frame_tree_options *options)
{
	site_reader sites = {.source = source, .profile = profile, .reader = reader, .options = options};
	int is_added;

	hash_map_init(&sites.counts, &source->allocator);
	hash_map_init(&sites.values, &source->allocator);
	is_added = add_sites(&sites);
	allocator_release(&source->allocator, sites.frames, sites.capacity * sizeof(*sites.frames));
	if (sites.calls != NULL)
		allocator_release(&source->allocator, sites.calls, profile->calls.tree.count * sizeof(*sites.calls));
	hash_map_destroy(&sites.counts);
	hash_map_destroy(&sites.values);
	if (!is_added || !reserve_nodes(source, source->stacks.count))
		return 0;
	for (size_t i = 0; i < source->stacks.count; i++) {
		const call_node *node = &source->stacks.nodes[i];

		if (!progress_step(source->going))
			return 0;
		add_node(source, node->parent, node->method, node->self, node->calls);
	}
	return 1;
}

static int has_stacks(const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->allocations.count; i++) {
		if (profile->allocations.records[i].key.stack != 0)
			return 1;
	}
	return 0;
}

/*
 * Whether the table of sites has the paths of allocations: their call stacks, or nodes of the call tree. If not, the
 * nodes of the call tree have sums of all classes, unless all allocations are outside of methods.
 */
static int has_sites(const mprof_profile *profile, const mprof_frame_tree_options *options)
{
	if (options->source != MPROF_FRAME_SOURCE_ALLOCATIONS || has_stacks(profile))
		return 1;
	if (!options->with_classes)
		return 0;
	if (!profile->calls.keeps_tree || (profile->has_call_sites && profile->allocations.count > 0))
		return 1;
	for (size_t i = 1; i < profile->calls.tree.count; i++) {
		if (profile->calls.tree.shown[i].allocations > 0)
			return 0;
	}
	return 1;
}

uint64_t frame_source_steps(const mprof_profile *profile, const mprof_frame_tree_options *options)
{
	if (options->source == MPROF_FRAME_SOURCE_SAMPLES)
		return profile->samples.tree.count;
	return options->source != MPROF_FRAME_SOURCE_CALLS && has_sites(profile, options)
		       ? mprof_profile_get_row_count(profile, table_of_sites(options->source))
		       : profile->calls.tree.count;
}

int frame_source_read(frame_source *source, const mprof_profile *profile, const mprof_reader *reader,
		      const mprof_frame_tree_options *options, progress *going)
{
	source->going = going;
	switch (options->source) {
	case MPROF_FRAME_SOURCE_CALLS:
		return read_calls(source, profile, 0);
	case MPROF_FRAME_SOURCE_SAMPLES:
		return read_samples(source, profile, reader);
	default:
		return has_sites(profile, options) ? read_sites(source, profile, reader, options)
						   : read_calls(source, profile, 1);
	}
}
