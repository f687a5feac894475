/* SPDX-License-Identifier: MIT */
/* The getters for samples. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

size_t mprof_profile_get_sample_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->samples.record_count : 0;
}

static void store_sample_stats(const mprof_profile *profile, size_t index, void *row)
{
	mprof_sample_stats *stats = row;
	const sample_record *record = &profile->samples.records[index];

	stats->kind = record->kind;
	stats->id = record->id;
	stats->self = record->self;
	stats->total = record->total;
}

static const profile_table sample_rows =
	PROFILE_TABLE(mprof_sample_stats, mprof_profile_get_sample_count, store_sample_stats);

mprof_status mprof_profile_get_sample(const mprof_profile *profile, size_t index, mprof_sample_stats *stats)
{
	return profile_table_get(&sample_rows, profile, index, stats);
}

mprof_status mprof_profile_get_samples(const mprof_profile *profile, size_t first, mprof_sample_stats *samples,
				       size_t sample_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&sample_rows, profile, first, samples, sample_size, capacity, count);
}

size_t mprof_profile_get_sample_node_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->samples.tree.count : 0;
}

static void store_sample_node(const mprof_profile *profile, size_t index, void *row)
{
	mprof_sample_node *stats = row;
	const call_node *own_node = &profile->samples.tree.nodes[index];

	if (index != CALL_TREE_ROOT) {
		stats->kind = profile->samples.records[own_node->method].kind;
		stats->id = profile->samples.records[own_node->method].id;
	}
	stats->wait = samples_wait_of(&profile->samples, (uint32_t)index);
	stats->parent = own_node->parent;
	stats->first_child = own_node->first_child;
	stats->next_sibling = own_node->next_sibling;
	stats->self = profile->samples.tree.shown[index].self;
	stats->total = profile->samples.tree.shown[index].total;
}

static const profile_table sample_node_rows =
	PROFILE_TABLE(mprof_sample_node, mprof_profile_get_sample_node_count, store_sample_node);

mprof_status mprof_profile_get_sample_node(const mprof_profile *profile, uint32_t node, mprof_sample_node *stats)
{
	return profile_table_get(&sample_node_rows, profile, node, stats);
}

mprof_status mprof_profile_get_sample_nodes(const mprof_profile *profile, size_t first, mprof_sample_node *nodes,
					    size_t node_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&sample_node_rows, profile, first, nodes, node_size, capacity, count);
}
