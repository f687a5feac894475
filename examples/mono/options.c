/* SPDX-License-Identifier: MIT */
/* Sets the module's options to their defaults, and releases them. */
#include "options.h"

#include "filters.h"
#include "shared/dialects.h"
#include "shared/sample_source.h"

#include <stdlib.h>
#include <string.h>

/*
 * The default of the profiler that comes with Mono. The runtime signals every thread for each sample, so a higher rate
 * would be expensive for programs with many threads.
 */
#define DEFAULT_SAMPLE_HZ 100

/*
 * Maximum depths of call stacks in frames. Samples are rare, and a call tree needs their complete stacks. Allocations
 * are frequent, and every frame of their stacks costs time.
 */
#define DEFAULT_SAMPLE_DEPTH 128
#define DEFAULT_STACK_DEPTH 32

void options_init(module_options *options)
{
	memset(options, 0, sizeof(*options));
	options->sample_hz = DEFAULT_SAMPLE_HZ;
	options->sample_source = SAMPLE_SOURCE_PERF;
	options->sample_depth = DEFAULT_SAMPLE_DEPTH;
	options->stack_depth = DEFAULT_STACK_DEPTH;
	options->heap.when = HEAP_EVERY;
	options->heap.collections = 1;
	options->heap.milliseconds = 1;
	options->heap_snapshots = -1;
	options->metrics_milliseconds = 1000;
}

int options_are_classic(const module_options *options)
{
	return dialects_is_older((mprof_dialect)options->dialect);
}

/* Signals only enable, disable, write and take snapshots. */
int options_allow_changes(const module_options *options)
{
	return !options->no_control && !options_are_classic(options);
}

void options_release(module_options *options)
{
	free(options->output);
	free(options->salvage);
	options->salvage = NULL;
	free(options->control_path);
	free(options->handle_class);
	filters_release(options->filters);
	options->output = NULL;
	options->control_path = NULL;
	options->handle_class = NULL;
	options->filters = NULL;
}
