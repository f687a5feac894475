/* SPDX-License-Identifier: MIT */
/* The getters for methods and the call tree. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

size_t mprof_profile_get_method_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->methods.count : 0;
}

static void store_method(const mprof_profile *profile, size_t index, void *row)
{
	mprof_method_stats *stats = row;
	const method_record *record = record_table_at(&profile->methods, index);

	stats->id = record->id;
	stats->calls = record->shown.calls + record->open.calls;
	stats->total_ns = profile_clock_duration(&profile->clock, record->shown.total + record->open.total);
	stats->self_ns = profile_clock_duration(&profile->clock, record->shown.self + record->open.self);
	stats->jit_ns = profile_clock_duration(&profile->clock, record->shown_jit);
	stats->samples = record->samples;
	stats->samples_total = record->samples_total;
}

static const profile_table method_rows =
	PROFILE_TABLE(mprof_method_stats, mprof_profile_get_method_count, store_method);

mprof_status mprof_profile_get_method(const mprof_profile *profile, size_t index, mprof_method_stats *stats)
{
	return profile_table_get(&method_rows, profile, index, stats);
}

mprof_status mprof_profile_get_methods(const mprof_profile *profile, size_t first, mprof_method_stats *methods,
				       size_t method_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&method_rows, profile, first, methods, method_size, capacity, count);
}

size_t mprof_profile_get_method_code_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->code.count : 0;
}

static void store_code(const mprof_profile *profile, size_t index, void *row)
{
	mprof_method_code *code = row;
	const site_record *record = &profile->code.records[index];

	code->method = record->key.detail;
	code->origin = (uint32_t)record->key.other;
	code->count = record->count;
	code->bytes = record->value;
	code->compile_ns = profile_clock_duration(&profile->clock, record->more);
}

static const profile_table code_rows =
	PROFILE_TABLE(mprof_method_code, mprof_profile_get_method_code_count, store_code);

mprof_status mprof_profile_get_method_code(const mprof_profile *profile, size_t index, mprof_method_code *code)
{
	return profile_table_get(&code_rows, profile, index, code);
}

size_t mprof_profile_get_call_count(const mprof_profile *profile)
{
	return profile != NULL && profile->calls.keeps_tree ? profile->calls.tree.count : 0;
}

static void store_call(const mprof_profile *profile, size_t index, void *row)
{
	mprof_call_stats *stats = row;
	const uint64_t folded = index == CALL_TREE_ROOT ? profile->calls.shown_at_root : 0;
	const call_node *own_node = &profile->calls.tree.nodes[index];
	const shown_call_stats *shown = &profile->calls.tree.shown[index];

	stats->method = own_node->method;
	stats->parent = own_node->parent;
	stats->first_child = own_node->first_child;
	stats->next_sibling = own_node->next_sibling;
	stats->calls = shown->calls;
	/* The time of the root is the time in which threads were in no method. */
	stats->total_ns = profile_clock_duration(&profile->clock, shown->total + folded);
	stats->self_ns = profile_clock_duration(&profile->clock, index != CALL_TREE_ROOT ? shown->self : folded);
	stats->allocations = shown->allocations;
	stats->bytes = shown->bytes;
	stats->flags = own_node->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0;
}

static const profile_table call_rows = PROFILE_TABLE(mprof_call_stats, mprof_profile_get_call_count, store_call);

mprof_status mprof_profile_get_call(const mprof_profile *profile, uint32_t node, mprof_call_stats *stats)
{
	return profile_table_get(&call_rows, profile, node, stats);
}

mprof_status mprof_profile_get_calls(const mprof_profile *profile, size_t first, mprof_call_stats *nodes,
				     size_t node_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&call_rows, profile, first, nodes, node_size, capacity, count);
}
