/* SPDX-License-Identifier: MIT */
/* Fills trees of call stacks from the tables of a profile. */
#include "export/stack_sources.h"

#include "export/stack_frames.h"
#include "report/filters.h"
#include "report/frames.h"

#include <stdlib.h>

/* What one call site or node of a profile adds to a tree. */
typedef struct site_value {
	uint32_t class_id;
	uint32_t stack;
	uint32_t caller; /* If the stack is 0; 0 if unknown. */
	uint32_t flags;
	uint64_t count;
	uint64_t value;
} site_value;

static void add_value(stack_tree *tree, uint32_t node, uint64_t count, uint64_t value)
{
	tree->nodes[node].count += count;
	tree->nodes[node].self += value;
}

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

	mprof_profile_get_call(report->profile, node, &call);
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
					      : mprof_profile_get_call_count(report->profile);
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

/* Adds a call site. */
static int add_site(stack_tree *tree, const log_report *report, const site_value *site, int with_classes)
{
	uint32_t node = 0;
	uint32_t frame;
	int is_added;

	if (site->stack == 0 && site->caller != 0)
		is_added = stack_frames_method(tree, report, site->caller, site->flags, &frame) &&
			   stack_nodes_child(tree, 0, frame, &node);
	else
		is_added = stack_frames_add_stack(tree, report, site->stack, &node);
	if (is_added && with_classes)
		is_added = stack_frames_class(tree, report, site->class_id, &frame) &&
			   stack_nodes_child(tree, node, frame, &node);
	if (is_added)
		add_value(tree, node, site->count, site->value);
	return is_added;
}

/* Whether a row passes the filters. */
static int is_wanted(const log_report *report, const site_value *site)
{
	return report_wants_class(report, site->class_id) && report_frames_keep_stack(report, site->stack);
}

/* Adds what all rows together lack of the total of the log, unless filters left it out. */
static int add_missing(stack_tree *tree, const log_report *report, uint64_t total, uint64_t added)
{
	if (!report_wants_all(report) || report_filters_frames(report) || added >= total)
		return 1;
	return add_rest(tree, report, total - added);
}

/* Whether the call stacks of allocations are in the table of sites, and not in the call tree. */
static int has_sites(const log_report *report)
{
	mprof_allocation_site site = {.struct_size = sizeof(site)};

	if (report->totals.calls == 0)
		return 1;
	for (size_t i = 0; i < mprof_profile_get_allocation_site_count(report->profile); i++) {
		if (mprof_profile_get_allocation_site(report->profile, i, &site) == MPROF_OK && site.stack != 0)
			return 1;
	}
	return 0;
}

/* Adds the classes of a log that has no call sites of allocations. */
static int add_classes(stack_tree *tree, const log_report *report)
{
	for (size_t i = 0; i < report->class_count; i++) {
		const mprof_class_stats *class = &report->classes[i];
		const site_value site = {
			.class_id = class->id,
			.count = class->allocations,
			.value = tree->value == EXPORT_BYTES ? class->bytes : class->allocations,
		};

		if (site.count > 0 && report_frames_keep_stack(report, 0) && !add_site(tree, report, &site, 1))
			return 0;
	}
	return 1;
}

int stack_sources_add_allocations(stack_tree *tree, const log_report *report, int with_classes)
{
	const size_t count = mprof_profile_get_allocation_site_count(report->profile);
	const uint64_t total =
		tree->value == EXPORT_BYTES ? report->totals.allocated_bytes : report->totals.allocations;
	uint64_t added = 0;

	if (!has_sites(report))
		return add_tree(tree, report, report->frames.filtered[REPORT_SOURCE_ALLOCATIONS]);
	if (count == 0)
		return add_classes(tree, report);
	for (size_t i = 0; i < count; i++) {
		mprof_allocation_site row = {.struct_size = sizeof(row)};
		site_value site;

		if (mprof_profile_get_allocation_site(report->profile, i, &row) != MPROF_OK)
			continue;
		site.class_id = row.class_id;
		site.stack = row.stack;
		site.caller = row.caller;
		site.flags = (row.flags & MPROF_EVENT_FLAG_COMPILING) != 0 ? STACK_FRAME_COMPILING : 0;
		site.count = row.allocations;
		site.value = tree->value == EXPORT_BYTES ? row.bytes : row.allocations;
		tree->is_estimated |= row.samples != 0;
		if (!is_wanted(report, &site))
			continue;
		if (!add_site(tree, report, &site, with_classes))
			return 0;
		added += site.value;
	}
	/* Estimates do not add up to the exact total. */
	return tree->is_estimated || add_missing(tree, report, total, added);
}

int stack_sources_add_waits(stack_tree *tree, const log_report *report, int with_classes)
{
	uint64_t added = 0;

	for (size_t i = 0; i < mprof_profile_get_monitor_site_count(report->profile); i++) {
		mprof_monitor_site row = {.struct_size = sizeof(row)};
		site_value site = {.caller = 0};

		if (mprof_profile_get_monitor_site(report->profile, i, &row) != MPROF_OK)
			continue;
		site.class_id = row.class_id;
		site.stack = row.stack;
		site.count = row.contentions;
		site.value = row.contended_ns;
		if (!is_wanted(report, &site))
			continue;
		if (!add_site(tree, report, &site, with_classes))
			return 0;
		added += site.value;
	}
	return add_missing(tree, report, report->totals.contended_ns, added);
}

int stack_sources_add_handles(stack_tree *tree, const log_report *report, int with_classes)
{
	uint64_t added = 0;

	for (size_t i = 0; i < mprof_profile_get_handle_site_count(report->profile); i++) {
		mprof_handle_site row = {.struct_size = sizeof(row)};
		site_value site = {.caller = 0};

		if (mprof_profile_get_handle_site(report->profile, i, &row) != MPROF_OK)
			continue;
		site.class_id = row.class_id;
		site.stack = row.stack;
		site.count = row.created;
		site.value = row.alive;
		if (!is_wanted(report, &site))
			continue;
		if (!add_site(tree, report, &site, with_classes))
			return 0;
		added += site.value;
	}
	return add_missing(tree, report, report->totals.handles_alive, added);
}
