/* SPDX-License-Identifier: MIT */
/*
 * Reads the tables of a profile: for each table the number of its rows and a function that stores one of them, which
 * the list at the end names; those of what the log describes are in description_rows.c. What the columns are is in
 * table_columns.c.
 */
#include "model/profile/description_rows.h"
#include "model/profile/profile_internal.h"

#include "base/caller_structs.h"

#include <stddef.h>
#include <string.h>

static size_t count_one(const mprof_profile *profile)
{
	(void)profile;
	return 1;
}

static size_t count_methods(const mprof_profile *profile)
{
	return profile->methods.count;
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

static size_t count_method_codes(const mprof_profile *profile)
{
	return profile->code.count;
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

static size_t count_calls(const mprof_profile *profile)
{
	return profile->calls.keeps_tree ? profile->calls.tree.count : 0;
}

static void store_call(const mprof_profile *profile, size_t index, void *row)
{
	mprof_call_stats *stats = row;
	const uint64_t folded = index == CALL_TREE_ROOT ? profile->calls.shown_at_root : 0;
	const call_node *node = &profile->calls.tree.nodes[index];
	const shown_call_stats *shown = &profile->calls.tree.shown[index];

	stats->method = node->method;
	stats->parent = node->parent;
	stats->first_child = node->first_child;
	stats->next_sibling = node->next_sibling;
	stats->calls = shown->calls;
	/* The time of the root is the time in which threads were in no method. */
	stats->total_ns = profile_clock_duration(&profile->clock, shown->total + folded);
	stats->self_ns = profile_clock_duration(&profile->clock, index != CALL_TREE_ROOT ? shown->self : folded);
	stats->allocations = shown->allocations;
	stats->bytes = shown->bytes;
	stats->flags = node->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0;
}

static uint64_t percentile_of(const mprof_profile *profile, const duration_record *record, double percent)
{
	return profile_clock_duration(&profile->clock, call_durations_percentile(record, percent));
}

static size_t count_durations(const mprof_profile *profile)
{
	return profile->calls.durations.records.count;
}

static void store_durations(const mprof_profile *profile, size_t index, void *row)
{
	mprof_call_durations *durations = row;
	const duration_record *record = record_table_at(&profile->calls.durations.records, index);

	durations->method = record->id;
	durations->slow_calls = (uint32_t)record->slow_count;
	durations->calls = record->calls;
	durations->left_out = record->left_out;
	/* Without memory for the first bucket, no call counts. */
	if (record->calls == 0)
		return;
	durations->min_ns = profile_clock_duration(&profile->clock, record->shortest);
	durations->average_ns = profile_clock_duration(&profile->clock, record->sum / record->calls);
	durations->max_ns = profile_clock_duration(&profile->clock, record->longest);
	durations->sum_ns = profile_clock_sum(&profile->clock, record->sum);
	durations->p50_ns = percentile_of(profile, record, 50);
	durations->p90_ns = percentile_of(profile, record, 90);
	durations->p99_ns = percentile_of(profile, record, 99);
}

static size_t count_lines(const mprof_profile *profile)
{
	return profile->lines.count;
}

static void store_line(const mprof_profile *profile, size_t index, void *row)
{
	*(mprof_line_stats *)row = profile->lines.records[index].stats;
}

static size_t count_event_types(const mprof_profile *profile)
{
	return profile->event_types.count;
}

static void store_event_type(const mprof_profile *profile, size_t index, void *row)
{
	mprof_event_type_stats *stats = row;
	const event_type_record *record = &profile->event_types.records[index];
	const duration_record *spans = record_table_find(&profile->event_types.durations.records, (uint32_t)index);

	stats->type = record->type;
	stats->form = record->form;
	stats->name = record->name;
	stats->category = record->category;
	stats->count = record->count;
	stats->unmatched = record->unmatched;
	stats->errors = record->errors;
	stats->without_self = record->without_self;
	if (MPROF_TYPE_FORM_IS_SPAN(record->form))
		stats->unfinished = record->count - record->ended - record->unmatched;
	if (spans == NULL || spans->calls == 0)
		return;
	stats->spans = spans->calls;
	stats->total_ns = profile_clock_sum(&profile->clock, spans->sum);
	stats->self_ns = profile_clock_duration(&profile->clock, record->self);
	stats->min_ns = profile_clock_duration(&profile->clock, spans->shortest);
	stats->p50_ns = percentile_of(profile, spans, 50);
	stats->p90_ns = percentile_of(profile, spans, 90);
	stats->p99_ns = percentile_of(profile, spans, 99);
	stats->max_ns = profile_clock_duration(&profile->clock, spans->longest);
}

static size_t count_spans(const mprof_profile *profile)
{
	return profile->event_types.spans.shown_count;
}

static void store_span(const mprof_profile *profile, size_t index, void *row)
{
	mprof_span *span = row;
	const listed_span *entry = &profile->event_types.spans.shown[index];
	const event_type_record *record = &profile->event_types.records[entry->record];

	span->type = record->type;
	span->form = record->form;
	span->name = record->name;
	span->category = record->category;
	span->thread = entry->thread;
	span->stack_number = entry->stack;
	span->start_ns = profile_clock_time(&profile->clock, entry->start);
	span->duration_ns = profile_clock_duration(&profile->clock, entry->end - entry->start);
	span->unfinished = entry->is_unfinished;
}

static size_t count_samples(const mprof_profile *profile)
{
	return profile->samples.record_count;
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

static size_t count_sample_nodes(const mprof_profile *profile)
{
	return profile->samples.tree.count;
}

static void store_sample_node(const mprof_profile *profile, size_t index, void *row)
{
	mprof_sample_node *stats = row;
	const call_node *node = &profile->samples.tree.nodes[index];

	if (index != CALL_TREE_ROOT) {
		stats->kind = profile->samples.records[node->method].kind;
		stats->id = profile->samples.records[node->method].id;
	}
	stats->wait = samples_wait_of(&profile->samples, (uint32_t)index);
	stats->parent = node->parent;
	stats->first_child = node->first_child;
	stats->next_sibling = node->next_sibling;
	stats->self = profile->samples.tree.shown[index].self;
	stats->total = profile->samples.tree.shown[index].total;
}

static size_t count_classes(const mprof_profile *profile)
{
	return profile->classes.count;
}

static void store_class(const mprof_profile *profile, size_t index, void *row)
{
	mprof_class_stats *stats = row;
	const class_record *record = record_table_at(&profile->classes, index);
	const exception_text *text = exception_texts_find(&profile->meanings.class_texts, record->id);

	stats->id = record->id;
	stats->allocations = record->allocations;
	stats->bytes = record->bytes;
	stats->freed = record->freed;
	stats->freed_bytes = record->freed_bytes;
	stats->exceptions = record->exceptions;
	stats->load_ns = profile_clock_duration(&profile->clock, record->load);
	stats->samples = record->estimate.samples;
	stats->allocations_error = allocation_estimate_error(record->estimate.objects_variance);
	stats->bytes_error = allocation_estimate_error(record->estimate.bytes_variance);
	if (text == NULL)
		return;
	stats->exception_texts = text->count;
	stats->exception_text_ns = profile_clock_time(&profile->clock, text->counter);
	stats->exception_text = text->text;
}

static size_t count_allocation_sites(const mprof_profile *profile)
{
	return profile->allocations.count;
}

static void store_allocation_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_allocation_site *site = row;
	const site_record *record = &profile->allocations.records[index];
	const allocation_estimate *estimate = allocation_estimates_get(&profile->estimates, index);

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->caller = record->key.detail;
	site->call = record->key.call;
	site->flags = (uint32_t)record->key.other;
	site->allocations = record->count;
	site->bytes = record->value;
	if (estimate == NULL)
		return;
	site->samples = estimate->samples;
	site->allocations = allocation_estimate_round((double)record->count + estimate->objects);
	site->bytes = allocation_estimate_round((double)record->value + estimate->bytes);
	site->allocations_error = allocation_estimate_error(estimate->objects_variance);
	site->bytes_error = allocation_estimate_error(estimate->bytes_variance);
}

static size_t count_exception_sites(const mprof_profile *profile)
{
	return profile->exceptions.count;
}

static void store_exception_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_exception_site *site = row;
	const site_record *record = &profile->exceptions.records[index];
	const exception_text *text = exception_texts_find(&profile->meanings.site_texts, (uint32_t)index + 1);

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->exceptions = record->count;
	site->call = record->key.call;
	if (text == NULL)
		return;
	site->texts = text->count;
	site->text_ns = profile_clock_time(&profile->clock, text->counter);
	site->text = text->text;
}

static size_t count_exception_clauses(const mprof_profile *profile)
{
	return profile->clauses.count;
}

static void store_exception_clause(const mprof_profile *profile, size_t index, void *row)
{
	mprof_exception_clause *clause = row;
	const site_record *record = &profile->clauses.records[index];

	clause->method = record->key.detail;
	clause->class_id = record->key.class_id;
	clause->kind = (uint32_t)record->key.other & 3;
	clause->number = (uint32_t)(record->key.other >> 2);
	clause->runs = record->count;
}

static size_t count_heap_shots(const mprof_profile *profile)
{
	return profile->heap_snapshots.count;
}

static void store_heap_shot(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_shot *shot = row;
	const heap_snapshot_record *record = &profile->heap_snapshots.records[index];

	shot->number = record->number;
	shot->incomplete = record->is_incomplete || !record->is_ended;
	shot->time_ns = profile_clock_time(&profile->clock, record->counter);
	shot->objects = record->objects;
	shot->bytes = record->bytes;
	shot->references = record->references;
	shot->freed = record->freed;
	shot->freed_bytes = record->freed_bytes;
	shot->moved = record->moved;
	for (size_t kind = 0; kind <= MPROF_ROOT_RUNTIME; kind++) {
		shot->roots_by_kind[kind] = record->roots[kind];
		shot->roots += record->roots[kind];
	}
	shot->classes = record->class_count;
	shot->synthetic_objects = record->synthetic;
	shot->process = record->process;
}

static size_t count_heap_summaries(const mprof_profile *profile)
{
	return profile->heap_summaries.count;
}

static void store_heap_summary(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_summary *summary = row;
	const heap_summary_record *record = &profile->heap_summaries.records[index];

	summary->collection = record->collection;
	summary->class_id = record->class_id;
	summary->time_ns = profile_clock_time(&profile->clock, record->counter);
	summary->live_objects = record->sums.live_objects;
	summary->live_bytes = record->sums.live_bytes;
	summary->dead_objects = record->sums.dead_objects;
	summary->dead_bytes = record->sums.dead_bytes;
}

static size_t count_handles(const mprof_profile *profile)
{
	return profile->lists.handles.by_class.count;
}

static void store_handle(const mprof_profile *profile, size_t index, void *row)
{
	mprof_handle_stats *stats = row;
	const site_record *record = &profile->lists.handles.by_class.records[index];

	stats->class_id = record->key.class_id;
	stats->type = record->key.detail;
	stats->created = record->count;
	stats->alive = record->value;
	stats->deleted = record->count - record->value;
}

static size_t count_handle_sites(const mprof_profile *profile)
{
	return profile->lists.handles.by_stack.count;
}

static void store_handle_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_handle_site *site = row;
	const site_record *record = &profile->lists.handles.by_stack.records[index];

	site->class_id = record->key.class_id;
	site->type = record->key.detail;
	site->stack = record->key.stack;
	site->created = record->count;
	site->alive = record->value;
}

static size_t count_finalizers(const mprof_profile *profile)
{
	return profile->finalizers.records.count;
}

static void store_finalizer(const mprof_profile *profile, size_t index, void *row)
{
	mprof_finalizer_stats *stats = row;
	const finalizer_record *record = record_table_at(&profile->finalizers.records, index);

	stats->class_id = record->class_id;
	stats->count = record->count;
	stats->total_ns = profile_clock_duration(&profile->clock, record->time);
}

static int ages_are_estimates(const mprof_profile *profile)
{
	const age_sums *sums = &profile->ages.state.sums;

	return profile->totals.lost_events > 0 || sums->counts.missing_deaths > 0 || sums->counts.untracked > 0 ||
	       sums->counts.uncertain_moves > 0 || sums->folded.amounts[AGE_ALLOCATED].objects > 0 ||
	       profile->ages.lacks_classes || profile->totals.event_counts[MPROF_EVENT_RECORDING_RESUMED] > 0;
}

static void store_ages(const mprof_profile *profile, size_t index, void *row)
{
	mprof_age_stats *stats = row;
	const age_sums *sums = &profile->ages.state.sums;
	const age_amount *amounts = sums->all.amounts;

	(void)index;
	if (!profile->ages.is_enabled)
		return;
	*stats = sums->counts;
	stats->allocations = amounts[AGE_ALLOCATED].objects;
	stats->bytes = amounts[AGE_ALLOCATED].bytes;
	stats->dead = amounts[AGE_DEAD].objects;
	stats->dead_bytes = amounts[AGE_DEAD].bytes;
	stats->live = amounts[AGE_LIVE].objects;
	stats->live_bytes = amounts[AGE_LIVE].bytes;
	stats->peak_live = amounts[AGE_PEAK].objects;
	stats->peak_bytes = amounts[AGE_PEAK].bytes;
	stats->peak_ns = sums->peak > 0 ? profile_clock_time(&profile->clock, sums->peak_counter) : 0;
	stats->temporaries = amounts[AGE_TEMPORARY].objects;
	stats->temporary_bytes = amounts[AGE_TEMPORARY].bytes;
	stats->ages = object_ages_sum(&profile->ages, &sums->all);
	stats->collections = sums->epoch;
	stats->sample_interval = profile->ages.interval;
	stats->folded = sums->folded.amounts[AGE_ALLOCATED].objects;
	stats->is_estimate = (uint32_t)ages_are_estimates(profile);
}

static size_t count_age_classes(const mprof_profile *profile)
{
	return profile->ages.classes.count;
}

static void store_age_class(const mprof_profile *profile, size_t index, void *row)
{
	mprof_age_class *class = row;
	const age_class *record = record_table_at(&profile->ages.classes, index);
	const age_amount *amounts = record->sums.amounts;

	class->class_id = record->id;
	class->sites = record->sites;
	class->allocations = amounts[AGE_ALLOCATED].objects;
	class->bytes = amounts[AGE_ALLOCATED].bytes;
	class->dead = amounts[AGE_DEAD].objects;
	class->dead_bytes = amounts[AGE_DEAD].bytes;
	class->live = amounts[AGE_LIVE].objects;
	class->live_bytes = amounts[AGE_LIVE].bytes;
	class->peak_live = amounts[AGE_PEAK].objects;
	class->peak_bytes = amounts[AGE_PEAK].bytes;
	class->temporaries = amounts[AGE_TEMPORARY].objects;
	class->temporary_bytes = amounts[AGE_TEMPORARY].bytes;
	class->ages = object_ages_sum(&profile->ages, &record->sums);
}

static void store_amount(uint64_t *objects, uint64_t *bytes, const age_amount *amount)
{
	*objects = amount->objects;
	*bytes = amount->bytes;
}

static void store_estimate(uint64_t *objects, uint64_t *bytes, const allocation_estimate *estimate)
{
	*objects = allocation_estimate_round(estimate->objects);
	*bytes = allocation_estimate_round(estimate->bytes);
}

static void store_estimates(const mprof_profile *profile, size_t index, mprof_age_site *site)
{
	const allocation_estimate *amounts = profile->ages.state.estimates[index].amounts;
	const age_site *record = &profile->ages.state.sites[index];
	const allocation_estimate *peak = &amounts[record->peak == profile->ages.state.sums.peak ? AGE_PEAK : AGE_LIVE];

	site->samples = amounts[AGE_ALLOCATED].samples;
	store_estimate(&site->allocations, &site->bytes, &amounts[AGE_ALLOCATED]);
	store_estimate(&site->dead, &site->dead_bytes, &amounts[AGE_DEAD]);
	store_estimate(&site->live, &site->live_bytes, &amounts[AGE_LIVE]);
	store_estimate(&site->peak_live, &site->peak_bytes, peak);
	store_estimate(&site->temporaries, &site->temporary_bytes, &amounts[AGE_TEMPORARY]);
	site->allocations_error = allocation_estimate_error(amounts[AGE_ALLOCATED].objects_variance);
	site->bytes_error = allocation_estimate_error(amounts[AGE_ALLOCATED].bytes_variance);
	site->live_error = allocation_estimate_error(amounts[AGE_LIVE].objects_variance);
	site->live_bytes_error = allocation_estimate_error(amounts[AGE_LIVE].bytes_variance);
	site->peak_bytes_error = allocation_estimate_error(peak->bytes_variance);
	site->temporary_bytes_error = allocation_estimate_error(amounts[AGE_TEMPORARY].bytes_variance);
}

static size_t count_age_sites(const mprof_profile *profile)
{
	return profile->ages.state.site_count;
}

static void store_age_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_age_site *site = row;
	const object_ages *ages = &profile->ages;
	const site_key *key = &ages->keys.records[index].key;
	const age_site *record = &ages->state.sites[index];
	const age_amount peak = object_ages_peak(ages, record);

	site->class_id = key->class_id;
	site->stack = folded_stacks_id(&ages->stacks, key->stack);
	site->caller = key->detail;
	site->flags = (uint32_t)key->other;
	store_amount(&site->allocations, &site->bytes, &record->amounts[AGE_ALLOCATED]);
	store_amount(&site->dead, &site->dead_bytes, &record->amounts[AGE_DEAD]);
	store_amount(&site->live, &site->live_bytes, &record->amounts[AGE_LIVE]);
	store_amount(&site->peak_live, &site->peak_bytes, &peak);
	store_amount(&site->temporaries, &site->temporary_bytes, &record->amounts[AGE_TEMPORARY]);
	site->ages = object_ages_sum(ages, record);
	if (ages->interval != 0 && key->stack != 0)
		store_estimates(profile, index, site);
}

/* The number of entries before the window. */
static size_t skipped_changes(const mprof_profile *profile)
{
	const age_state *state = &profile->ages.state;
	size_t skipped = 0;
	size_t end = state->sums.history_count;

	/* The entries are in the order of time. */
	while (skipped < end) {
		size_t middle = skipped + (end - skipped) / 2;

		if (profile->alive_window.is_bounded && state->history[middle].counter < profile->alive_window.start)
			skipped = middle + 1;
		else
			end = middle;
	}
	return skipped;
}

static uint64_t rest_of(uint64_t before, uint64_t collected)
{
	return before > collected ? before - collected : 0;
}

/*
 * The heap before an entry, and what it freed. A resize is usually recorded during a collection, whose deaths follow in
 * the log; its heap is that without these.
 */
static void get_amounts(const age_state *state, size_t index, age_amount *before, age_amount *collected)
{
	const heap_change *change = &state->history[index];
	size_t collection = index;

	*before = change->before;
	*collected = change->collected;
	if (change->kind == MPROF_HEAP_CHANGE_COLLECTION)
		return;
	memset(collected, 0, sizeof(*collected));
	while (collection > 0 && state->history[collection].kind != MPROF_HEAP_CHANGE_COLLECTION)
		collection--;
	if (state->history[collection].kind != MPROF_HEAP_CHANGE_COLLECTION)
		return;
	before->objects =
		rest_of(before->objects, state->history[collection].collected.objects - change->collected.objects);
	before->bytes = rest_of(before->bytes, state->history[collection].collected.bytes - change->collected.bytes);
}

/* The start, whose heap is that after the entry before the window. */
static void store_start(const mprof_profile *profile, size_t skipped, mprof_heap_change_entry *entry)
{
	const profile_window *window = &profile->alive_window;
	age_amount before;
	age_amount collected;

	entry->kind = MPROF_HEAP_CHANGE_START;
	if (window->is_bounded && window->start > profile->clock.origin)
		entry->time_ns = profile_clock_time(&profile->clock, window->start);
	if (skipped == 0)
		return;
	get_amounts(&profile->ages.state, skipped - 1, &before, &collected);
	entry->objects_before = rest_of(before.objects, collected.objects);
	entry->bytes_before = rest_of(before.bytes, collected.bytes);
	entry->heap_bytes = profile->ages.state.history[skipped - 1].heap_bytes;
}

static void store_end(const mprof_profile *profile, mprof_heap_change_entry *entry)
{
	const age_sums *sums = &profile->ages.state.sums;
	const profile_window *window = &profile->alive_window;

	entry->kind = MPROF_HEAP_CHANGE_END;
	entry->time_ns = (int64_t)profile->totals.wall_ns;
	if (window->is_bounded && window->end != UINT64_MAX &&
	    profile_clock_time(&profile->clock, window->end) < entry->time_ns)
		entry->time_ns = profile_clock_time(&profile->clock, window->end);
	entry->objects_before = sums->heap.objects;
	entry->bytes_before = sums->heap.bytes;
	entry->heap_bytes = sums->heap_bytes;
}

static size_t count_heap_changes(const mprof_profile *profile)
{
	if (!profile->ages.is_enabled)
		return 0;
	return profile->ages.state.sums.history_count - skipped_changes(profile) + 2;
}

static void store_heap_change(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_change_entry *entry = row;
	size_t skipped = skipped_changes(profile);
	const heap_change *change;
	age_amount before;
	age_amount collected;

	if (index == 0) {
		store_start(profile, skipped, entry);
		return;
	}
	index += skipped - 1;
	if (index == profile->ages.state.sums.history_count) {
		store_end(profile, entry);
		return;
	}
	change = &profile->ages.state.history[index];
	entry->kind = change->kind;
	entry->generation = change->generation;
	entry->number = change->number;
	entry->time_ns = profile_clock_time(&profile->clock, change->counter);
	get_amounts(&profile->ages.state, index, &before, &collected);
	entry->objects_before = before.objects;
	entry->bytes_before = before.bytes;
	entry->collected_objects = collected.objects;
	entry->collected_bytes = collected.bytes;
	entry->heap_bytes = change->heap_bytes;
}

static size_t count_traced_addresses(const mprof_profile *profile)
{
	return profile->ages.trace.count;
}

static void store_address(const mprof_profile *profile, size_t index, void *row)
{
	mprof_traced_address *stored = row;
	const traced_address *address = &profile->ages.trace.addresses[index];

	stored->address = address->address;
	stored->time_ns = profile_clock_time(&profile->clock, address->counter);
	stored->age = address->age;
}

/*
 * A late event may be matched with the wrong one at its address. Then another event finds no match: the address is
 * allocated twice, or freed twice. So if each event has found its match, the late ones have as well.
 */
static int memory_is_estimate(const mprof_profile *profile)
{
	const mprof_memory_stats *sums = &profile->memory.state.sums.totals;

	return profile->totals.lost_events > 0 || sums->missing_frees > 0 || sums->untracked > 0 ||
	       (sums->late_events > 0 && sums->unmatched_frees > 0) || profile->memory.has_other_threads ||
	       profile->totals.event_counts[MPROF_EVENT_RECORDING_RESUMED] > 0;
}

/* \p sums: NULL if nothing is known. */
static void store_reachability(mprof_memory_site *site, const reachability_sums *sums)
{
	site->is_searched = sums != NULL;
	site->unsearched = sums != NULL ? sums->blocks[PART_UNSEARCHED] : site->live;
	site->unsearched_bytes = sums != NULL ? sums->bytes[PART_UNSEARCHED] : site->live_bytes;
	if (sums == NULL)
		return;
	site->unreachable = sums->blocks[PART_UNREACHABLE];
	site->unreachable_bytes = sums->bytes[PART_UNREACHABLE];
	site->indirect = sums->blocks[PART_INDIRECT];
	site->indirect_bytes = sums->bytes[PART_INDIRECT];
	site->interior = sums->blocks[PART_INTERIOR];
	site->interior_bytes = sums->bytes[PART_INTERIOR];
}

/* The rows of both tables of native memory end with the same figures. */
#define REACHABILITY_SIZE (sizeof(mprof_memory_site) - offsetof(mprof_memory_site, unreachable))
_Static_assert(sizeof(mprof_memory_stats) - offsetof(mprof_memory_stats, unreachable) == REACHABILITY_SIZE,
	       "the totals of native memory end as its sites do");

static void store_memory(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_stats *stats = row;
	const memory_sums *memory = &profile->memory.state.sums;
	mprof_memory_site all = {.live = memory->totals.live, .live_bytes = memory->totals.live_bytes};

	(void)index;
	*stats = memory->totals;
	stats->peak_ns = memory->peak > 0 ? profile_clock_time(&profile->clock, memory->peak_counter) : 0;
	stats->is_estimate = (uint32_t)memory_is_estimate(profile);
	stats->is_peak_estimate = stats->is_estimate || memory->totals.late_events > 0;
	stats->folded_sites = memory->folded.allocations;
	store_reachability(&all, profile->reachable.is_searched ? &profile->reachable.total : NULL);
	memcpy((unsigned char *)stats + offsetof(mprof_memory_stats, unreachable),
	       (const unsigned char *)&all + offsetof(mprof_memory_site, unreachable), REACHABILITY_SIZE);
}

static size_t count_memory_sites(const mprof_profile *profile)
{
	return memory_site_count(&profile->memory);
}

static void store_memory_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_site *site = row;
	const memory_site *found;

	site->is_folded = index == profile->memory.state.site_count;
	found = site->is_folded ? &profile->memory.state.sums.folded : &profile->memory.state.sites[index];
	site->stack = found->stack;
	site->allocations = found->allocations;
	site->bytes = found->bytes;
	site->frees = found->frees;
	site->live = found->live;
	site->live_bytes = found->live_bytes;
	memory_site_get_peak(&profile->memory, found, &site->peak_live, &site->peak_bytes);
	site->temporaries = found->temporaries;
	site->lifetime_ns = profile_clock_sum(&profile->clock, found->lifetimes);
	site->shortest_ns = profile_clock_sum(&profile->clock, found->shortest);
	site->longest_ns = profile_clock_sum(&profile->clock, found->longest);
	store_reachability(site, !profile->reachable.is_searched ? NULL
				 : site->is_folded               ? &profile->reachable.folded
								 : reachability_of_site(&profile->reachable, index));
}

static size_t count_memory_blocks(const mprof_profile *profile)
{
	return profile->reachable.block_count;
}

static void store_memory_block(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_block *block = row;
	const live_block *found = &profile->reachable.blocks[index];

	block->address = address_spaces_find(&profile->addresses, found->block.address, &block->process);
	block->size = found->block.size;
	block->time_ns = profile_clock_time(&profile->clock, found->block.counter);
	block->stack = found->stack;
	block->reachability = found->reachability;
}

static size_t count_memory_sizes(const mprof_profile *profile)
{
	size_t count = MEMORY_SIZE_CLASSES;

	while (count > 0 && profile->memory.state.sums.sizes[count - 1].allocations == 0)
		count--;
	return count;
}

static void store_memory_size(const mprof_profile *profile, size_t index, void *row)
{
	mprof_memory_size *size = row;

	if (index > 0) {
		size->smallest = UINT64_C(1) << (index - 1);
		size->largest = size->smallest + (size->smallest - 1);
	}
	size->allocations = profile->memory.state.sums.sizes[index].allocations;
	size->bytes = profile->memory.state.sums.sizes[index].bytes;
}

static size_t count_threads(const mprof_profile *profile)
{
	return profile->threads.count;
}

static void store_thread_stats(const mprof_profile *profile, size_t index, void *row)
{
	mprof_thread_stats *stats = row;
	const thread_record *record = &profile->threads.records[index];
	const mprof_timeline_record *described;

	stats->id = record->id;
	stats->name = record->name;
	stats->names = record->names;
	stats->former_name = record->former_name;
	stats->events = record->events;
	stats->self_ns = profile_clock_duration(&profile->clock, record->self + record->extension);
	stats->lost = record->lost;
	stats->samples = record->samples;
	stats->wall_ns = record->metrics[THREAD_WALL_TIME];
	stats->cpu_ns = record->metrics[THREAD_CPU_TIME];
	stats->ready_ns = record->metrics[THREAD_READY_TIME];
	stats->voluntary_switches = record->metrics[THREAD_YIELDS];
	stats->involuntary_switches = record->metrics[THREAD_PREEMPTIONS];
	described = descriptions_find_thread(&profile->described, record->id);
	if (described == NULL)
		return;
	stats->process = described->process;
	stats->kind = described->kind;
	if (described->name != NULL && described->name[0] != '\0')
		stats->name = described->name;
}

static size_t count_monitors(const mprof_profile *profile)
{
	return profile->monitors.records.count;
}

static void store_monitor(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_stats *stats = row;
	const monitor_record *record = record_table_at(&profile->monitors.records, index);

	stats->class_id = record->class_id;
	stats->contentions = record->contentions;
	stats->acquired = record->acquired;
	stats->failures = record->failures;
	stats->contended_ns = profile_clock_duration(&profile->clock, record->contended);
	stats->unfinished = record->unfinished;
}

static size_t count_monitor_sites(const mprof_profile *profile)
{
	return profile->monitors.sites.count;
}

static void store_monitor_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_site *site = row;
	const site_record *record = &profile->monitors.sites.records[index];

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->contentions = record->count;
	site->contended_ns = profile_clock_duration(&profile->clock, record->value);
	site->failures = record->more;
	site->unfinished = record->unfinished;
	site->object = record->key.other;
	site->call = record->key.call;
}

static size_t count_monitor_holders(const mprof_profile *profile)
{
	return profile->monitors.holders.count;
}

static void store_monitor_holder(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_holder *holder = row;
	const site_record *record = &profile->monitors.holders.records[index];

	holder->class_id = record->key.class_id;
	holder->thread = record->key.other;
	holder->contentions = record->count;
	holder->contended_ns = profile_clock_duration(&profile->clock, record->value);
	holder->unfinished = record->unfinished;
}

static size_t count_collections(const mprof_profile *profile)
{
	return profile->collections.count;
}

static void store_collection(const mprof_profile *profile, size_t index, void *row)
{
	mprof_collection *collection = row;
	const collection_record *record = &profile->collections.records[index];
	const collection_note *note = collection_notes_find(&profile->meanings.collections, record->number);

	collection->number = record->number;
	collection->generation = record->generation;
	collection->unfinished = !record->is_finished;
	collection->start_ns = profile_clock_time(&profile->clock, record->start);
	collection->duration_ns = profile_clock_duration(&profile->clock, record->duration);
	collection->mark_ns = profile_clock_duration(&profile->clock, record->mark);
	collection->sweep_ns = profile_clock_duration(&profile->clock, record->sweep);
	collection->is_counted = (uint32_t)record->is_counted;
	collection->has_pause = record->has_stop;
	collection->pause_ns = profile_clock_duration(&profile->clock, record->pause);
	if (note == NULL)
		return;
	collection->name = note->name;
	collection->cause = note->cause;
	collection->pinned_objects = note->pinned_objects;
	collection->pinned_bytes = note->pinned_bytes;
	/* Stops of the world are measured; phases state it where a log has no stops. */
	if (!record->has_stop && note->has_phases) {
		collection->has_pause = 1;
		collection->pause_ns = profile_clock_duration(&profile->clock, note->pause);
	}
}

static size_t count_heap_resizes(const mprof_profile *profile)
{
	return profile->collections.resize_count;
}

static void store_heap_resize(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_resize *resize = row;
	const heap_resize_record *record = &profile->collections.resizes[index];

	resize->time_ns = profile_clock_time(&profile->clock, record->counter);
	resize->bytes = record->bytes;
	resize->number = record->number;
}

static size_t count_elements(const mprof_profile *profile)
{
	return profile->lists.code_units.count;
}

static void store_element(const mprof_profile *profile, size_t index, void *row)
{
	mprof_element_stats *stats = row;
	uint64_t load;
	const code_unit_record *record = &profile->lists.code_units.records[index];

	load = record->load_end - record->load_start;
	stats->kind = record->kind;
	stats->id = record->id;
	stats->name = record->name;
	stats->assembly = record->assembly;
	stats->loaded_ns = profile_clock_time(&profile->clock, record->load_end);
	stats->load_ns = (int64_t)load > 0 ? profile_clock_duration(&profile->clock, load) : 0;
	stats->unloaded_ns = record->is_unloaded ? profile_clock_time(&profile->clock, record->unload_end) : 0;
}

static size_t count_marks(const mprof_profile *profile)
{
	return profile->lists.marks.count;
}

static void store_mark(const mprof_profile *profile, size_t index, void *row)
{
	mprof_mark *mark = row;
	const mark_record *record = &profile->lists.marks.records[index];

	mark->time_ns = profile_clock_time(&profile->clock, record->counter);
	mark->thread = record->thread;
	mark->text = record->text;
}

static size_t count_properties(const mprof_profile *profile)
{
	return profile->lists.properties.count;
}

static void store_property(const mprof_profile *profile, size_t index, void *row)
{
	mprof_profile_property *property = row;

	property->key = profile->lists.properties.items[index].key;
	property->value = profile->lists.properties.items[index].value;
}

static size_t count_pauses(const mprof_profile *profile)
{
	return profile->pauses.count;
}

static void store_pause(const mprof_profile *profile, size_t index, void *row)
{
	mprof_pause *pause = row;
	const pause_record *record = &profile->pauses.records[index];
	int64_t length = (int64_t)(record->end - record->start);

	pause->kind = record->kind;
	pause->unfinished = record->is_unfinished;
	pause->start_ns = profile_clock_time(&profile->clock, record->start);
	pause->duration_ns = length > 0 ? profile_clock_duration(&profile->clock, (uint64_t)length) : 0;
	pause->thread = record->thread;
	pause->number = record->number;
	pause->generation = record->generation;
	pause->has_collection = record->has_collection;
	pause->object = record->object;
	pause->holder = record->holder;
	pause->class_id = record->class_id;
	pause->stack = record->stack;
}

static void store_timeline(const mprof_profile *profile, size_t index, void *row)
{
	mprof_timeline *timeline = row;

	(void)index;
	if (profile->timeline.limit == 0 || !profile->timeline.has_origin)
		return;
	timeline->start_ns = profile_clock_time(&profile->clock, profile->timeline.origin);
	timeline->slice_ns = profile_clock_duration(&profile->clock, profile->timeline.width);
	timeline->slice_count = profile->pauses.slice_count;
	timeline->left_out = profile->timeline.left_out;
}

static void estimate_allocations(const mprof_profile *profile, mprof_profile_totals *totals)
{
	const allocation_estimate *whole = &profile->estimates.whole;

	totals->allocations = profile_count_allocations(profile);
	totals->allocation_samples = whole->samples;
	totals->allocations_error = allocation_estimate_error(whole->objects_variance);
	totals->bytes_error = allocation_estimate_error(whole->bytes_variance);
}

static void sum_threads(const mprof_profile *profile, mprof_profile_totals *totals)
{
	uint64_t self = 0;

	totals->unclosed_frames = profile->calls.unclosed_frames;
	/* What is open at the end of the log belongs to the window that has the end. */
	if (profile->window_has_end)
		totals->unclosed_frames += thread_table_open_frames(&profile->threads, &profile->calls);
	for (size_t i = 0; i < profile->threads.count; i++)
		self += profile->threads.records[i].self + profile->threads.records[i].extension;
	totals->method_ns = profile_clock_duration(&profile->clock, self);
}

static void store_totals(const mprof_profile *profile, size_t index, void *row)
{
	mprof_profile_totals *totals = row;

	(void)index;
	*totals = profile->totals;
	totals->jit_ns = profile_clock_duration(&profile->clock, profile->totals.jit_ns);
	totals->calls = totals->event_counts[MPROF_EVENT_METHOD_ENTER];
	estimate_allocations(profile, totals);
	totals->exceptions = totals->event_counts[MPROF_EVENT_EXCEPTION];
	totals->collections = totals->event_counts[MPROF_EVENT_GC_START];
	totals->gc_ns = profile_clock_duration(&profile->clock, profile->collections.time);
	totals->unmatched_leaves = profile->calls.unmatched_leaves;
	totals->interrupted_frames = profile->calls.interrupted_frames;
	totals->freed_objects = profile->heap_snapshots.freed;
	totals->freed_bytes = profile->heap_snapshots.freed_bytes;
	totals->moved_objects = profile->heap_snapshots.moved;
	totals->handles_alive = profile->lists.handles.alive;
	totals->contentions = profile->monitors.contentions;
	totals->contended_ns = profile_clock_duration(&profile->clock, profile->monitors.contended);
	totals->unfinished_waits = profile->monitors.unfinished;
	totals->finalizers = profile->finalizers.count;
	totals->finalizer_ns = profile_clock_duration(&profile->clock, profile->finalizers.time);
	totals->finalizations = profile->finalizers.runs;
	totals->finalization_ns = profile_clock_duration(&profile->clock, profile->finalizers.run_time);
	totals->folded_calls = profile->calls.folded_calls;
	totals->sample_period_ns = profile->weights.unit;
	totals->folded_samples =
		profile->samples.tree.nodes[CALL_TREE_ROOT].self + profile->samples.tree.shown[CALL_TREE_ROOT].self;
	totals->folded_sites += profile->lists.handles.folded + profile->monitors.folded +
				profile->memory.state.sums.folded.allocations + profile->event_types.folded;
	totals->left_out += profile->calls.left_out;
	totals->left_out_spans = profile->event_types.spans.left_out;
	totals->limited = profile->is_limited || totals->folded_calls > 0 || totals->folded_samples > 0 ||
			  totals->folded_sites > 0 || profile->memory.state.sums.totals.untracked > 0 ||
			  profile->ages.state.sums.counts.untracked > 0 || profile->ages.lacks_classes ||
			  profile->ages.state.sums.folded.amounts[AGE_ALLOCATED].objects > 0 ||
			  profile->calls.durations.left_out > 0 || profile->event_types.durations.left_out > 0 ||
			  profile->event_types.waits.durations.left_out > 0 || totals->left_out > 0;
	sum_threads(profile, totals);
}

static const profile_table tables[] = {
	PROFILE_TABLE(METHODS, mprof_method_stats, count_methods, store_method),
	PROFILE_TABLE(SAMPLES, mprof_sample_stats, count_samples, store_sample_stats),
	PROFILE_TABLE(CLASSES, mprof_class_stats, count_classes, store_class),
	PROFILE_TABLE(THREADS, mprof_thread_stats, count_threads, store_thread_stats),
	PROFILE_TABLE(MONITORS, mprof_monitor_stats, count_monitors, store_monitor),
	PROFILE_TABLE(ALLOCATION_SITES, mprof_allocation_site, count_allocation_sites, store_allocation_site),
	PROFILE_TABLE(MONITOR_SITES, mprof_monitor_site, count_monitor_sites, store_monitor_site),
	PROFILE_TABLE(TOTALS, mprof_profile_totals, count_one, store_totals),
	PROFILE_TABLE(CALLS, mprof_call_stats, count_calls, store_call),
	PROFILE_TABLE(METHOD_CODES, mprof_method_code, count_method_codes, store_code),
	PROFILE_TABLE(DURATIONS, mprof_call_durations, count_durations, store_durations),
	PROFILE_TABLE(SAMPLE_NODES, mprof_sample_node, count_sample_nodes, store_sample_node),
	PROFILE_TABLE(EXCEPTION_SITES, mprof_exception_site, count_exception_sites, store_exception_site),
	PROFILE_TABLE(EXCEPTION_CLAUSES, mprof_exception_clause, count_exception_clauses, store_exception_clause),
	PROFILE_TABLE(HEAP_SHOTS, mprof_heap_shot, count_heap_shots, store_heap_shot),
	PROFILE_TABLE(HEAP_SUMMARIES, mprof_heap_summary, count_heap_summaries, store_heap_summary),
	PROFILE_TABLE(HANDLES, mprof_handle_stats, count_handles, store_handle),
	PROFILE_TABLE(HANDLE_SITES, mprof_handle_site, count_handle_sites, store_handle_site),
	PROFILE_TABLE(FINALIZERS, mprof_finalizer_stats, count_finalizers, store_finalizer),
	PROFILE_TABLE(AGES, mprof_age_stats, count_one, store_ages),
	PROFILE_TABLE(AGE_CLASSES, mprof_age_class, count_age_classes, store_age_class),
	PROFILE_TABLE(AGE_SITES, mprof_age_site, count_age_sites, store_age_site),
	PROFILE_TABLE(HEAP_CHANGES, mprof_heap_change_entry, count_heap_changes, store_heap_change),
	PROFILE_TABLE(TRACED_ADDRESSES, mprof_traced_address, count_traced_addresses, store_address),
	PROFILE_TABLE(MEMORY, mprof_memory_stats, count_one, store_memory),
	PROFILE_TABLE(MEMORY_SITES, mprof_memory_site, count_memory_sites, store_memory_site),
	PROFILE_TABLE(MEMORY_BLOCKS, mprof_memory_block, count_memory_blocks, store_memory_block),
	PROFILE_TABLE(MEMORY_SIZES, mprof_memory_size, count_memory_sizes, store_memory_size),
	PROFILE_TABLE(COLLECTIONS, mprof_collection, count_collections, store_collection),
	PROFILE_TABLE(HEAP_RESIZES, mprof_heap_resize, count_heap_resizes, store_heap_resize),
	PROFILE_TABLE(MONITOR_HOLDERS, mprof_monitor_holder, count_monitor_holders, store_monitor_holder),
	PROFILE_TABLE(MARKS, mprof_mark, count_marks, store_mark),
	PROFILE_TABLE(PROPERTIES, mprof_profile_property, count_properties, store_property),
	PROFILE_TABLE(ELEMENTS, mprof_element_stats, count_elements, store_element),
	PROFILE_TABLE(PAUSES, mprof_pause, count_pauses, store_pause),
	PROFILE_TABLE(TIMELINE, mprof_timeline, count_one, store_timeline),
	PROFILE_TABLE(EVENT_TYPES, mprof_event_type_stats, count_event_types, store_event_type),
	PROFILE_TABLE(SPANS, mprof_span, count_spans, store_span),
	PROFILE_TABLE(LINES, mprof_line_stats, count_lines, store_line),
};

typedef union row_buffer {
	max_align_t alignment;
	unsigned char bytes[MAX_ROW_SIZE];
} row_buffer;

/* NULL if there is no table of the number. */
static const profile_table *find_table(uint32_t table)
{
	return table >= 1 && table <= sizeof(tables) / sizeof(tables[0]) && tables[table - 1].count != NULL
		       ? &tables[table - 1]
		       : description_rows_find(table);
}

size_t mprof_profile_get_row_count(const mprof_profile *profile, uint32_t table)
{
	const profile_table *found = find_table(table);

	return profile != NULL && found != NULL ? found->count(profile) : 0;
}

static mprof_status get_row(const profile_table *table, const mprof_profile *profile, size_t index, void *input)
{
	row_buffer row;

	memset(row.bytes, 0, table->row_size);
	table->store(profile, index, row.bytes);
	return struct_copy_out(input, row.bytes, table->row_size);
}

mprof_status mprof_profile_get_row(const mprof_profile *profile, uint32_t table, size_t index, void *row)
{
	const profile_table *found = find_table(table);

	if (profile == NULL || found == NULL || row == NULL || index >= found->count(profile))
		return MPROF_ERR_ARGUMENT;
	return get_row(found, profile, index, row);
}

mprof_status mprof_profile_get_rows(const mprof_profile *profile, uint32_t table, size_t first, void *rows,
				    size_t row_size, size_t capacity, size_t *count)
{
	const profile_table *found = find_table(table);
	unsigned char *input = rows;
	size_t total;
	size_t available;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (profile == NULL || found == NULL || (rows == NULL && capacity > 0) || row_size < sizeof(row_size))
		return MPROF_ERR_ARGUMENT;
	total = found->count(profile);
	if (first > total)
		return MPROF_ERR_ARGUMENT;
	available = total - first < capacity ? total - first : capacity;
	for (size_t i = 0; i < available; i++, input += row_size) {
		memcpy(input, &row_size, sizeof(row_size));
		(void)get_row(found, profile, first + i, input);
	}
	*count = available;
	return MPROF_OK;
}
