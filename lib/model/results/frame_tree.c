/* SPDX-License-Identifier: MIT */
/* Filters and inverts trees of frames, and sums them up by frame, by caller and by callee. */
#include "model/results/frame_source.h"
#include "model/profile/profile_internal.h"

#include "base/options.h"

#include <string.h>

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

	enter_sums(&items[node->method].own, node);
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

	items[node->method].own.active--;
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
	return table == ROWS_OF_CALLERS ? &item->caller : table == ROWS_OF_CALLEES ? &item->callee : &item->own;
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
	mprof_frame_tree_options own;
	mprof_allocator allocator;
	mprof_frame_tree *made;
	progress going;

	if (tree == NULL)
		return MPROF_ERR_ARGUMENT;
	*tree = NULL;
	if (profile == NULL || reader == NULL || options == NULL ||
	    struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || own.source < MPROF_FRAME_SOURCE_CALLS ||
	    own.source > MPROF_FRAME_SOURCE_HANDLES || own.inverted > 1 || own.has_focus > 1 || own.with_classes > 1 ||
	    own.with_locations > 1 || !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	made->clock = profile->clock;
	made->has_times = own.source == MPROF_FRAME_SOURCE_CALLS;
	made->has_objects = own.source >= MPROF_FRAME_SOURCE_ALLOCATIONS;
	made->is_inverted = own.inverted != 0;
	made->going = &going;
	if (!build(made, profile, reader, &own)) {
		mprof_status status = progress_status(&going, memory_budget_status(&made->budget));

		mprof_frame_tree_destroy(made);
		return status;
	}
	made->going = NULL;
	*tree = made;
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
	mprof_frame_node own;

	if (tree == NULL || found == NULL || node >= shown_tree(tree)->count)
		return MPROF_ERR_ARGUMENT;
	shown = &shown_tree(tree)->nodes[node];
	item = &tree->source.items[shown->method];
	memset(&own, 0, sizeof(own));
	own.kind = item->kind;
	own.id = item->id;
	own.flags = item->flags;
	own.parent = shown->parent;
	own.first_child = shown->first_child;
	own.next_sibling = shown->next_sibling;
	own.count = shown->calls;
	own.self = value_of(tree, shown->self);
	own.total = value_of(tree, shown->total);
	return struct_copy_out(found, &own, sizeof(own));
}

static mprof_status store_sums(const mprof_frame_tree *tree, const frame_item *item, const frame_sums *sums,
			       mprof_frame_stats *stats)
{
	mprof_frame_stats own;

	memset(&own, 0, sizeof(own));
	own.kind = item->kind;
	own.id = item->id;
	own.flags = item->flags;
	own.choice = item->choice;
	own.count = sums->count;
	own.self = value_of(tree, sums->self);
	own.total = value_of(tree, sums->total);
	return struct_copy_out(stats, &own, sizeof(own));
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
