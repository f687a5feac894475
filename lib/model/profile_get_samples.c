/* SPDX-License-Identifier: MIT */
/* The getters for samples. */
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_sample_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->samples.place_count : 0;
}

mprof_status mprof_profile_get_sample(const mprof_profile *profile, size_t index, mprof_sample_stats *figures)
{
	const sample_place *place;
	mprof_sample_stats own;

	if (figures == NULL || index >= mprof_profile_get_sample_count(profile))
		return MPROF_ERR_ARGUMENT;
	place = &profile->samples.places[index];
	memset(&own, 0, sizeof(own));
	own.kind = place->kind;
	own.id = place->id;
	own.self = place->self;
	own.total = place->total;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_sample_node_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->samples.tree.count : 0;
}

mprof_status mprof_profile_get_sample_node(const mprof_profile *profile, uint32_t node, mprof_sample_node *figures)
{
	const call_node *own_node;
	mprof_sample_node own;

	if (figures == NULL || node >= mprof_profile_get_sample_node_count(profile))
		return MPROF_ERR_ARGUMENT;
	own_node = &profile->samples.tree.nodes[node];
	memset(&own, 0, sizeof(own));
	if (node != CALL_TREE_ROOT) {
		own.kind = profile->samples.places[own_node->method].kind;
		own.id = profile->samples.places[own_node->method].id;
	}
	own.parent = own_node->parent;
	own.first_child = own_node->first_child;
	own.next_sibling = own_node->next_sibling;
	own.self = profile->samples.tree.shown[node].self;
	own.total = profile->samples.tree.shown[node].total;
	return struct_copy_out(figures, &own, sizeof(own));
}
