/* SPDX-License-Identifier: MIT */
/* Adds call paths to a tree of frames, as the filters of frames leave them. */
#include "export/stack_calls.h"

#include "export/stack_frames.h"
#include "report/filters.h"

#include <stdlib.h>
#include <string.h>

/* Bits of the state of a node. */
enum {
	CALL_IS_MARKED = 1,
	CALL_HAS_FOCUS = 2,    /* The path has a frame in focus. */
	CALL_IS_IGNORED = 4,   /* The path has a frame to ignore. */
	CALL_IS_COLLAPSED = 8, /* The last frame that is not hidden is collapsed. */
	CALL_IS_HIDDEN = 16    /* Only of the method itself. */
};

#define CALL_OF_PATH (CALL_HAS_FOCUS | CALL_IS_IGNORED)

typedef struct method_choice {
	uint64_t key; /* The method. */
	uint64_t is_known;
	uint64_t choice;
} method_choice;

int stack_calls_mark(stack_calls *calls, const log_report *report, uint32_t call)
{
	if (calls->nodes == NULL) {
		calls->count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_CALLS);
		calls->nodes = calloc(calls->count + 1, sizeof(*calls->nodes));
		calls->states = calloc(calls->count + 1, sizeof(*calls->states));
		calls->choices.value_size = sizeof(method_choice) - sizeof(uint64_t);
	}
	if (calls->nodes == NULL || calls->states == NULL)
		return 0;
	if (call < calls->count)
		calls->states[call] = CALL_IS_MARKED;
	return 1;
}

static uint64_t choose(const log_report *report, const char *pattern, uint32_t method, uint64_t choice)
{
	return pattern != NULL && report_matches_frame(report, pattern, MPROF_SAMPLE_METHOD, method) ? choice : 0;
}

/* What the filters do with a method. Returns 0 if out of memory. */
static int find_choice(stack_calls *calls, const log_report *report, uint32_t method, uint64_t *choice)
{
	const report_options *options = &report->options;
	method_choice *found;

	*choice = 0;
	if (!report_filters_frames(report))
		return 1;
	found = key_map_put(&calls->choices, method);
	if (found == NULL)
		return 0;
	if (!found->is_known) {
		found->is_known = 1;
		found->choice = choose(report, options->focus_pattern, method, CALL_HAS_FOCUS) |
				choose(report, options->ignore_pattern, method, CALL_IS_IGNORED) |
				choose(report, options->hide_pattern, method, CALL_IS_HIDDEN) |
				choose(report, options->collapse_pattern, method, CALL_IS_COLLAPSED);
	}
	*choice = found->choice;
	return 1;
}

/* Adds the frame of a call below the node of its caller, unless it is hidden or continues a run of collapsed frames. */
static int add_frame(stack_calls *calls, stack_tree *tree, const log_report *report, uint32_t index,
		     const mprof_call_stats *call)
{
	const uint32_t flags = (call->flags & MPROF_EVENT_FLAG_COMPILING) != 0 ? STACK_FRAME_COMPILING : 0;
	const unsigned char caller = calls->states[call->parent];
	uint32_t *node = &calls->nodes[index];
	uint64_t choice;
	uint32_t frame;

	if (!find_choice(calls, report, call->method, &choice))
		return 0;
	calls->states[index] |= (unsigned char)((caller | choice) & CALL_OF_PATH);
	*node = calls->nodes[call->parent];
	if (choice & CALL_IS_HIDDEN) {
		calls->states[index] |= caller & CALL_IS_COLLAPSED;
		return 1;
	}
	if (choice & CALL_IS_COLLAPSED) {
		calls->states[index] |= CALL_IS_COLLAPSED;
		return (caller & CALL_IS_COLLAPSED) ||
		       (stack_frames_sampled(tree, report, MPROF_SAMPLE_COLLAPSED, 0, 0, &frame) &&
			stack_nodes_child(tree, *node, frame, node));
	}
	return stack_frames_method(tree, report, call->method, flags, &frame) &&
	       stack_nodes_child(tree, *node, frame, node);
}

int stack_calls_add(stack_calls *calls, stack_tree *tree, const log_report *report)
{
	mprof_call_stats call = {.struct_size = sizeof(call)};

	/* A node has a larger number than its parent. */
	for (size_t i = calls->count; i-- > 1;) {
		if (calls->states[i] &&
		    mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, (uint32_t)i, &call) == MPROF_OK)
			calls->states[call.parent] |= CALL_IS_MARKED;
	}
	for (size_t i = 1; i < calls->count; i++) {
		if (calls->states[i] &&
		    mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, (uint32_t)i, &call) == MPROF_OK &&
		    !add_frame(calls, tree, report, (uint32_t)i, &call))
			return 0;
	}
	return 1;
}

int stack_calls_get(const stack_calls *calls, const log_report *report, uint32_t call, uint32_t *node)
{
	const unsigned char state = call < calls->count ? calls->states[call] : 0;

	*node = call < calls->count ? calls->nodes[call] : 0;
	return !(state & CALL_IS_IGNORED) && (report->options.focus_pattern == NULL || (state & CALL_HAS_FOCUS));
}

void stack_calls_release(stack_calls *calls)
{
	free(calls->nodes);
	free(calls->states);
	key_map_clear(&calls->choices);
	memset(calls, 0, sizeof(*calls));
}
