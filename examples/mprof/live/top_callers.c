/* SPDX-License-Identifier: MIT */
/* Finds callers and callees of a method in the trees of the profile. */
#include "live/top_callers.h"

#include "shared/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_MEMORY (UINT64_C(256) << 20)

typedef struct chosen_frame {
	uint32_t kind;
	uint32_t id;
} chosen_frame;

static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const chosen_frame *chosen = user;

	return kind == chosen->kind && id == chosen->id ? MPROF_FRAME_SELECT : 0;
}

static size_t insert(top_related *related, size_t count, const mprof_frame_stats *stats)
{
	const top_related added = {stats->kind, stats->id, stats->self, stats->total, stats->count};
	size_t position = count;

	while (position > 0 && related[position - 1].total < added.total)
		position--;
	if (position == TOP_CALLERS_MAX)
		return count;
	if (count < TOP_CALLERS_MAX)
		count++;
	memmove(&related[position + 1], &related[position], (count - 1 - position) * sizeof(*related));
	related[position] = added;
	return count;
}

int top_callers_find(const live_profile *live, uint32_t table, const top_row *row, top_callers *found)
{
	chosen_frame chosen = {table == MPROF_TABLE_SAMPLES ? row->values.kind : MPROF_SAMPLE_METHOD,
			       (uint32_t)row->values.id};
	mprof_frame_stats stats = {.struct_size = sizeof(stats)};
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.max_memory = MAX_MEMORY;
	options.source = table == MPROF_TABLE_SAMPLES ? MPROF_FRAME_SOURCE_SAMPLES : MPROF_FRAME_SOURCE_CALLS;
	options.choose = choose_frame;
	options.user = &chosen;
	found->caller_count = 0;
	found->callee_count = 0;
	if (mprof_frame_tree_create(live->profile, live->log.input.reader, &options, &tree) != MPROF_OK)
		return 0;
	for (size_t i = 0; i < mprof_frame_tree_get_caller_count(tree); i++) {
		if (mprof_frame_tree_get_caller(tree, i, &stats) == MPROF_OK)
			found->caller_count = insert(found->callers, found->caller_count, &stats);
	}
	for (size_t i = 0; i < mprof_frame_tree_get_callee_count(tree); i++) {
		if (mprof_frame_tree_get_callee(tree, i, &stats) == MPROF_OK)
			found->callee_count = insert(found->callees, found->callee_count, &stats);
	}
	mprof_frame_tree_destroy(tree);
	return 1;
}

void top_callers_format(const top_related *related, uint32_t table, char line[TOP_LINE_SIZE])
{
	char self[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];

	if (table == MPROF_TABLE_SAMPLES)
		snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s  ", text_count(self, related->self),
			 text_count(total, related->total), "");
	else
		snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s  ", text_duration(self, related->self),
			 text_duration(total, related->total), text_count(count, related->count));
}

const char *top_callers_name(const live_profile *live, const top_related *related)
{
	const char *name;

	if (related->kind == 0)
		return "(start of a thread)";
	name = names_sample(live->log.input.names, related->kind, related->id);
	return name != NULL ? name : "(unknown)";
}
