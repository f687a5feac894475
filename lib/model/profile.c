/* SPDX-License-Identifier: MIT */
/* Creates and destroys profiles. */
#include "model/profile_internal.h"
#include "model/window_times.h"

#include "base/options.h"

#include <string.h>

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)
#define DEFAULT_MAX_STACK_DEPTH 65536

void mprof_profile_options_init(mprof_profile_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

static int bound_windows(mprof_profile *profile, const mprof_profile_options *options)
{
	profile->window_has_end = 1;
	window_times_init(profile, options);
	for (size_t i = 0; i < options->thread_count; i++) {
		if (!window_choose_thread(&profile->window, options->threads[i]) ||
		    !window_choose_thread(&profile->alive_window, options->threads[i]))
			return 0;
	}
	return 1;
}

static int init_parts(mprof_profile *profile, const mprof_profile_options *options)
{
	const mprof_allocator *allocator = &profile->budget.allocator;
	uint32_t max_depth = options->max_stack_depth != 0 ? options->max_stack_depth : DEFAULT_MAX_STACK_DEPTH;
	int has_samples;
	int has_calls;

	record_table_init(&profile->methods, allocator, sizeof(method_record));
	record_table_init(&profile->classes, allocator, sizeof(class_record));
	thread_table_init(&profile->threads, allocator);
	collections_init(&profile->collections, allocator);
	code_units_init(&profile->code_units, allocator);
	properties_init(&profile->properties, allocator);
	site_table_init(&profile->allocations, &profile->budget.paths);
	site_table_init(&profile->exceptions, &profile->budget.paths);
	site_table_init(&profile->clauses, &profile->budget.paths);
	site_table_init(&profile->code, &profile->budget.paths);
	allocation_estimates_init(&profile->estimates, &profile->budget.paths);
	heap_snapshots_init(&profile->heap_snapshots, allocator);
	heap_summaries_init(&profile->heap_summaries, allocator);
	handles_init(&profile->handles, &profile->budget);
	monitors_init(&profile->monitors, &profile->budget, options->with_monitor_objects != 0);
	finalizers_init(&profile->finalizers, allocator);
	metrics_init(&profile->metrics, allocator);
	memory_init(&profile->memory, &profile->budget, &profile->alive_window);
	object_ages_init(&profile->ages, &profile->budget, &profile->alive_window);
	profile->ages.is_enabled = options->with_ages != 0;
	profile->ages.last_snapshot = options->alive_at_snapshot;
	profile->ages.trace.identity = options->traced_object;
	marks_init(&profile->marks, allocator);
	window_init(&profile->window, allocator);
	window_init(&profile->alive_window, allocator);
	timeline_init(&profile->timeline, &profile->budget.paths, &profile->window, options->timeline_slices);
	pauses_init(&profile->pauses, allocator);
	collections_init(&profile->stops, allocator);
	profile->clock.nanoseconds_per_counter = 1;
	profile->progress = options->progress;
	profile->progress_user = options->progress_user;
	profile->has_raw_counters = options->raw_counters != 0;
	profile->ends_at_last_event = options->ends_at_last_event != 0;
	profile->has_compilations = options->with_compilations != 0;
	profile->has_call_sites = options->with_call_sites != 0;
	/* Both are initialized even if one fails, so that both can be destroyed. */
	has_samples = samples_init(&profile->samples, &profile->budget, options->with_locations != 0);
	has_calls = call_model_init(&profile->calls, &profile->budget, &profile->methods, !options->without_call_tree,
				    max_depth);
	profile->calls.durations.is_enabled = options->with_durations != 0;
	profile->calls.durations.slow_limit = options->slow_calls;
	return has_samples && has_calls && bound_windows(profile, options);
}

static int are_sound(const mprof_profile_options *options)
{
	return options->without_call_tree <= 1 && options->with_compilations <= 1 && options->with_call_sites <= 1 &&
	       options->with_monitor_objects <= 1 && options->raw_counters <= 1 && options->with_durations <= 1 &&
	       options->ends_at_last_event <= 1 && options->reserved == 0 && options->with_locations <= 1 &&
	       options->with_ages <= 1 && options->slow_calls <= MPROF_SLOW_CALLS_MAX &&
	       options->timeline_slices <= MPROF_TIMELINE_SLICES_MAX && options->timeline_slices != 1 &&
	       (options->slow_calls == 0 || options->with_durations) &&
	       (options->threads != NULL || options->thread_count == 0) &&
	       (options->window_end_ns == 0 || options->window_end_ns > options->window_start_ns) &&
	       (options->alive_at_ns == 0 || options->alive_at_ns > options->window_start_ns) &&
	       !(options->without_call_tree && (options->with_compilations || options->with_call_sites));
}

mprof_status mprof_profile_create(const mprof_profile_options *options, mprof_profile **profile)
{
	mprof_profile_options own;
	mprof_allocator allocator;
	mprof_profile *made;

	if (profile == NULL)
		return MPROF_ERR_ARGUMENT;
	*profile = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || !are_sound(&own) ||
	    !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	if (!init_parts(made, &own)) {
		mprof_profile_destroy(made);
		return MPROF_ERR_MEMORY;
	}
	*profile = made;
	return MPROF_OK;
}

void mprof_profile_destroy(mprof_profile *profile)
{
	mprof_allocator allocator;

	if (profile == NULL)
		return;
	for (size_t i = 0; i < profile->threads.count; i++)
		timeline_release_row(&profile->threads.records[i].timeline, &profile->timeline);
	thread_table_destroy(&profile->threads);
	timeline_destroy(&profile->timeline);
	pauses_destroy(&profile->pauses);
	collections_destroy(&profile->stops);
	call_model_destroy(&profile->calls);
	collections_destroy(&profile->collections);
	code_units_destroy(&profile->code_units);
	properties_destroy(&profile->properties);
	samples_destroy(&profile->samples);
	site_table_destroy(&profile->allocations);
	site_table_destroy(&profile->exceptions);
	site_table_destroy(&profile->clauses);
	site_table_destroy(&profile->code);
	allocation_estimates_destroy(&profile->estimates);
	heap_snapshots_destroy(&profile->heap_snapshots);
	heap_summaries_destroy(&profile->heap_summaries);
	handles_destroy(&profile->handles);
	monitors_destroy(&profile->monitors);
	finalizers_destroy(&profile->finalizers);
	metrics_destroy(&profile->metrics);
	memory_destroy(&profile->memory);
	object_ages_destroy(&profile->ages);
	marks_destroy(&profile->marks);
	window_destroy(&profile->window);
	window_destroy(&profile->alive_window);
	record_table_destroy(&profile->methods);
	record_table_destroy(&profile->classes);
	allocator = profile->budget.source;
	allocator_release(&allocator, profile, sizeof(*profile));
}
