/* SPDX-License-Identifier: MIT */
/* Fills trees of call stacks from the tables of a profile. */
#include "export/stack_sources.h"

#include "export/stack_calls.h"
#include "export/stack_frames.h"
#include "report/filters.h"
#include "report/frames.h"

#include <stdlib.h>

/* What one call site of a profile adds to a tree. */
typedef struct site_value {
	uint32_t class_id;
	uint32_t stack;
	uint32_t call;   /* Node of the call tree if the stack is 0; 0 if unknown. */
	uint32_t caller; /* If the stack and the call are 0; 0 if unknown. */
	uint32_t flags;
	uint64_t count;
	uint64_t value;
} site_value;

static void add_value(stack_tree *tree, uint32_t node, uint64_t count, uint64_t value)
{
	tree->nodes[node].count += count;
	tree->nodes[node].self += value;
}

/* The sites of a value, and the call paths of those that have no call stack. */
typedef struct site_list {
	stack_tree *tree;
	const log_report *report;
	int with_classes;
	stack_calls calls;
} site_list;

/* What the sites of a class add up to. */
typedef struct class_sum {
	uint64_t class_id;
	uint64_t count;
	uint64_t value;
} class_sum;

/* Adds what has no call stack. */
static int add_rest(stack_tree *tree, const log_report *report, uint64_t value)
{
	uint32_t node;

	if (value == 0)
		return 1;
	if (!stack_frames_add_stack(tree, report, 0, &node))
		return 0;
	add_value(tree, node, 0, value);
	return 1;
}

/* A call tree as the filters of frames leave it. */
static mprof_frame_node get_filtered(const mprof_frame_tree *filtered, uint32_t node)
{
	mprof_frame_node frame = {.struct_size = sizeof(frame)};

	mprof_frame_tree_get_node(filtered, node, &frame);
	return frame;
}

static mprof_frame_node get_call(const log_report *report, uint32_t node, export_value value)
{
	const int is_allocation = value == EXPORT_ALLOCATIONS || value == EXPORT_BYTES;
	mprof_call_stats call = {.struct_size = sizeof(call)};
	mprof_frame_node frame = {.struct_size = sizeof(frame)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, node, &call);
	frame.kind = MPROF_SAMPLE_METHOD;
	frame.id = call.method;
	frame.flags = call.flags;
	frame.parent = call.parent;
	frame.count = is_allocation ? call.allocations : call.calls;
	frame.self = is_allocation ? call.bytes : call.self_ns;
	return frame;
}

/* Adds a call tree, or the call stacks of allocations as a tree. */
static int add_tree(stack_tree *tree, const log_report *report, const mprof_frame_tree *filtered)
{
	const size_t count = filtered != NULL ? mprof_frame_tree_get_node_count(filtered)
					      : mprof_profile_get_row_count(report->profile, MPROF_TABLE_CALLS);
	const int by_count = tree->value == EXPORT_CALLS || tree->value == EXPORT_ALLOCATIONS;
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int is_added = nodes != NULL;

	for (size_t i = 0; i < count && is_added; i++) {
		const mprof_frame_node node = filtered != NULL ? get_filtered(filtered, (uint32_t)i)
							       : get_call(report, (uint32_t)i, tree->value);
		const uint32_t flags = (node.flags & MPROF_EVENT_FLAG_COMPILING) != 0 ? STACK_FRAME_COMPILING : 0;
		uint32_t frame;

		is_added = i == 0 || (stack_frames_sampled(tree, report, node.kind, node.id, flags, &frame) &&
				      stack_nodes_child(tree, nodes[node.parent], frame, &nodes[i]));
		if (is_added)
			add_value(tree, nodes[i], node.count, by_count ? node.count : node.self);
	}
	free(nodes);
	return is_added;
}

int stack_sources_add_calls(stack_tree *tree, const log_report *report)
{
	const mprof_frame_tree *filtered = report->frames.filtered[REPORT_SOURCE_CALLS];
	uint64_t total;
	uint64_t added = 0;

	if (!add_tree(tree, report, filtered))
		return 0;
	/* What the profile folded has no path. Without it, the sum differs from the total only by rounding. */
	if (filtered != NULL || report->totals.folded_calls == 0)
		return 1;
	total = tree->value == EXPORT_CALLS ? report->totals.calls : report->totals.method_ns;
	for (size_t i = 0; i < tree->node_count; i++)
		added += tree->nodes[i].self;
	if (added < total)
		tree->nodes[0].self += total - added;
	return 1;
}

int stack_sources_add_samples(stack_tree *tree, const log_report *report)
{
	const sample_view *view = &report->samples;
	const sampling_facts *sampling = &report->summary.sampling;
	uint32_t *nodes = calloc(view->node_count + 1, sizeof(*nodes));
	uint64_t hits = 0;
	int is_added = nodes != NULL;

	tree->is_estimated = tree->value == EXPORT_CPU;
	for (size_t i = 0; i < view->node_count && is_added; i++) {
		const sample_view_node *node = &view->nodes[i];
		uint64_t self = node->self;
		uint32_t frame;

		is_added = i == 0 || (stack_frames_item(tree, report, &view->items[node->item], &frame) &&
				      stack_nodes_child(tree, nodes[node->parent], frame, &nodes[i]));
		/* Times are differences of a running sum, so that they add up to that of all samples. */
		if (tree->value == EXPORT_CPU)
			self = sampling_time_of(sampling, hits + self) - sampling_time_of(sampling, hits);
		hits += node->self;
		if (is_added)
			add_value(tree, nodes[i], 0, self);
	}
	free(nodes);
	return is_added;
}

/* Adds a call site, unless the filters leave it out. */
static int add_site(site_list *list, const site_value *site)
{
	stack_tree *tree = list->tree;
	const log_report *report = list->report;
	uint32_t node = 0;
	uint32_t frame;
	int is_added = 1;

	if (!report_wants_class(report, site->class_id))
		return 1;
	if (site->stack == 0 && site->call != 0) {
		if (!stack_calls_get(&list->calls, report, site->call, &node))
			return 1;
	} else if (!report_frames_keep_stack(report, site->stack)) {
		return 1;
	} else if (site->stack == 0 && site->caller != 0) {
		is_added = stack_frames_method(tree, report, site->caller, site->flags, &frame) &&
			   stack_nodes_child(tree, 0, frame, &node);
	} else {
		is_added = stack_frames_add_stack(tree, report, site->stack, &node);
	}
	if (is_added && list->with_classes)
		is_added = stack_frames_class(tree, report, site->class_id, &frame) &&
			   stack_nodes_child(tree, node, frame, &node);
	if (is_added)
		add_value(tree, node, site->count, site->value);
	return is_added;
}

/* Adds what all rows together lack of the total of the log, unless filters left it out. */
static int add_missing(stack_tree *tree, const log_report *report, uint64_t total, uint64_t added)
{
	if (!report_wants_all(report) || report_filters_frames(report) || added >= total)
		return 1;
	return add_rest(tree, report, total - added);
}

static site_value allocation_at(const site_list *list, size_t index, int *is_estimated)
{
	mprof_allocation_site row = {.struct_size = sizeof(row)};
	site_value site = {.caller = 0};

	if (mprof_profile_get_row(list->report->profile, MPROF_TABLE_ALLOCATION_SITES, index, &row) != MPROF_OK)
		return site;
	site.class_id = row.class_id;
	site.stack = row.stack;
	site.call = row.call;
	site.caller = row.caller;
	site.flags = (row.flags & MPROF_EVENT_FLAG_COMPILING) != 0 ? STACK_FRAME_COMPILING : 0;
	site.count = row.allocations;
	site.value = list->tree->value == EXPORT_BYTES ? row.bytes : row.allocations;
	*is_estimated |= row.samples != 0;
	return site;
}

/*
 * Whether the table of sites has the call paths of allocations: their call stacks, or nodes of the call tree. If not,
 * the nodes of the call tree have sums of all classes, unless all allocations are outside of methods.
 */
static int has_sites(const site_list *list)
{
	const log_report *report = list->report;
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES);

	if (!report_has_calls(report) || (report->options.with_call_sites && count > 0))
		return 1;
	if (get_call(report, 0, EXPORT_ALLOCATIONS).count == report->totals.allocations)
		return 1;
	for (size_t i = 0; i < count; i++) {
		if (allocation_at(list, i, &(int){0}).stack != 0)
			return 1;
	}
	return 0;
}

/* Adds the allocations of each class that are in no site. */
static int add_classes(site_list *list, const key_map *sums)
{
	const log_report *report = list->report;
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_CLASSES);
	mprof_class_stats *classes = calloc(count + 1, sizeof(*classes));
	int is_added = classes != NULL;

	if (is_added)
		mprof_profile_get_rows(report->profile, MPROF_TABLE_CLASSES, 0, classes, sizeof(*classes), count,
				       &count);
	for (size_t i = 0; i < count && is_added; i++) {
		const class_sum *sum = key_map_find(sums, classes[i].id);
		const uint64_t value = list->tree->value == EXPORT_BYTES ? classes[i].bytes : classes[i].allocations;
		const site_value site = {
			.class_id = classes[i].id,
			.count = classes[i].allocations - (sum != NULL ? sum->count : 0),
			.value = value - (sum != NULL ? sum->value : 0),
		};

		is_added = site.count == 0 || add_site(list, &site);
	}
	free(classes);
	return is_added;
}

/* Adds the sites of allocations, and their sums by class to \p sums. */
static int add_allocations(site_list *list, key_map *sums)
{
	const log_report *report = list->report;
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES);
	int is_estimated = 0;

	for (size_t i = 0; i < count; i++) {
		const site_value site = allocation_at(list, i, &is_estimated);

		if (site.call != 0 && !stack_calls_mark(&list->calls, report, site.call))
			return 0;
	}
	if (!stack_calls_add(&list->calls, list->tree, report))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const site_value site = allocation_at(list, i, &is_estimated);
		class_sum *sum = key_map_put(sums, site.class_id);

		if (sum == NULL || !add_site(list, &site))
			return 0;
		sum->count += site.count;
		sum->value += site.value;
	}
	list->tree->is_estimated = is_estimated;
	/* Estimates do not add up to the exact sums of classes. */
	return is_estimated || add_classes(list, sums);
}

int stack_sources_add_allocations(stack_tree *tree, const log_report *report, int with_classes)
{
	site_list list = {.tree = tree, .report = report, .with_classes = with_classes};
	key_map sums = {.value_size = sizeof(class_sum) - sizeof(uint64_t)};
	int is_added;

	if (!has_sites(&list))
		return add_tree(tree, report, report->frames.filtered[REPORT_SOURCE_ALLOCATIONS]);
	is_added = add_allocations(&list, &sums);
	key_map_clear(&sums);
	stack_calls_release(&list.calls);
	return is_added;
}

static site_value wait_at(const log_report *report, size_t index)
{
	mprof_monitor_site row = {.struct_size = sizeof(row)};
	site_value site = {.caller = 0};

	if (mprof_profile_get_row(report->profile, MPROF_TABLE_MONITOR_SITES, index, &row) != MPROF_OK)
		return site;
	site.class_id = row.class_id;
	site.stack = row.stack;
	site.call = row.call;
	site.count = row.contentions;
	site.value = row.contended_ns;
	return site;
}

static int add_waits(site_list *list, uint64_t *added)
{
	const log_report *report = list->report;
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITOR_SITES);

	for (size_t i = 0; i < count; i++) {
		const site_value site = wait_at(report, i);

		if (site.call != 0 && !stack_calls_mark(&list->calls, report, site.call))
			return 0;
	}
	if (!stack_calls_add(&list->calls, list->tree, report))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const site_value site = wait_at(report, i);

		if (!add_site(list, &site))
			return 0;
		*added += site.value;
	}
	return 1;
}

int stack_sources_add_waits(stack_tree *tree, const log_report *report, int with_classes)
{
	site_list list = {.tree = tree, .report = report, .with_classes = with_classes};
	uint64_t added = 0;
	int is_added = add_waits(&list, &added);

	stack_calls_release(&list.calls);
	return is_added && add_missing(tree, report, report->totals.contended_ns, added);
}

int stack_sources_add_handles(stack_tree *tree, const log_report *report, int with_classes)
{
	site_list list = {.tree = tree, .report = report, .with_classes = with_classes};
	uint64_t added = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLE_SITES); i++) {
		mprof_handle_site row = {.struct_size = sizeof(row)};
		site_value site = {.caller = 0};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_HANDLE_SITES, i, &row) != MPROF_OK)
			continue;
		site.class_id = row.class_id;
		site.stack = row.stack;
		site.count = row.created;
		site.value = row.alive;
		if (!add_site(&list, &site))
			return 0;
		added += site.value;
	}
	return add_missing(tree, report, report->totals.handles_alive, added);
}
