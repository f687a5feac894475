/* SPDX-License-Identifier: MIT */
/* Makes the call stacks of each thread of a log. */
#include "export/thread_trees.h"

#include "common/exit_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that belong to threads. */
static const export_value values[] = {EXPORT_WALL,        EXPORT_CPU,   EXPORT_CALLS, EXPORT_SAMPLES,
				      EXPORT_ALLOCATIONS, EXPORT_BYTES, EXPORT_WAITS};

static void format_label(char label[THREAD_LABEL_SIZE], const mprof_thread_stats *thread)
{
	const char *name = thread->name != NULL ? thread->name : "";

	snprintf(label, THREAD_LABEL_SIZE, "0x%" PRIx64 "%s%s", thread->id, *name != '\0' ? " " : "", name);
}

static mprof_thread_stats get_thread(const log_report *report, size_t index)
{
	mprof_thread_stats thread = {.struct_size = sizeof(thread)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, index, &thread);
	return thread;
}

void thread_trees_only_label(const export_job *job, const log_report *report, char label[THREAD_LABEL_SIZE])
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);

	label[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const mprof_thread_stats thread = get_thread(report, i);

		if (count == 1 || (job->options.has_thread && thread.id == job->options.thread))
			format_label(label, &thread);
	}
}

/*
 * The times of samples are rounded. As differences of a sum that continues from one thread to the next, they add up to
 * the time of all samples.
 */
static void round_times(const thread_tree *made, const log_report *report, uint64_t *hits)
{
	const sampling_facts *sampling = &report->summary.sampling;
	const stack_tree *samples = made->trees[EXPORT_SAMPLES];
	stack_tree *times = made->trees[EXPORT_CPU];

	for (size_t i = 0; times != NULL && i < times->node_count; i++) {
		const uint64_t self = samples->nodes[i].self;

		times->nodes[i].self = sampling_time_of(sampling, *hits + self) - sampling_time_of(sampling, *hits);
		*hits += self;
	}
}

/* Reads the log with the blocks of one thread. Returns 0 if out of memory. */
static int read_thread(thread_tree *made, const export_job *job, const mprof_thread_stats *thread)
{
	const stack_tree_options tree_options = {.path = job->log, .max_depth = job->max_depth};
	report_options options = job->options;
	log_report *report = calloc(1, sizeof(*report));
	int status;

	if (report == NULL)
		return 0;
	options.has_thread = 1;
	options.thread = thread->id;
	options.is_quiet = 1;
	status = report_read(report, job->log, &options);
	if (status != STATUS_NOTHING && input_check_again(&report->input) != STATUS_OK)
		status = STATUS_NOTHING;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && status != STATUS_NOTHING; i++) {
		if (export_value_exists(report, values[i]) &&
		    stack_tree_create(report, values[i], &tree_options, &made->trees[values[i]]) == STATUS_NOTHING)
			status = STATUS_NOTHING;
	}
	report_release(report);
	free(report);
	return status != STATUS_NOTHING;
}

int thread_trees_read(thread_trees *set, const export_job *job, const log_report *report)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);
	uint64_t hits = 0;

	if (count < 2 || count > THREAD_TREES_MAX || job->options.has_thread ||
	    (!job->by_thread && report->summary.size > THREAD_TREES_MAX_BYTES / count))
		return 1;
	set->threads = calloc(count, sizeof(*set->threads));
	if (set->threads == NULL)
		return 0;
	set->thread_count = count;
	for (size_t i = 0; i < count; i++) {
		const mprof_thread_stats thread = get_thread(report, i);

		format_label(set->threads[i].label, &thread);
		if (!read_thread(&set->threads[i], job, &thread))
			return 0;
		round_times(&set->threads[i], report, &hits);
	}
	return 1;
}

int thread_trees_add_up(const thread_trees *set, const stack_tree *whole)
{
	uint64_t total = 0;
	uint64_t count = 0;

	if (set->thread_count == 0)
		return 0;
	for (size_t i = 0; i < set->thread_count; i++) {
		const stack_tree *tree = set->threads[i].trees[whole->value];

		for (size_t j = 0; tree != NULL && j < tree->node_count; j++) {
			total += tree->nodes[j].self;
			count += tree->nodes[j].count;
		}
	}
	for (size_t i = 0; i < whole->node_count; i++)
		count -= whole->nodes[i].count;
	return total == whole->nodes[0].total && count == 0;
}

void thread_trees_release(thread_trees *set)
{
	for (size_t i = 0; i < set->thread_count; i++) {
		for (size_t j = 0; j < EXPORT_VALUES; j++)
			stack_tree_destroy(set->threads[i].trees[j]);
	}
	free(set->threads);
	memset(set, 0, sizeof(*set));
}
