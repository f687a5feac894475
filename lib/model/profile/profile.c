/* SPDX-License-Identifier: MIT */
/* Profiles: creation, options, results. */
#include "base/caller_structs.h"
#include "model/profile/partial_profile.h"
#include "model/profile/profile_events.h"
#include "model/profile/profile_internal.h"

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
	window_times_init(&profile->times, options);
	/* Whether there are bounds is known before the counters are. */
	profile->window.is_bounded = profile->times.start_ns != 0 || profile->times.end_ns != 0;
	profile->alive_window.is_bounded = profile->times.is_pending;
	for (size_t i = 0; i < options->thread_count; i++) {
		if (!window_choose_thread(&profile->window, options->threads[i]) ||
		    !window_choose_thread(&profile->alive_window, options->threads[i]))
			return 0;
	}
	/* Their threads are chosen when they are described. */
	profile->window.has_threads |= options->process_count > 0;
	profile->alive_window.has_threads |= options->process_count > 0;
	profile->chosen_count = options->process_count;
	for (size_t i = 0; i < options->process_count; i++) {
		if (!hash_map_put(&profile->chosen_processes, options->processes[i], 1))
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
	site_table_init(&profile->allocations, &profile->budget.paths);
	site_table_init(&profile->exceptions, &profile->budget.paths);
	site_table_init(&profile->clauses, &profile->budget.paths);
	site_table_init(&profile->code, &profile->budget.paths);
	allocation_estimates_init(&profile->estimates, &profile->budget.paths);
	heap_snapshots_init(&profile->heap_snapshots, allocator);
	heap_summaries_init(&profile->heap_summaries, allocator);
	monitors_init(&profile->monitors, &profile->budget, options->with_monitor_objects != 0);
	finalizers_init(&profile->finalizers, allocator);
	memory_init(&profile->memory, &profile->budget, &profile->alive_window);
	reachability_init(&profile->reachable, &profile->budget, options->with_blocks != 0);
	object_ages_init(&profile->ages, &profile->budget, &profile->alive_window);
	profile->ages.is_enabled = options->with_ages != 0;
	profile->ages.last_snapshot = options->alive_at_snapshot;
	profile->ages.trace.identity = options->traced_object;
	lists_init(&profile->lists, &profile->budget);
	event_types_init(&profile->event_types, &profile->budget, options->max_spans);
	descriptions_init(&profile->described, allocator);
	line_list_init(&profile->lines, allocator);
	meanings_init(&profile->meanings, &profile->budget);
	sample_kinds_init(&profile->sample_kinds, &profile->budget, options->with_locations != 0);
	window_init(&profile->window, allocator);
	window_init(&profile->alive_window, allocator);
	hash_map_init(&profile->chosen_processes, allocator);
	address_spaces_init(&profile->addresses, allocator);
	address_spaces_init(&profile->handle_spaces, allocator);
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
	profile->samples.folds_idle = options->fold_idle != 0;
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
	       options->ends_at_last_event <= 1 && options->fold_idle <= 1 && options->with_blocks <= 1 &&
	       options->with_locations <= 1 && options->with_ages <= 1 && options->slow_calls <= MPROF_SLOW_CALLS_MAX &&
	       options->timeline_slices <= MPROF_TIMELINE_SLICES_MAX && options->timeline_slices != 1 &&
	       (options->slow_calls == 0 || options->with_durations) &&
	       (options->threads != NULL || options->thread_count == 0) &&
	       (options->processes != NULL || options->process_count == 0) &&
	       (options->window_end_ns == 0 || options->window_end_ns > options->window_start_ns) &&
	       (options->alive_at_ns == 0 || options->alive_at_ns > options->window_start_ns) &&
	       !(options->without_call_tree && (options->with_compilations || options->with_call_sites));
}

mprof_status mprof_profile_create(const mprof_profile_options *options, mprof_profile **profile)
{
	mprof_profile_options copy;
	mprof_allocator allocator;
	mprof_profile *created;

	if (profile == NULL)
		return MPROF_ERR_ARGUMENT;
	*profile = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || !are_sound(&copy) ||
	    !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&created->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	if (!init_parts(created, &copy)) {
		mprof_profile_destroy(created);
		return MPROF_ERR_MEMORY;
	}
	*profile = created;
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
	samples_destroy(&profile->samples);
	site_table_destroy(&profile->allocations);
	site_table_destroy(&profile->exceptions);
	site_table_destroy(&profile->clauses);
	site_table_destroy(&profile->code);
	allocation_estimates_destroy(&profile->estimates);
	heap_snapshots_destroy(&profile->heap_snapshots);
	heap_summaries_destroy(&profile->heap_summaries);
	monitors_destroy(&profile->monitors);
	finalizers_destroy(&profile->finalizers);
	memory_destroy(&profile->memory);
	reachability_destroy(&profile->reachable);
	object_ages_destroy(&profile->ages);
	lists_destroy(&profile->lists);
	descriptions_destroy(&profile->described);
	event_types_destroy(&profile->event_types);
	line_list_destroy(&profile->lines);
	meanings_destroy(&profile->meanings);
	sample_kinds_destroy(&profile->sample_kinds);
	window_destroy(&profile->window);
	window_destroy(&profile->alive_window);
	hash_map_destroy(&profile->chosen_processes);
	address_spaces_destroy(&profile->addresses);
	address_spaces_destroy(&profile->handle_spaces);
	record_table_destroy(&profile->methods);
	record_table_destroy(&profile->classes);
	allocator = profile->budget.source;
	allocator_release(&allocator, profile, sizeof(*profile));
}

mprof_status mprof_profile_get_percentile(const mprof_profile *profile, uint32_t method, double percent,
					  uint64_t *duration_ns)
{
	const duration_record *record;

	if (profile == NULL || duration_ns == NULL || !(percent >= 0 && percent <= 100))
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || record->calls == 0)
		return MPROF_ERR_ARGUMENT;
	*duration_ns = profile_clock_duration(&profile->clock, call_durations_percentile(record, percent));
	return MPROF_OK;
}

mprof_status mprof_profile_get_slow_call(const mprof_profile *profile, uint32_t method, size_t index,
					 mprof_slow_call *call)
{
	const duration_record *record;
	mprof_slow_call result;

	if (profile == NULL || call == NULL)
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || index >= record->slow_count)
		return MPROF_ERR_ARGUMENT;
	memset(&result, 0, sizeof(result));
	result.method = method;
	result.call = record->slow[index].node;
	result.thread = record->slow[index].thread;
	result.duration_ns = profile_clock_duration(&profile->clock, record->slow[index].duration);
	result.start_ns = profile_clock_time(&profile->clock, record->slow[index].start);
	return struct_copy_out(call, &result, sizeof(result));
}

mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
					       mprof_heap_shot_class *stats)
{
	const heap_class_record *record;
	mprof_heap_shot_class result;

	if (stats == NULL || shot >= mprof_profile_get_row_count(profile, MPROF_TABLE_HEAP_SHOTS) ||
	    index >= profile->heap_snapshots.records[shot].class_count)
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_snapshots.records[shot].classes[index];
	memset(&result, 0, sizeof(result));
	result.class_id = record->class_id;
	result.objects = record->objects;
	result.bytes = record->bytes;
	return struct_copy_out(stats, &result, sizeof(result));
}

mprof_status mprof_profile_get_age_site_frames(const mprof_profile *profile, size_t index, mprof_stack_frame *frames,
					       size_t frame_size, size_t capacity, size_t *count)
{
	uint32_t stack;

	if (profile == NULL || count == NULL || (frames == NULL && capacity > 0) ||
	    frame_size < sizeof(mprof_stack_frame) ||
	    index >= mprof_profile_get_row_count(profile, MPROF_TABLE_AGE_SITES))
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	for (stack = profile->ages.keys.records[index].key.stack; stack != 0; ++*count) {
		mprof_stack_frame frame;

		stack = folded_stacks_frame(&profile->ages.stacks, stack, &frame);
		if (*count < capacity)
			memcpy((unsigned char *)frames + *count * frame_size, &frame, sizeof(frame));
	}
	return MPROF_OK;
}

mprof_status mprof_profile_lookup_origin(const mprof_profile *profile, uint64_t address, mprof_object_origin *origin)
{
	const live_object *object;
	mprof_object_origin result = {0};

	if (profile == NULL || origin == NULL)
		return MPROF_ERR_ARGUMENT;
	object = object_ages_find(&profile->ages, address);
	if (object == NULL)
		return MPROF_ERR_ARGUMENT;
	result.identity = object->identity;
	result.bytes = object->size;
	result.site = object->site < profile->ages.state.site_count ? object->site : MPROF_ORIGIN_NO_SITE;
	result.age = profile->ages.state.sums.epoch - object->epoch;
	return struct_copy_out(origin, &result, sizeof(result));
}

int mprof_profile_has_snapshot(const mprof_profile *profile)
{
	return profile != NULL && profile->ages.has_ended;
}

mprof_status mprof_profile_get_timeline_slice(const mprof_profile *profile, size_t thread, size_t index,
					      mprof_timeline_slice *slice)
{
	const timeline_row *row;
	mprof_timeline_slice result;

	if (profile == NULL || slice == NULL || thread >= profile->threads.count ||
	    index >= profile->pauses.slice_count)
		return MPROF_ERR_ARGUMENT;
	row = &profile->threads.records[thread].timeline;
	memset(&result, 0, sizeof(result));
	result.start_ns =
		profile_clock_time(&profile->clock, profile->timeline.origin + index * profile->timeline.width);
	/* A row that was used after the results were shown may have other slices. */
	if (row->slices != NULL && row->width == profile->timeline.width) {
		const timeline_slice *found = &row->slices[index];

		result.existing_ns = profile_clock_duration(&profile->clock, found->existing);
		result.methods_ns = profile_clock_duration(&profile->clock, found->methods + found->open);
		result.waiting_ns = profile_clock_duration(&profile->clock, found->waiting);
		result.stopped_ns = profile_clock_duration(&profile->clock, found->stopped);
		result.cpu_ns = found->cpu_ns;
		result.samples = found->samples;
		result.waiting_samples = found->waiting_samples;
		result.state_ns = profile_clock_duration(&profile->clock, found->in_state + found->open_in_state);
		result.running_ns = profile_clock_duration(&profile->clock, found->running + found->open_running);
	}
	return struct_copy_out(slice, &result, sizeof(result));
}

mprof_status mprof_profile_get_window(const mprof_profile *profile, mprof_profile_window *window)
{
	mprof_profile_window result;

	if (profile == NULL || window == NULL)
		return MPROF_ERR_ARGUMENT;
	if (profile->times.is_pending && !profile->times.has_counters)
		return MPROF_ERR_STATE;
	memset(&result, 0, sizeof(result));
	result.start_counter = profile->window.start;
	result.end_counter = profile->window.end;
	result.is_final = !profile->times.is_pending;
	return struct_copy_out(window, &result, sizeof(result));
}

/*
 * Computes the results that depend on all blocks: sums over the call tree, collections, the frequency of the counter.
 * Sums are computed from the changes since the last call, so that the results of a growing log can be shown often.
 */

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
	profile->counters_per_second = session->counters_per_second;
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
	/* A collection stops the threads of its process alone, so those of several processes are not shown together. */
	const collection_list none = {0};
	const collection_list *collections =
		profile->has_processes && profile->chosen_count != 1 ? &none : collections_of_timeline(profile);

	return collections_pair(&profile->stops, session->start.counter, &profile->window, going) &&
	       pauses_show(&profile->pauses, &profile->timeline, &profile->threads, collections, session->last.counter,
			   going);
}

/* The latest counter of the log. */
static uint64_t latest_counter(const mprof_profile *profile, const mprof_session *session)
{
	const uint64_t latest = thread_table_latest(&profile->threads, session->last.counter);

	return profile->has_uncounted && (int64_t)(profile->uncounted_latest - latest) > 0 ? profile->uncounted_latest
											   : latest;
}

/* What has not ended lasts until the end of the log, or of its thread. */
static uint64_t end_of_state(const mprof_profile *profile, const thread_record *thread, uint64_t latest)
{
	return profile->ends_at_last_event ? thread->last_counter : thread_end(thread, latest);
}

/* Adds the states that have not changed to the timeline, which show_timeline() has made. */
static int show_open_states(mprof_profile *profile, const mprof_session *session)
{
	const uint64_t latest = latest_counter(profile, session);

	for (size_t i = 0; i < profile->threads.count; i++) {
		thread_record *thread = &profile->threads.records[i];
		const uint64_t end = end_of_state(profile, thread, latest);

		if (!thread->doing.is_known)
			continue;
		if (!timeline_add(&profile->timeline, &thread->timeline, TIMELINE_OPEN_IN_STATE, thread->doing.since,
				  end) ||
		    (thread->doing.is_running && !timeline_add(&profile->timeline, &thread->timeline,
							       TIMELINE_OPEN_RUNNING, thread->doing.since, end)))
			return 0;
	}
	return 1;
}

static void extend_unfinished(mprof_profile *profile, const mprof_session *session)
{
	const uint64_t latest = latest_counter(profile, session);

	meanings_begin_show(&profile->meanings);
	for (size_t i = 0; i < profile->threads.count; i++) {
		const thread_record *thread = &profile->threads.records[i];

		meanings_show_state(&profile->meanings, &thread->doing,
				    window_clamp(&profile->window, end_of_state(profile, thread, latest)));
	}
	if (profile->ends_at_last_event)
		return;
	thread_table_extend_calls(&profile->threads, &profile->calls, &profile->window, latest);
	for (size_t i = 0; i < profile->threads.count; i++) {
		thread_record *thread = &profile->threads.records[i];

		monitors_show_wait(&profile->monitors, &thread->wait,
				   window_clamp(&profile->window, thread_end(thread, latest)));
	}
}

static int has_positions(const mprof_reader *reader)
{
	return mprof_reader_get_record_count(reader, MPROF_RECORD_POSITION) > 0;
}

static uint64_t line_steps(const mprof_profile *profile, const mprof_reader *reader)
{
	return has_positions(reader) ? profile->samples.stacks.count +
					       mprof_profile_get_row_count(profile, MPROF_TABLE_ALLOCATION_SITES)
				     : 0;
}

static int add_sample_lines(mprof_profile *profile, const mprof_reader *reader, progress *going)
{
	const record_table *stacks = &profile->samples.stacks;

	for (size_t i = 0; i < stacks->count; i++) {
		const sample_stack *stack = record_table_at(stacks, i);
		const line_counts counts = {.samples = stack->count};

		if (!progress_step(going) ||
		    (stack->count > 0 && !line_list_add(&profile->lines, reader, stack->id, &counts)))
			return 0;
	}
	return 1;
}

static int add_allocation_lines(mprof_profile *profile, const mprof_reader *reader, progress *going)
{
	const size_t count = mprof_profile_get_row_count(profile, MPROF_TABLE_ALLOCATION_SITES);

	for (size_t i = 0; i < count; i++) {
		mprof_allocation_site site = {.struct_size = sizeof(site)};
		line_counts counts = {0, 0, 0};

		if (!progress_step(going))
			return 0;
		if (mprof_profile_get_row(profile, MPROF_TABLE_ALLOCATION_SITES, i, &site) != MPROF_OK)
			continue;
		counts.allocations = site.allocations;
		counts.bytes = site.bytes;
		if (site.stack != 0 && !line_list_add(&profile->lines, reader, site.stack, &counts))
			return 0;
	}
	return 1;
}

/* Counts all call stacks again. Returns 0 if there is no memory, or if it was stopped; then there are no lines. */
static int show_lines(mprof_profile *profile, const mprof_reader *reader, progress *going)
{
	line_list_clear(&profile->lines);
	if (!has_positions(reader))
		return 1;
	if (progress_begin(going, line_steps(profile, reader)) && add_sample_lines(profile, reader, going) &&
	    add_allocation_lines(profile, reader, going))
		return 1;
	line_list_clear(&profile->lines);
	return 0;
}

static uint64_t count_steps(const mprof_profile *profile, const mprof_reader *reader)
{
	uint64_t steps = samples_steps(&profile->samples) + method_steps(profile) + memory_steps(&profile->memory) +
			 reachability_steps(&profile->reachable, &profile->memory) + object_ages_steps(&profile->ages) +
			 collections_steps(&profile->collections) + line_steps(profile, reader);

	if (profile->timeline.limit != 0)
		steps += collections_steps(&profile->stops) +
			 pauses_steps(&profile->timeline, &profile->threads, collections_of_timeline(profile));
	return steps;
}

static int show_spans(mprof_profile *profile, const mprof_session *session)
{
	span_list *spans = &profile->event_types.spans;

	if (!span_list_begin_show(spans) ||
	    !thread_table_show_spans(&profile->threads, &profile->event_types, &profile->window,
				     latest_counter(profile, session)))
		return 0;
	span_list_end_show(spans);
	return 1;
}

/*
 * Returns 0 if the allocator refused or it was stopped. Each part then has changed nothing, or it has added everything
 * to what is shown, or it starts again from what was added: so another call has the results of the first one.
 */
static int show_results(mprof_profile *profile, const mprof_reader *reader, const mprof_session *session,
			progress *going)
{
	if (!samples_show(&profile->samples, prepare_sample, show_sample, profile, going) ||
	    !show_methods(profile, going) ||
	    (!heap_snapshots_merge_gathered(&profile->heap_snapshots) && !profile_limit_skip_result(profile)) ||
	    !memory_process_provisionally(&profile->memory, going) ||
	    !reachability_show(&profile->reachable, &profile->memory, &profile->addresses,
			       !window_is_over(&profile->alive_window, session->last.counter), profile->has_processes,
			       going) ||
	    !object_ages_finish(&profile->ages, going) ||
	    !collections_pair(&profile->collections, session->start.counter, &profile->window, going) ||
	    (!show_spans(profile, session) && !profile_limit_skip_result(profile)))
		return 0;
	if (profile->timeline.limit != 0 &&
	    (!show_timeline(profile, session, going) || !show_open_states(profile, session)) &&
	    (going->is_stopped || !profile_limit_skip_result(profile)))
		return 0;
	if (!show_lines(profile, reader, going) && (going->is_stopped || !profile_limit_skip_result(profile)))
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
	window_times_update(&profile->times, &profile->window, &profile->alive_window, reader,
			    profile_latest_counter(profile, session.start.counter));
	set_conversion(profile, &session);
	if (!samples_fold_idle(&profile->samples, reader))
		return MPROF_ERR_MEMORY;
	profile->window_has_end = window_has_counter(&profile->window, session.last.counter);
	extend_unfinished(profile, &session);
	progress_init(&going, profile->progress, profile->progress_user, count_steps(profile, reader));
	return show_results(profile, reader, &session, &going) ? MPROF_OK : progress_status(&going, MPROF_ERR_MEMORY);
}
