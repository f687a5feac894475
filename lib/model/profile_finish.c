/* SPDX-License-Identifier: MIT */
/* What can be said only when all is known: sums over the call tree, collections in order, the clock's rate. */
#include "model/profile_internal.h"

static void leave_method(void *user, const call_node *node)
{
	if (!node->is_compiling)
		((method_record *)record_table_get(user, node->method))->active--;
}

/* Inclusive time counts for the outermost frame of a method only. Compilations are no calls. */
static int sum_call_tree(mprof_profile *profile)
{
	call_tree *tree = &profile->calls.tree;
	uint32_t node;

	call_tree_sum(tree);
	for (size_t i = 1; i < tree->count; i++) {
		if (record_table_get(&profile->methods, tree->nodes[i].method) == NULL)
			return 0;
	}
	for (node = tree->nodes[CALL_TREE_ROOT].first_child; node != CALL_TREE_ROOT;
	     node = call_tree_next(tree, node, leave_method, &profile->methods)) {
		method_record *record = record_table_get(&profile->methods, tree->nodes[node].method);

		if (tree->nodes[node].is_compiling)
			continue;
		record->shown.calls += tree->nodes[node].calls;
		record->shown.self += tree->nodes[node].self;
		if (record->active++ == 0)
			record->shown.total += tree->nodes[node].total;
	}
	return 1;
}

/* Without a call tree: adds what the frames of a thread that are still open have gathered, and leaves them open. */
static void add_open_frames(mprof_profile *profile, const thread_record *thread)
{
	const call_node *nodes = profile->calls.tree.nodes;
	uint64_t inclusive = 0;

	for (uint32_t node = thread->stack.top; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		method_record *record = record_table_get(&profile->methods, nodes[node].method);
		const uint64_t *frames = hash_map_get(&thread->stack.live, nodes[node].method);

		inclusive += nodes[node].self + nodes[node].total;
		record->shown.calls++;
		record->shown.self += nodes[node].self;
		if (++record->active == *frames) {
			record->shown.total += inclusive;
			record->active = 0;
		}
	}
}

static int sum_methods(mprof_profile *profile)
{
	for (size_t i = 0; i < profile->methods.count; i++) {
		method_record *record = record_table_at(&profile->methods, i);

		record->shown = record->closed;
	}
	if (profile->calls.keeps_tree)
		return sum_call_tree(profile);
	for (size_t i = 0; i < profile->threads.count; i++)
		add_open_frames(profile, &profile->threads.records[i]);
	return 1;
}

/* What samples say of methods; those of methods that are not known are found in the places alone. */
static int sum_samples(mprof_profile *profile)
{
	samples_sum(&profile->samples);
	for (size_t i = 0; i < profile->methods.count; i++) {
		method_record *record = record_table_at(&profile->methods, i);

		record->samples = record->samples_total = 0;
	}
	for (size_t i = 0; i < profile->samples.place_count; i++) {
		const sample_place *place = &profile->samples.places[i];
		method_record *record;

		if (place->kind != MPROF_SAMPLE_METHOD || place->id == 0)
			continue;
		record = record_table_get(&profile->methods, place->id);
		if (record == NULL)
			return 0;
		record->samples = place->self;
		record->samples_total = place->total;
	}
	return 1;
}

static void set_conversion(mprof_profile *profile, const mprof_session *session)
{
	profile->conversion.origin = session->start.counter;
	if (profile->has_raw_counters) {
		profile->totals.wall_ns = session->last.counter - session->start.counter;
		return;
	}
	profile->conversion.nanoseconds_per_counter =
		session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	profile->totals.wall_ns =
		session->last.time > session->start.time ? (session->last.time - session->start.time) * 1000 : 0;
}

mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader)
{
	mprof_session session;

	if (profile == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	session.struct_size = sizeof(session);
	if (mprof_reader_session(reader, &session) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	set_conversion(profile, &session);
	if (!sum_samples(profile) || !sum_methods(profile) || !heap_shots_settle(&profile->heap_shots) ||
	    !collections_pair(&profile->collections, session.start.counter))
		return memory_budget_status(&profile->budget);
	return MPROF_OK;
}
