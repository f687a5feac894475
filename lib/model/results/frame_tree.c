/* SPDX-License-Identifier: MIT */
/* Trees of frames, made of a table of a profile: the call tree, or the stacks of samples, call sites and memory. */
#include <mprof/profile.h>

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/memory_budget.h"
#include "model/profile/profile_internal.h"
#include "model/records/call_tree.h"
#include "model/results/measured_rows.h"

#include <string.h>

/* Sums of an item, in the unit of the source. */
typedef struct frame_sums {
	uint64_t count;
	uint64_t self;
	uint64_t total;
	uint64_t active; /* While sums are computed: its nodes on the current path. */
	int is_used;     /* At least one node belongs to it. */
} frame_sums;

/* A distinct frame. Item 0 is the root, which is no frame. */
typedef struct frame_item {
	uint32_t kind; /* An mprof_sample_kind. */
	uint32_t id;
	uint32_t flags;
	uint32_t position; /* 0: none. */
	uint32_t choice;   /* Bits of mprof_frame_choice. */
	frame_sums sums;
	frame_sums caller; /* Of selected frames that it calls. */
	frame_sums callee; /* Of its nodes that a selected frame calls. */
} frame_item;

/* A node of the source. A parent has a smaller number than its children; node 0 is the root. */
typedef struct source_node {
	uint32_t parent;
	uint32_t item;
	uint64_t self;
	uint64_t count;
	uint32_t node;      /* Its node in the filtered tree. */
	uint8_t is_ignored; /* It or a caller is ignored. */
	uint8_t is_focused; /* It or a caller is in focus. */
	uint8_t is_kept;    /* Its own values are part of the result. */
	uint8_t has_kept;   /* It or a node below it is kept. */
} source_node;

typedef struct frame_source {
	const memory_budget *budget;
	mprof_allocator allocator;
	frame_item *items;
	size_t item_count;
	size_t item_capacity;
	/*
	 * Numbers of items: by kind and ID, those without and with MPROF_EVENT_FLAG_COMPILING; by kind and position,
	 * those with one.
	 */
	hash_map numbers[3];
	source_node *nodes;
	size_t node_count;
	size_t node_capacity;
	call_tree stacks; /* Of call sites: call tree nodes, whose methods are items. */
	progress *going;  /* While the nodes are read. */
} frame_source;

static int add_item(frame_source *source, uint32_t kind, uint32_t id, uint32_t flags, uint32_t position)
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
	item->position = position;
	return 1;
}

/* Returns 0 if there is no memory; frame_source_destroy() may be called in that case, too. */
static int frame_source_init(frame_source *source, memory_budget *budget)
{
	memset(source, 0, sizeof(*source));
	source->budget = budget;
	source->allocator = budget->allocator;
	hash_map_init(&source->numbers[0], &source->allocator);
	hash_map_init(&source->numbers[1], &source->allocator);
	hash_map_init(&source->numbers[2], &source->allocator);
	return call_tree_init(&source->stacks, &source->allocator) && add_item(source, 0, 0, 0, 0);
}

/* Frees the nodes; the items stay. */
static void frame_source_release_nodes(frame_source *source)
{
	allocator_release(&source->allocator, source->nodes, source->node_capacity * sizeof(*source->nodes));
	source->nodes = NULL;
	source->node_count = 0;
	source->node_capacity = 0;
	call_tree_destroy(&source->stacks);
	hash_map_destroy(&source->numbers[0]);
	hash_map_destroy(&source->numbers[1]);
	hash_map_destroy(&source->numbers[2]);
}

static void frame_source_destroy(frame_source *source)
{
	frame_source_release_nodes(source);
	allocator_release(&source->allocator, source->items, source->item_capacity * sizeof(*source->items));
	source->items = NULL;
	source->item_count = 0;
}

/* The number of an item, which is added if missing. 0 if there is no memory. */
static uint32_t get_item_at(frame_source *source, uint32_t kind, uint32_t id, uint32_t flags, uint32_t position)
{
	hash_map *numbers = &source->numbers[position != 0 ? 2 : flags != 0];
	const uint64_t key = (uint64_t)kind << 32 | (position != 0 ? position : id);
	const uint64_t *known = hash_map_get(numbers, key);

	if (known != NULL)
		return (uint32_t)*known;
	if (source->item_count >= UINT32_MAX || !hash_map_put(numbers, key, source->item_count) ||
	    !add_item(source, kind, id, flags, position))
		return 0;
	return (uint32_t)source->item_count - 1;
}

static uint32_t get_item(frame_source *source, uint32_t kind, uint32_t id, uint32_t flags)
{
	return get_item_at(source, kind, id, flags, 0);
}

/*
 * The number of the item that replaces collapsed frames, which is added if missing. 0 if there is no memory. Before
 * frame_source_release_nodes().
 */
static uint32_t frame_source_add_collapsed(frame_source *source)
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

/* \p samples: NULL without samples. \p is_shown: their sums are those that are shown, else those of the nodes. */
static int read_samples(frame_source *source, const mprof_reader *reader, const sample_model *samples, int is_shown)
{
	const size_t count = samples != NULL ? samples->tree.count : 1;

	if (!reserve_nodes(source, count))
		return 0;
	add_node(source, 0, 0,
		 samples == NULL ? 0
		 : is_shown      ? samples->tree.shown[0].self
				 : samples->tree.nodes[0].self,
		 0);
	for (size_t i = 1; i < count; i++) {
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
		add_node(source, node->parent, item, is_shown ? samples->tree.shown[i].self : node->self, 0);
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
	switch (kind) {
	case MPROF_FRAME_SOURCE_ALLOCATIONS:
		return MPROF_TABLE_ALLOCATION_SITES;
	case MPROF_FRAME_SOURCE_WAITS:
		return MPROF_TABLE_MONITOR_SITES;
	case MPROF_FRAME_SOURCE_HANDLES:
		return MPROF_TABLE_HANDLE_SITES;
	default:
		return MPROF_TABLE_MEMORY_SITES;
	}
}

/* Native memory has no classes. */
static int has_classes(const mprof_frame_tree_options *options)
{
	return options->with_classes && options->source < MPROF_FRAME_SOURCE_MEMORY;
}

static size_t count_sites(const site_reader *sites)
{
	return mprof_profile_get_row_count(sites->profile, table_of_sites(sites->options->source));
}

/* What a source counts of a table of call sites. */
static const struct source_measures {
	uint8_t count;
	uint8_t value;
} source_measures[] = {
	[MPROF_FRAME_SOURCE_ALLOCATIONS] = {MPROF_MEASURE_COUNT, MPROF_MEASURE_SELF},
	[MPROF_FRAME_SOURCE_WAITS] = {MPROF_MEASURE_COUNT, MPROF_MEASURE_SELF},
	[MPROF_FRAME_SOURCE_HANDLES] = {MPROF_MEASURE_COUNT, MPROF_MEASURE_SELF},
	[MPROF_FRAME_SOURCE_MEMORY] = {MPROF_MEASURE_COUNT, MPROF_MEASURE_SELF},
	[MPROF_FRAME_SOURCE_MEMORY_LIVE] = {MPROF_MEASURE_LIVE_COUNT, MPROF_MEASURE_LIVE},
	[MPROF_FRAME_SOURCE_MEMORY_PEAK] = {MPROF_MEASURE_PEAK_COUNT, MPROF_MEASURE_PEAK},
	[MPROF_FRAME_SOURCE_MEMORY_TEMPORARY] = {MPROF_MEASURE_TEMPORARY_COUNT, MPROF_MEASURE_TEMPORARY_COUNT},
};

static frame_site get_site(const site_reader *sites, size_t index)
{
	const struct source_measures *measures = &source_measures[sites->options->source];
	measured_row row;

	(void)measured_rows_get(sites->profile, table_of_sites(sites->options->source), index, &row);
	return (frame_site){.class_id = row.id,
			    .stack = row.stack,
			    .call = row.call,
			    .caller = row.caller,
			    .flags = row.flags & MPROF_EVENT_FLAG_COMPILING,
			    .is_estimated = row.values[MPROF_MEASURE_SAMPLED] != 0,
			    .count = row.values[measures->count],
			    .value = row.values[measures->value]};
}

/* Continues with a callee of a node. Returns 0 if there is no memory or it was stopped, like the functions below. */
static int add_item_node(const site_reader *sites, uint32_t item, uint32_t *node)
{
	frame_source *source = sites->source;

	*node = item != 0 ? call_tree_child(&source->stacks, *node, item) : CALL_TREE_ROOT;
	return *node != CALL_TREE_ROOT && progress_step(source->going);
}

static int add_frame(const site_reader *sites, uint32_t kind, uint32_t id, uint32_t flags, uint32_t *node)
{
	return add_item_node(sites, get_item(sites->source, kind, id, flags), node);
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
	if (sites->options->with_lines && frame->position != 0)
		return add_item_node(sites, get_item_at(sites->source, kind, id, 0, frame->position), node);
	return add_frame(sites, kind, id, frame->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0, node);
}

/* Whether call sites without a call stack are left out. */
static int wants_only_stacks(const site_reader *sites)
{
	return sites->options->source == MPROF_FRAME_SOURCE_ALLOCATIONS && !sites->options->with_classes;
}

/* Finds the node of a call stack, which has at least one frame. */
static int add_stack_path(site_reader *sites, uint32_t stack, uint32_t *node)
{
	static const mprof_stack_frame unknown = {.id = 0};
	size_t count;

	*node = CALL_TREE_ROOT;
	if (!get_frames(sites, stack, &count))
		return 0;
	if (count == 0)
		return add_stack_frame(sites, &unknown, node);
	for (size_t i = count; i > 0; i--) {
		if (!add_stack_frame(sites, &sites->frames[i - 1], node))
			return 0;
	}
	return 1;
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
	/* Of native memory: without it, all call stacks would be in each tree. */
	if (site->count == 0 && site->value == 0)
		return 1;
	if (!add_path(sites, site, &node) ||
	    (has_classes(sites->options) && !add_frame(sites, MPROF_SAMPLE_CLASS, site->class_id, 0, &node)))
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
		frame_site site = {.count = 0};
		measured_row row;

		if (!measured_rows_get(sites->profile, MPROF_TABLE_CLASSES, i, &row))
			continue;
		site.class_id = row.id;
		site.count = subtract_sum(&sites->counts, row.id, row.values[MPROF_MEASURE_COUNT]);
		site.value = subtract_sum(&sites->values, row.id, row.values[MPROF_MEASURE_SELF]);
		if (site.count > 0 && !add_site(sites, &site))
			return 0;
	}
	return 1;
}

static int add_sites(site_reader *sites)
{
	const int of_objects = sites->options->source == MPROF_FRAME_SOURCE_ALLOCATIONS && sites->options->with_classes;
	const size_t count = count_sites(sites);
	int is_estimated = 0;

	if ((of_objects || sites->options->source == MPROF_FRAME_SOURCE_WAITS) && !add_calls(sites))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const frame_site site = get_site(sites, i);

		is_estimated |= site.is_estimated;
		if (!progress_step(sites->source->going) || !add_site(sites, &site))
			return 0;
		if (of_objects && (!add_to_sum(&sites->counts, site.class_id, site.count) ||
				   !add_to_sum(&sites->values, site.class_id, site.value)))
			return 0;
	}
	/* Estimates do not add up to the exact sums of classes. */
	return !of_objects || is_estimated || add_classes(sites);
}

/* Makes nodes of the source from the call stacks. */
static int take_stacks(frame_source *source)
{
	if (!reserve_nodes(source, source->stacks.count))
		return 0;
	for (size_t i = 0; i < source->stacks.count; i++) {
		const call_node *node = &source->stacks.nodes[i];

		if (!progress_step(source->going))
			return 0;
		add_node(source, node->parent, node->method, node->self, node->calls);
	}
	return 1;
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
	return is_added && take_stacks(source);
}

/*
 * Whether all samples with call stacks are counted by call stack: not those for which there was no memory, nor those
 * since the last mprof_profile_finish().
 */
static int has_sample_stacks(const mprof_profile *profile)
{
	const sample_model *samples = &profile->samples;
	uint64_t difference = 0;

	for (size_t i = 1; i < samples->tree.count; i++)
		difference += samples->tree.shown[i].self;
	for (size_t i = 0; i < samples->stacks.count; i++)
		difference -= ((const sample_stack *)record_table_at(&samples->stacks, i))->count;
	return difference == 0;
}

/* Reads the samples by call stack, since the nodes of their tree have no lines. */
static int read_sample_stacks(frame_source *source, const mprof_profile *profile, const mprof_reader *reader,
			      const mprof_frame_tree_options *options)
{
	site_reader sites = {.source = source, .profile = profile, .reader = reader, .options = options};
	const record_table *stacks = &profile->samples.stacks;
	int is_added = 1;

	source->stacks.nodes[CALL_TREE_ROOT].self = profile->samples.tree.shown[CALL_TREE_ROOT].self;
	for (size_t i = 0; i < stacks->count && is_added; i++) {
		const sample_stack *stack = record_table_at(stacks, i);
		uint32_t node;

		if (stack->count == 0)
			continue;
		is_added = add_stack_path(&sites, stack->id, &node);
		if (is_added)
			source->stacks.nodes[node].self += stack->count;
	}
	allocator_release(&source->allocator, sites.frames, sites.capacity * sizeof(*sites.frames));
	return is_added && take_stacks(source);
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

/* The samples that a tree is made of; NULL if the kind has none. */
static const sample_model *samples_of(const mprof_profile *profile, const mprof_frame_tree_options *options)
{
	const sample_kind *kind =
		options->sample_kind != 0 ? sample_kinds_find(&profile->sample_kinds, options->sample_kind) : NULL;

	if (options->sample_kind == 0)
		return &profile->samples;
	return kind != NULL ? kind->tree : NULL;
}

/* Whether the tree of samples is made of their call stacks, for the lines. */
static int reads_sample_stacks(const mprof_profile *profile, const mprof_frame_tree_options *options)
{
	return options->with_lines && options->sample_kind == 0 && has_sample_stacks(profile);
}

/* Steps of frame_source_read(); of call sites, their number. */
static uint64_t frame_source_steps(const mprof_profile *profile, const mprof_frame_tree_options *options)
{
	if (options->source == MPROF_FRAME_SOURCE_SAMPLES)
		return (samples_of(profile, options) != NULL ? samples_of(profile, options)->tree.count : 1) +
		       (options->with_lines ? profile->samples.stacks.count : 0);
	return options->source != MPROF_FRAME_SOURCE_CALLS && has_sites(profile, options)
		       ? mprof_profile_get_row_count(profile, table_of_sites(options->source))
		       : profile->calls.tree.count;
}

/* Adds the nodes and the items of a source. Returns 0 if there is no memory or it was stopped. */
static int frame_source_read(frame_source *source, const mprof_profile *profile, const mprof_reader *reader,
			     const mprof_frame_tree_options *options, progress *going)
{
	source->going = going;
	switch (options->source) {
	case MPROF_FRAME_SOURCE_CALLS:
		return read_calls(source, profile, 0);
	case MPROF_FRAME_SOURCE_SAMPLES:
		if (reads_sample_stacks(profile, options))
			return read_sample_stacks(source, profile, reader, options);
		return read_samples(source, reader, samples_of(profile, options), options->sample_kind == 0);
	default:
		return has_sites(profile, options) ? read_sites(source, profile, reader, options)
						   : read_calls(source, profile, 1);
	}
}

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)
#define DEFAULT_MAX_DEPTH 64

struct mprof_frame_tree {
	memory_budget budget;
	frame_source source; /**< Its items; its nodes only while the tree is made. */
	call_tree filtered;  /**< Methods are items. */
	call_tree inverted;
	int is_inverted;
	int has_times;      /**< Values are counters. */
	int has_objects;    /**< Counts belong to the frame that allocated, waited or created, like its value. */
	uint32_t collapsed; /**< The item that replaces collapsed frames; 0 if there are none. */
	profile_clock clock;
	frame_sums selection;
	/** Numbers of the items in use: all, callers, callees. */
	uint32_t *rows[3];
	size_t row_counts[3];
	progress *going; /**< While the tree is made. */
};

enum { ROWS_OF_FRAMES, ROWS_OF_CALLERS, ROWS_OF_CALLEES, ROW_TABLES };

void mprof_frame_tree_options_init(mprof_frame_tree_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

/* Returns 0 if there is no memory or it was stopped, like the functions below. */
static int choose_items(mprof_frame_tree *tree, const mprof_frame_tree_options *options)
{
	uint32_t all = 0;

	for (size_t i = 1; options->choose != NULL && i < tree->source.item_count; i++) {
		frame_item *item = &tree->source.items[i];

		if (!progress_step(tree->going))
			return 0;
		item->choice = options->choose(options->user, item->kind, item->id);
		all |= item->choice;
	}
	if (all & MPROF_FRAME_COLLAPSE) {
		tree->collapsed = frame_source_add_collapsed(&tree->source);
		return tree->collapsed != 0;
	}
	return 1;
}

/* Decides which nodes are kept, and which are needed because nodes below them are. */
static int mark_kept(mprof_frame_tree *tree, int has_focus)
{
	source_node *nodes = tree->source.nodes;

	for (size_t i = 0; i < tree->source.node_count; i++) {
		source_node *node = &nodes[i];
		const source_node *parent = &nodes[node->parent];
		uint32_t choice = tree->source.items[node->item].choice;

		if (!progress_step(tree->going))
			return 0;
		node->is_ignored = parent->is_ignored || (choice & MPROF_FRAME_IGNORE);
		node->is_focused = parent->is_focused || (choice & MPROF_FRAME_FOCUS);
		node->is_kept = !node->is_ignored && (node->is_focused || !has_focus);
		node->has_kept = node->is_kept && (node->self > 0 || node->count > 0);
	}
	for (size_t i = tree->source.node_count; i-- > 1;) {
		if (!progress_step(tree->going))
			return 0;
		nodes[nodes[i].parent].has_kept |= nodes[i].has_kept;
	}
	return 1;
}

/* Finds or adds the node of a frame below that of its caller. Returns 0 if there is no memory. */
static int add_filtered(mprof_frame_tree *tree, source_node *node)
{
	call_tree *filtered = &tree->filtered;
	uint32_t choice = tree->source.items[node->item].choice;
	int is_collapsed = (choice & MPROF_FRAME_COLLAPSE) != 0;

	if (choice & MPROF_FRAME_HIDE)
		return 1;
	if (is_collapsed && filtered->nodes[node->node].method == tree->collapsed)
		return 1;
	node->node = call_tree_child(filtered, node->node, is_collapsed ? tree->collapsed : node->item);
	if (node->node == CALL_TREE_ROOT)
		return 0;
	/* A caller of frames in focus is called as often as without the filter. */
	if (!tree->has_objects)
		filtered->nodes[node->node].calls += node->count;
	return 1;
}

/* Adds the nodes that are needed and not hidden to the filtered tree. */
static int copy_kept(mprof_frame_tree *tree)
{
	source_node *nodes = tree->source.nodes;
	call_tree *filtered = &tree->filtered;

	if (nodes[0].is_kept) {
		filtered->nodes[CALL_TREE_ROOT].self += nodes[0].self;
		filtered->nodes[CALL_TREE_ROOT].calls += nodes[0].count;
	}
	for (size_t i = 1; i < tree->source.node_count; i++) {
		source_node *node = &nodes[i];

		if (!progress_step(tree->going))
			return 0;
		node->node = nodes[node->parent].node;
		if (!node->has_kept)
			continue;
		if (!add_filtered(tree, node))
			return 0;
		if (node->is_kept) {
			filtered->nodes[node->node].self += node->self;
			filtered->nodes[node->node].calls += tree->has_objects ? node->count : 0;
		}
	}
	return 1;
}

static int sum_totals(call_tree *tree, progress *going)
{
	for (size_t i = tree->count; i-- > 0;) {
		call_node *node = &tree->nodes[i];

		if (!progress_step(going))
			return 0;
		node->total += node->self;
		if (i != CALL_TREE_ROOT)
			tree->nodes[node->parent].total += node->total;
	}
	return 1;
}

/* Adds the path from a node of the filtered tree to the outermost caller. */
static int invert_node(mprof_frame_tree *tree, uint32_t number, uint32_t max_depth)
{
	const call_node *nodes = tree->filtered.nodes;
	const call_node *first = &nodes[number];
	uint32_t inverted = CALL_TREE_ROOT;

	for (uint32_t depth = 0; number != CALL_TREE_ROOT && depth < max_depth; depth++) {
		inverted = call_tree_child(&tree->inverted, inverted, nodes[number].method);
		if (inverted == CALL_TREE_ROOT || !progress_step(tree->going))
			return 0;
		tree->inverted.nodes[inverted].calls += first->calls;
		number = nodes[number].parent;
	}
	tree->inverted.nodes[inverted].self += first->self;
	return 1;
}

static int invert(mprof_frame_tree *tree, uint32_t max_depth)
{
	tree->inverted.nodes[CALL_TREE_ROOT].self = tree->filtered.nodes[CALL_TREE_ROOT].self;
	for (size_t i = 1; i < tree->filtered.count; i++) {
		const call_node *node = &tree->filtered.nodes[i];

		if (!progress_step(tree->going) ||
		    ((node->self > 0 || node->calls > 0) && !invert_node(tree, (uint32_t)i, max_depth)))
			return 0;
	}
	return sum_totals(&tree->inverted, tree->going);
}

static int is_selected(const mprof_frame_tree *tree, uint32_t item)
{
	return (tree->source.items[item].choice & MPROF_FRAME_SELECT) != 0;
}

/* Adds a node to sums that it belongs to; the total only if no caller of it belongs to them. */
static void enter_sums(frame_sums *sums, const call_node *node)
{
	sums->is_used = 1;
	sums->count += node->calls;
	sums->self += node->self;
	if (sums->active++ == 0)
		sums->total += node->total;
}

static void enter_node(mprof_frame_tree *tree, const call_node *node)
{
	uint32_t caller = tree->filtered.nodes[node->parent].method;
	frame_item *items = tree->source.items;

	enter_sums(&items[node->method].sums, node);
	if (is_selected(tree, node->method)) {
		enter_sums(&tree->selection, node);
		enter_sums(&items[caller].caller, node);
	}
	if (is_selected(tree, caller))
		enter_sums(&items[node->method].callee, node);
}

static void leave_node(mprof_frame_tree *tree, const call_node *node)
{
	uint32_t caller = tree->filtered.nodes[node->parent].method;
	frame_item *items = tree->source.items;

	items[node->method].sums.active--;
	if (is_selected(tree, node->method)) {
		tree->selection.active--;
		items[caller].caller.active--;
	}
	if (is_selected(tree, caller))
		items[node->method].callee.active--;
}

/* Visits the filtered tree, callers first and without recursion. */
static int sum_items(mprof_frame_tree *tree)
{
	const call_node *nodes = tree->filtered.nodes;
	uint32_t node = nodes[CALL_TREE_ROOT].first_child;

	while (node != CALL_TREE_ROOT) {
		if (!progress_step(tree->going))
			return 0;
		enter_node(tree, &nodes[node]);
		if (nodes[node].first_child != CALL_TREE_ROOT) {
			node = nodes[node].first_child;
			continue;
		}
		leave_node(tree, &nodes[node]);
		while (nodes[node].next_sibling == CALL_TREE_ROOT && nodes[node].parent != CALL_TREE_ROOT) {
			node = nodes[node].parent;
			leave_node(tree, &nodes[node]);
		}
		node = nodes[node].next_sibling;
	}
	return 1;
}

static const frame_sums *sums_of(const frame_item *item, size_t table)
{
	return table == ROWS_OF_CALLERS ? &item->caller : table == ROWS_OF_CALLEES ? &item->callee : &item->sums;
}

/* Lists the items that have sums. */
static int list_rows(mprof_frame_tree *tree, size_t table)
{
	tree->rows[table] =
		allocator_allocate(&tree->budget.allocator, tree->source.item_count * sizeof(*tree->rows[table]));
	if (tree->rows[table] == NULL)
		return 0;
	for (size_t i = 0; i < tree->source.item_count; i++) {
		if (!progress_step(tree->going))
			return 0;
		if (sums_of(&tree->source.items[i], table)->is_used)
			tree->rows[table][tree->row_counts[table]++] = (uint32_t)i;
	}
	return 1;
}

/* Phases that visit each node of the source, or each of the filtered tree: reading and making; inverting adds two. */
#define PHASES 6

static int list_all_rows(mprof_frame_tree *tree)
{
	for (size_t table = 0; table < ROW_TABLES; table++) {
		if (!list_rows(tree, table))
			return 0;
	}
	return 1;
}

static int build(mprof_frame_tree *tree, const mprof_profile *profile, const mprof_reader *reader,
		 const mprof_frame_tree_options *options)
{
	const uint64_t steps = frame_source_steps(profile, options);
	uint32_t max_depth = options->max_depth != 0 ? options->max_depth : DEFAULT_MAX_DEPTH;
	progress *going = tree->going;
	int has_source = frame_source_init(&tree->source, &tree->budget);
	int has_filtered = call_tree_init(&tree->filtered, &tree->budget.allocator);
	int has_inverted = call_tree_init(&tree->inverted, &tree->budget.allocator);

	progress_init(going, options->progress, options->progress_user, (PHASES + (options->inverted ? 2 : 0)) * steps);
	if (!has_source || !has_filtered || !has_inverted || !progress_begin(going, steps) ||
	    !frame_source_read(&tree->source, profile, reader, options, going) || !choose_items(tree, options) ||
	    !progress_begin(going, 2 * steps) || !mark_kept(tree, options->has_focus != 0) ||
	    !progress_begin(going, steps) || !copy_kept(tree))
		return 0;
	frame_source_release_nodes(&tree->source);
	return progress_begin(going, 2 * steps) && sum_totals(&tree->filtered, going) && sum_items(tree) &&
	       list_all_rows(tree) && progress_begin(going, 2 * steps) &&
	       (!options->inverted || invert(tree, max_depth)) && progress_end(going);
}

mprof_status mprof_frame_tree_create(const mprof_profile *profile, const mprof_reader *reader,
				     const mprof_frame_tree_options *options, mprof_frame_tree **tree)
{
	mprof_frame_tree_options copy;
	mprof_allocator allocator;
	mprof_frame_tree *result;
	progress going;

	if (tree == NULL)
		return MPROF_ERR_ARGUMENT;
	*tree = NULL;
	if (profile == NULL || reader == NULL || options == NULL ||
	    struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || copy.source < MPROF_FRAME_SOURCE_CALLS ||
	    copy.source > MPROF_FRAME_SOURCE_MEMORY_TEMPORARY || copy.inverted > 1 || copy.has_focus > 1 ||
	    copy.with_classes > 1 || copy.with_locations > 1 || copy.with_lines > 1 || copy.reserved_flags != 0 ||
	    (copy.sample_kind != 0 && copy.source != MPROF_FRAME_SOURCE_SAMPLES) ||
	    !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	result = allocator_allocate_zeroed(&allocator, sizeof(*result));
	if (result == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&result->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	result->clock = profile->clock;
	result->has_times = copy.source == MPROF_FRAME_SOURCE_CALLS;
	result->has_objects = copy.source >= MPROF_FRAME_SOURCE_ALLOCATIONS;
	result->is_inverted = copy.inverted != 0;
	result->going = &going;
	if (!build(result, profile, reader, &copy)) {
		mprof_status status = progress_status(&going, memory_budget_status(&result->budget));

		mprof_frame_tree_destroy(result);
		return status;
	}
	result->going = NULL;
	*tree = result;
	return MPROF_OK;
}

void mprof_frame_tree_destroy(mprof_frame_tree *tree)
{
	mprof_allocator allocator;

	if (tree == NULL)
		return;
	for (size_t table = 0; table < ROW_TABLES; table++)
		allocator_release(&tree->budget.allocator, tree->rows[table],
				  tree->source.item_count * sizeof(*tree->rows[table]));
	call_tree_destroy(&tree->filtered);
	call_tree_destroy(&tree->inverted);
	frame_source_destroy(&tree->source);
	allocator = tree->budget.source;
	allocator_release(&allocator, tree, sizeof(*tree));
}

static const call_tree *shown_tree(const mprof_frame_tree *tree)
{
	return tree->is_inverted ? &tree->inverted : &tree->filtered;
}

static uint64_t value_of(const mprof_frame_tree *tree, uint64_t value)
{
	return tree->has_times ? profile_clock_duration(&tree->clock, value) : value;
}

size_t mprof_frame_tree_get_node_count(const mprof_frame_tree *tree)
{
	return tree != NULL ? shown_tree(tree)->count : 0;
}

mprof_status mprof_frame_tree_get_node(const mprof_frame_tree *tree, uint32_t node, mprof_frame_node *found)
{
	const call_node *shown;
	const frame_item *item;
	mprof_frame_node copy;

	if (tree == NULL || found == NULL || node >= shown_tree(tree)->count)
		return MPROF_ERR_ARGUMENT;
	shown = &shown_tree(tree)->nodes[node];
	item = &tree->source.items[shown->method];
	memset(&copy, 0, sizeof(copy));
	copy.kind = item->kind;
	copy.id = item->id;
	copy.flags = item->flags;
	copy.position = item->position;
	copy.parent = shown->parent;
	copy.first_child = shown->first_child;
	copy.next_sibling = shown->next_sibling;
	copy.count = shown->calls;
	copy.self = value_of(tree, shown->self);
	copy.total = value_of(tree, shown->total);
	return struct_copy_out(found, &copy, sizeof(copy));
}

static mprof_status store_sums(const mprof_frame_tree *tree, const frame_item *item, const frame_sums *sums,
			       mprof_frame_stats *stats)
{
	mprof_frame_stats copy;

	memset(&copy, 0, sizeof(copy));
	copy.kind = item->kind;
	copy.id = item->id;
	copy.flags = item->flags;
	copy.position = item->position;
	copy.choice = item->choice;
	copy.count = sums->count;
	copy.self = value_of(tree, sums->self);
	copy.total = value_of(tree, sums->total);
	return struct_copy_out(stats, &copy, sizeof(copy));
}

static mprof_status get_row(const mprof_frame_tree *tree, size_t table, size_t index, mprof_frame_stats *stats)
{
	const frame_item *item;

	if (tree == NULL || stats == NULL || index >= tree->row_counts[table])
		return MPROF_ERR_ARGUMENT;
	item = &tree->source.items[tree->rows[table][index]];
	return store_sums(tree, item, sums_of(item, table), stats);
}

size_t mprof_frame_tree_get_frame_count(const mprof_frame_tree *tree)
{
	return tree != NULL ? tree->row_counts[ROWS_OF_FRAMES] : 0;
}

mprof_status mprof_frame_tree_get_frame(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats)
{
	return get_row(tree, ROWS_OF_FRAMES, index, stats);
}

mprof_status mprof_frame_tree_get_selection(const mprof_frame_tree *tree, mprof_frame_stats *stats)
{
	if (tree == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	return store_sums(tree, &tree->source.items[0], &tree->selection, stats);
}

size_t mprof_frame_tree_get_caller_count(const mprof_frame_tree *tree)
{
	return tree != NULL ? tree->row_counts[ROWS_OF_CALLERS] : 0;
}

mprof_status mprof_frame_tree_get_caller(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats)
{
	return get_row(tree, ROWS_OF_CALLERS, index, stats);
}

size_t mprof_frame_tree_get_callee_count(const mprof_frame_tree *tree)
{
	return tree != NULL ? tree->row_counts[ROWS_OF_CALLEES] : 0;
}

mprof_status mprof_frame_tree_get_callee(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats)
{
	return get_row(tree, ROWS_OF_CALLEES, index, stats);
}
