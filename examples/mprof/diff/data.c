/* SPDX-License-Identifier: MIT */
/* Reads the logs of a difference. */
#include "common/exit_status.h"
#include "common/profile_input.h"
#include "diff/heap_part.h"
#include "diff/limit.h"
#include "diff/paths.h"
#include "shared/text.h"

#include <string.h>

const char *diff_path_of(const log_diff *diff, int side)
{
	const char *name = diff_log_of(diff, side)->input.name;

	if (strcmp(name, "-") != 0)
		return name;
	return diff_log_of(diff, side)->input.is_file ? "/dev/stdin" : NULL;
}

static void read_properties(diff_side *side)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(side->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(side->profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK)
			continue;
		summary_take_property(&side->summary, property.key, property.value);
	}
}

static int refuse_memory(const diff_side *side, mprof_status status, const char *what)
{
	text_begin_message(side->input.name);
	fprintf(stderr, "%s for the %s\n", mprof_status_get_text(status), what);
	return STATUS_NOTHING;
}

static int read_log(diff_side *side, const char *path)
{
	mprof_block block;

	if (input_open(&side->input, path, 0) != STATUS_OK)
		return STATUS_NOTHING;
	if (mprof_profile_create(NULL, &side->profile) != MPROF_OK)
		return refuse_memory(side, MPROF_ERR_MEMORY, "profile");
	while (input_next_block(&side->input, &block)) {
		summary_count_block(&side->summary, &block);
		profile_input_add(&side->input, side->profile, &block);
	}
	profile_input_finish(&side->input, side->profile, &block);
	side->totals.struct_size = sizeof(side->totals);
	mprof_profile_get_row(side->profile, MPROF_TABLE_TOTALS, 0, &side->totals);
	read_properties(side);
	summary_complete(&side->summary, &side->input);
	return side->input.status;
}

/* Statuses of errors are ordered by severity. */
static void raise_status(int *status, int other)
{
	*status = other > *status ? other : *status;
}

static int compare_profiles(log_diff *diff)
{
	const diff_side *before = &diff->sides[DIFF_BEFORE];
	const diff_side *after = &diff->sides[DIFF_AFTER];
	mprof_frame_tree *trees[DIFF_SIDES] = {NULL, NULL};
	mprof_profile_diff_options options;
	mprof_status status = MPROF_OK;

	mprof_profile_diff_options_init(&options, sizeof(options));
	if (diff->options.has_tree)
		status = diff_paths_make_trees(diff, trees);
	options.before_tree = trees[DIFF_BEFORE];
	options.after_tree = trees[DIFF_AFTER];
	if (status == MPROF_OK)
		status = mprof_profile_diff_create(before->profile, before->input.reader, after->profile,
						   after->input.reader, &options, &diff->profiles);
	mprof_frame_tree_destroy(trees[DIFF_BEFORE]);
	mprof_frame_tree_destroy(trees[DIFF_AFTER]);
	return status == MPROF_OK ? STATUS_OK : refuse_memory(before, status, "difference");
}

int diff_read(log_diff *diff, const diff_options *options)
{
	int status = STATUS_OK;

	memset(diff, 0, sizeof(*diff));
	diff->options = *options;
	for (int side = 0; side < DIFF_SIDES && options->files[side] != NULL && status != STATUS_NOTHING; side++)
		raise_status(&status, read_log(&diff->sides[side], options->files[side]));
	if (status != STATUS_NOTHING)
		raise_status(&status, heap_part_read(diff));
	if (status != STATUS_NOTHING && options->files[DIFF_AFTER] != NULL)
		raise_status(&status, compare_profiles(diff));
	if (status != STATUS_NOTHING && options->has_limit)
		raise_status(&status, diff_limit_check(diff));
	return status;
}

void diff_release(log_diff *diff)
{
	heap_part_release(diff);
	diff_limit_release(diff);
	mprof_profile_diff_destroy(diff->profiles);
	for (int side = 0; side < DIFF_SIDES && diff->options.files[side] != NULL; side++) {
		mprof_profile_destroy(diff->sides[side].profile);
		if (diff->sides[side].input.name != NULL)
			input_close(&diff->sides[side].input);
	}
}
