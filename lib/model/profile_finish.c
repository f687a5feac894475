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

	/* If a node below it has added the record, it is not counted. */
	if (!tree->nodes[node].is_compiling && record != NULL && record->active > 0)
		record->active--;
}

/*
 * Counts a changed node in its method, whose record is added if missing. Inclusive time counts only for the outermost
 * frame of a method. Compilations are not calls.
 */
static int count_node(mprof_profile *profile, uint32_t node)
{
	const call_node *changed = &profile->calls.tree.nodes[node];
	method_record *record = record_table_find(&profile->methods, changed->method);

	if (record == NULL && has_stats(changed)) {
		record = record_table_add(&profile->methods, changed->method);
		if (record == NULL && !profile_limit_skip_result(profile))
			return 0;
	}
	if (changed->is_compiling || record == NULL)
		return 1;
	call_model_mark_changed(&profile->calls, record);
	record->counted.calls += changed->calls;
	record->counted.self += changed->self;
	if (record->active++ == 0)
		record->counted.total += changed->total;
	return 1;
}

/* Counts the changed nodes in their methods. */
static int count_changed(mprof_profile *profile, progress *going)
{
	call_tree *tree = &profile->calls.tree;
	uint32_t node = CALL_TREE_ROOT;

	if (!progress_begin(going, 2 * call_tree_steps(tree)) || !call_tree_sum(tree, going) ||
	    !progress_begin(going, call_tree_steps(tree)))
		return 0;
	while ((node = call_tree_next_changed(tree, node, leave_method_of_node, &profile->methods)) != CALL_TREE_ROOT) {
		if (!progress_step(going) || !count_node(profile, node))
			return 0;
	}
	return 1;
}

/* What thread_table_each_stack() passes on. */
typedef struct shown_stacks {
	mprof_profile *profile;
	progress *going;
} shown_stacks;

/* Without a call tree: adds the times of the open frames of a stack, and leaves them open. */
static void add_open_frames(void *user, const call_stack *stack)
{
	const shown_stacks *shown = user;
	mprof_profile *profile = shown->profile;
	const call_node *nodes = profile->calls.tree.nodes;
	uint64_t extension = stack->extension;
	uint64_t inclusive = extension;

	for (uint32_t node = stack->top; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		method_record *record = record_table_get(&profile->methods, nodes[node].method);
		const uint64_t *frames = hash_map_get(&stack->live, nodes[node].method);
		call_sums *open = call_model_open_sums(&profile->calls, record);

		(void)progress_step(shown->going);
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
	const shown_stacks *shown = user;

	(void)progress_step(shown->going);
	call_stack_show_folded(&shown->profile->calls, stack);
}

static uint64_t method_steps(const mprof_profile *profile)
{
	return (profile->calls.keeps_tree ? 4 * call_tree_steps(&profile->calls.tree) : 0) + profile->methods.count;
}

/* After the sums are complete, nothing stops it halfway. */
static int show_methods(mprof_profile *profile, progress *going)
{
	const int keeps_tree = profile->calls.keeps_tree;
	shown_stacks shown = {profile, going};

	if (keeps_tree &&
	    (!count_changed(profile, going) || !progress_begin(going, call_tree_steps(&profile->calls.tree)))) {
		call_model_forget_counts(&profile->calls);
		return 0;
	}
	if (keeps_tree)
		call_tree_show(&profile->calls.tree, going);
	(void)progress_begin(going, profile->methods.count);
	call_model_show_methods(&profile->calls, going);
	thread_table_each_stack(&profile->threads, keeps_tree ? add_folded_frames : add_open_frames, &shown);
	return !going->is_stopped;
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

static const collection_list *collections_of_timeline(const mprof_profile *profile)
{
	return profile->window.has_threads ? &profile->stops : &profile->collections;
}

static int show_timeline(mprof_profile *profile, const mprof_session *session, progress *going)
{
	return collections_pair(&profile->stops, session->start.counter, &profile->window, going) &&
	       pauses_show(&profile->pauses, &profile->timeline, &profile->threads, collections_of_timeline(profile),
			   session->last.counter, going);
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

static uint64_t count_steps(const mprof_profile *profile)
{
	uint64_t steps = samples_steps(&profile->samples) + method_steps(profile) + memory_steps(&profile->memory) +
			 object_ages_steps(&profile->ages) + collections_steps(&profile->collections);

	if (profile->timeline.limit != 0)
		steps += collections_steps(&profile->stops) +
			 pauses_steps(&profile->timeline, &profile->threads, collections_of_timeline(profile));
	return steps;
}

/*
 * Returns 0 if the allocator refused or it was stopped. Each part then has changed nothing, or it has added everything
 * to what is shown, or it starts again from what was added: so another call has the results of the first one.
 */
static int show_results(mprof_profile *profile, const mprof_session *session, progress *going)
{
	if (!samples_show(&profile->samples, prepare_sample, show_sample, profile, going) ||
	    !show_methods(profile, going) ||
	    (!heap_snapshots_merge_gathered(&profile->heap_snapshots) && !profile_limit_skip_result(profile)) ||
	    !memory_process_provisionally(&profile->memory, going) || !object_ages_finish(&profile->ages, going) ||
	    !collections_pair(&profile->collections, session->start.counter, &profile->window, going))
		return 0;
	if (profile->timeline.limit != 0 && !show_timeline(profile, session, going) &&
	    (going->is_stopped || !profile_limit_skip_result(profile)))
		return 0;
	return progress_end(going);
}

mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader)
{
	mprof_session session;
	progress going;

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
	progress_init(&going, profile->progress, profile->progress_user, count_steps(profile));
	return show_results(profile, &session, &going) ? MPROF_OK : progress_status(&going, MPROF_ERR_MEMORY);
}
