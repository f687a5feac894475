/* SPDX-License-Identifier: MIT */
/*
 * Computes the results that depend on all blocks: sums over the call tree, collections, the frequency of the counter.
 * Sums are computed from the changes since the last call, so that the results of a growing log can be shown often.
 */
#include "model/profile_internal.h"
#include "model/profile_limit.h"
#include "model/profile_partial.h"
#include "model/window_times.h"

/* Paths that threads left before the window have no statistics. */
static int has_stats(const call_node *node)
{
	return node->calls != 0 || node->total != 0 || node->is_compiling;
}

static void leave_method_of_node(void *user, call_tree *tree, uint32_t node)
{
	method_record *record = record_table_find(user, tree->nodes[node].method);

	if (!tree->nodes[node].is_compiling && record != NULL)
		record->active--;
	call_tree_show(tree, node);
}

/* Creates the records that the changed nodes need, before anything changes. */
static int prepare_methods(mprof_profile *profile)
{
	call_tree *tree = &profile->calls.tree;
	uint32_t node = CALL_TREE_ROOT;

	while ((node = call_tree_next_changed(tree, node, NULL, NULL)) != CALL_TREE_ROOT) {
		if (has_stats(&tree->nodes[node]) &&
		    record_table_get(&profile->methods, tree->nodes[node].method) == NULL &&
		    !profile_limit_skip_result(profile))
			return 0;
	}
	return 1;
}

/* Inclusive time counts only for the outermost frame of a method. Compilations are not calls. */
static int show_call_tree(mprof_profile *profile)
{
	call_tree *tree = &profile->calls.tree;
	uint32_t node = CALL_TREE_ROOT;

	call_tree_sum(tree);
	if (!prepare_methods(profile))
		return 0;
	while ((node = call_tree_next_changed(tree, node, leave_method_of_node, &profile->methods)) != CALL_TREE_ROOT) {
		const call_node *changed = &tree->nodes[node];
		method_record *record = record_table_find(&profile->methods, changed->method);

		if (changed->is_compiling || record == NULL)
			continue;
		record->shown.calls += changed->calls;
		record->shown.self += changed->self;
		if (record->active++ == 0)
			record->shown.total += changed->total;
	}
	call_tree_show(tree, CALL_TREE_ROOT);
	return 1;
}

/* Without a call tree: adds the times of the open frames of a stack, and leaves them open. */
static void add_open_frames(void *user, const call_stack *stack)
{
	mprof_profile *profile = user;
	const call_node *nodes = profile->calls.tree.nodes;
	uint64_t extension = stack->extension;
	uint64_t inclusive = extension;

	for (uint32_t node = stack->top; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		method_record *record = record_table_get(&profile->methods, nodes[node].method);
		const uint64_t *frames = hash_map_get(&stack->live, nodes[node].method);
		call_sums *open = call_model_open_sums(&profile->calls, record);

		inclusive += nodes[node].self + nodes[node].total;
		open->calls += nodes[node].calls;
		open->self += nodes[node].self + extension;
		extension = 0;
		if (++record->active == *frames) {
			open->total += inclusive;
			record->active = 0;
		}
	}
}

static void add_folded_frames(void *user, const call_stack *stack)
{
	mprof_profile *profile = user;

	call_stack_show_folded(&profile->calls, stack);
}

static int show_methods(mprof_profile *profile)
{
	if (profile->calls.keeps_tree && !show_call_tree(profile))
		return 0;
	call_model_show_methods(&profile->calls);
	thread_table_each_stack(&profile->threads, profile->calls.keeps_tree ? add_folded_frames : add_open_frames,
				profile);
	return 1;
}

/* Creates the record of a method that has samples. Unknown methods have no such record. */
static int prepare_sample(void *user, const sample_record *sample)
{
	mprof_profile *profile = user;

	return sample->kind != MPROF_SAMPLE_METHOD || sample->id == 0 ||
	       record_table_get(&profile->methods, sample->id) != NULL || profile_limit_skip_result(profile);
}

static int show_sample(void *user, const sample_record *sample)
{
	mprof_profile *profile = user;
	method_record *record;

	if (sample->kind != MPROF_SAMPLE_METHOD || sample->id == 0)
		return 1;
	record = record_table_find(&profile->methods, sample->id);
	if (record != NULL) {
		record->samples = sample->self;
		record->samples_total = sample->total;
	}
	return 1;
}

static void set_conversion(mprof_profile *profile, const mprof_session *session)
{
	uint64_t start = window_clamp(&profile->window, session->start.counter);
	uint64_t end = window_clamp(&profile->window, session->last.counter);

	profile->clock.origin = session->start.counter;
	if (!profile->has_raw_counters)
		profile->clock.nanoseconds_per_counter =
			session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	if (profile->has_raw_counters || profile->window.is_bounded)
		profile->totals.wall_ns =
			(int64_t)(end - start) > 0 ? profile_clock_duration(&profile->clock, end - start) : 0;
	else
		profile->totals.wall_ns = session->duration_ns;
}

static int show_timeline(mprof_profile *profile, const mprof_session *session)
{
	const collection_list *collections = profile->window.has_threads ? &profile->stops : &profile->collections;

	collections_pair(&profile->stops, session->start.counter, &profile->window);
	return pauses_show(&profile->pauses, &profile->timeline, &profile->threads, collections, session->last.counter);
}

/* What has not ended lasts until the end of the log, or of its thread. */
static void extend_unfinished(mprof_profile *profile, const mprof_session *session)
{
	uint64_t latest = thread_table_latest(&profile->threads, session->last.counter);

	if (profile->has_uncounted && (int64_t)(profile->uncounted_latest - latest) > 0)
		latest = profile->uncounted_latest;
	if (profile->ends_at_last_event)
		return;
	thread_table_extend_calls(&profile->threads, &profile->calls, &profile->window, latest);
	for (size_t i = 0; i < profile->threads.count; i++) {
		thread_record *thread = &profile->threads.records[i];

		monitors_show_wait(&profile->monitors, &thread->wait,
				   window_clamp(&profile->window, thread_end(thread, latest)));
	}
}

mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader)
{
	mprof_session session;

	if (profile == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	session.struct_size = sizeof(session);
	if (mprof_reader_get_session(reader, &session) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	profile_partial_end(reader);
	window_times_update(profile, reader);
	set_conversion(profile, &session);
	profile->window_has_end = window_has_counter(&profile->window, session.last.counter);
	extend_unfinished(profile, &session);
	if (!samples_show(&profile->samples, prepare_sample, show_sample, profile) || !show_methods(profile) ||
	    (!heap_snapshots_merge_gathered(&profile->heap_snapshots) && !profile_limit_skip_result(profile)) ||
	    !memory_process_provisionally(&profile->memory) || !object_ages_finish(&profile->ages))
		return MPROF_ERR_MEMORY;
	collections_pair(&profile->collections, session.start.counter, &profile->window);
	if (profile->timeline.limit != 0 && !show_timeline(profile, &session) && !profile_limit_skip_result(profile))
		return MPROF_ERR_MEMORY;
	return MPROF_OK;
}
