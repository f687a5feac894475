/* SPDX-License-Identifier: MIT */
/* The targets of samples and their callers. */
#include "oracle.h"

#include <mprof/profile.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums of a target. */
enum { HIT_COUNT, HIT_CALLERS, HIT_CALLEES };

/* The key of a target: an #mprof_sample_kind above an ID. All targets outside every region of memory share one key. */
#define HIT_KEY(kind, id) ((uint64_t)(kind) << 32 | (id))

typedef struct hit_state {
	name_table functions; /* named::class_id is the ID of the region. */
	name_table
		repeated; /* By the ID of a function: named::class_id is that of the first one of its name; 0: it is. */
	name_table regions;
	fact_table items;
	fact_table callers; /* Number of calls by item and its caller. */
	fact_table callees;
	int is_in_chain; /* Whether the decoder is inside a chain. */
	size_t missing;
	uint64_t latest; /* 0 if none. */
} hit_state;

static hit_state *state(oracle *all)
{
	all->hits = room_once(all->hits, sizeof(*all->hits));
	return all->hits;
}

static const char *region_name(hit_state *hits, uint32_t id)
{
	const char *name = id != 0 ? names_get(&hits->regions, id)->name : NULL;

	return name != NULL ? name : "";
}

/* The ID of another function that was defined with the same name and in the same file; 0 if there is none. */
static uint32_t find_function(hit_state *hits, const mprof_record *record)
{
	const char *region = region_name(hits, record->as.function.module);

	for (uint32_t id = 0; id < hits->functions.count; id++) {
		const named *function = &hits->functions.entries[id];

		if (id != record->id && function->name != NULL &&
		    strcmp(function->name, record->as.function.name) == 0 &&
		    strcmp(region_name(hits, function->class_id), region) == 0)
			return id;
	}
	return 0;
}

static void define_function(oracle *all, const mprof_record *record)
{
	hit_state *hits = state(all);
	uint32_t first = has_fault(all, FAULT_REPEATED_FUNCTIONS) ? 0 : find_function(hits, record);

	if (first != 0)
		names_get(&hits->repeated, record->id)->class_id = first;
	else
		names_define(&hits->functions, record->id, record->as.function.module, record->as.function.name);
}

void hits_define(oracle *all, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_FUNCTION)
		define_function(all, record);
	else if (!record->as.module.is_removed)
		names_define(&state(all)->regions, record->id, 0, record->as.module.file);
}

static uint64_t key_of_function(hit_state *hits, uint32_t id)
{
	uint32_t first = names_get(&hits->repeated, id)->class_id;

	return HIT_KEY(MPROF_SAMPLE_FUNCTION, first != 0 ? first : id);
}

static uint64_t key_of(hit_state *hits, const mprof_event *frame)
{
	if (!(frame->flags & MPROF_EVENT_FLAG_NATIVE))
		return HIT_KEY(MPROF_SAMPLE_METHOD, frame->id);
	if (frame->id == 0)
		return HIT_KEY(MPROF_SAMPLE_LOCATION, 0);
	if (frame->flags & MPROF_EVENT_FLAG_IN_MODULE)
		return HIT_KEY(MPROF_SAMPLE_MODULE, frame->id);
	return key_of_function(hits, frame->id);
}

static void add_call(hit_state *hits, uint64_t callee, uint64_t caller)
{
	facts_get(&hits->callers, callee, caller, 0)->sums[0]++;
	facts_get(&hits->callees, caller, callee, 0)->sums[0]++;
}

/* Processes a frame as the decoder does, in the order of the log: only the last frame of a chain is counted. */
static void add_frame(hit_state *hits, uint64_t item)
{
	if (!hits->is_in_chain || hits->missing == 0)
		facts_get(&hits->items, item, 0, 0)->sums[HIT_COUNT]++;
	if (!hits->is_in_chain)
		return;
	if (hits->latest != 0)
		add_call(hits, hits->latest, item);
	hits->latest = item;
	hits->is_in_chain = hits->missing > 0;
	hits->missing -= hits->missing > 0;
}

/* A chain begins with the number of its callers: in unity before all of its frames, in mono before the callers. */
static void add_chain(oracle *all, hit_state *hits, const mprof_event *frames, size_t count)
{
	int is_unity = all->dialect == MPROF_DIALECT_UNITY;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 ? is_unity : i == 1 && !is_unity) {
			hits->is_in_chain = 1;
			hits->missing = count - 1;
			hits->latest = 0;
		}
		if (frames[i].id != 0 || (frames[i].flags & MPROF_EVENT_FLAG_NATIVE) ||
		    !has_fault(all, FAULT_UNKNOWN_METHODS))
			add_frame(hits, key_of(hits, &frames[i]));
	}
}

void hits_add(oracle *all, const mprof_event *frames, size_t count)
{
	hit_state *hits = state(all);

	if (has_fault(all, FAULT_CHAINS)) {
		add_chain(all, hits, frames, count);
		return;
	}
	if (frames[0].id != 0 || (frames[0].flags & MPROF_EVENT_FLAG_NATIVE) || !has_fault(all, FAULT_UNKNOWN_METHODS))
		facts_get(&hits->items, key_of(hits, &frames[0]), 0, 0)->sums[HIT_COUNT]++;
	for (size_t i = 1; i < count; i++)
		add_call(hits, key_of(hits, &frames[i - 1]), key_of(hits, &frames[i]));
}

static int by_hits(const void *left, const void *right)
{
	const uint64_t *a = ((const fact *)left)->sums;
	const uint64_t *b = ((const fact *)right)->sums;
	int order = order_numbers(a[HIT_COUNT], b[HIT_COUNT]);

	if (order != 0 || a[HIT_CALLERS] + a[HIT_CALLEES] == 0 || b[HIT_CALLERS] + b[HIT_CALLEES] == 0)
		return order;
	order = order_numbers(a[HIT_CALLERS], b[HIT_CALLERS]);
	return order != 0 ? order : order_numbers(a[HIT_CALLEES], b[HIT_CALLEES]);
}

static int by_key(const void *left, const void *right)
{
	return order_numbers(((const fact *)left)->key[0], ((const fact *)right)->key[0]);
}

/* Of items with equally many hits, those without calls come last. */
static int by_rest(const void *left, const void *right)
{
	const uint64_t *a = ((const fact *)left)->sums;
	const uint64_t *b = ((const fact *)right)->sums;
	int order = order_numbers(b[HIT_CALLERS], a[HIT_CALLERS]);

	order = order != 0 ? order : order_numbers(b[HIT_CALLEES], a[HIT_CALLEES]);
	return order != 0 ? order : by_key(left, right);
}

static void print_item(oracle *all, uint64_t item)
{
	uint32_t id = (uint32_t)item;
	const named *function;

	switch (item >> 32) {
	case MPROF_SAMPLE_METHOD:
		print_method(all, id);
		break;
	case MPROF_SAMPLE_FUNCTION:
		function = names_get(&all->hits->functions, id);
		printf("[%s]%s", region_name(all->hits, function->class_id), function->name);
		break;
	case MPROF_SAMPLE_MODULE:
		printf("[%s](UNKNOWN)", region_name(all->hits, id));
		break;
	default:
		fputs("[UNKNOWN MEMORY REGION]", stdout);
	}
}

static void print_calls(oracle *all, fact_table *table, uint64_t item, const char *direction)
{
	size_t count;
	const fact **calls = facts_of(table, item, &count);

	sort_items(all, calls, count, order_sums, 1, order_parts);
	for (size_t i = 0; i < count; i++) {
		printf("    %" PRIu64 " calls %s ", calls[i]->sums[0], direction);
		print_item(all, calls[i]->key[1]);
		putchar('\n');
	}
}

static void meet_all(fact_table *items, uint32_t kind, const name_table *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (names->entries[i].name != NULL)
			facts_find(items, HIT_KEY(kind, i), 0, 0);
	}
}

/* All targets, in the decoder's order before it sorts them. The caller frees them. */
static const fact **gather_items(oracle *all, uint64_t *hit_count)
{
	hit_state *hits = all->hits;
	fact_table *items = &hits->items;
	size_t capacity = 0;
	const fact **gathered;

	meet_all(items, MPROF_SAMPLE_METHOD, &all->methods);
	meet_all(items, MPROF_SAMPLE_FUNCTION, &hits->functions);
	meet_all(items, MPROF_SAMPLE_MODULE, &hits->regions);
	facts_find(items, HIT_KEY(MPROF_SAMPLE_LOCATION, 0), 0, 0);
	for (size_t i = 0; i < hits->callers.count; i++) {
		facts_get(items, hits->callers.rows[i].key[0], 0, 0)->sums[HIT_CALLERS]++;
		facts_get(items, hits->callees.rows[i].key[0], 0, 0)->sums[HIT_CALLEES]++;
	}
	gathered = room_for(NULL, items->count, &capacity, sizeof(*gathered));
	*hit_count = 0;
	for (size_t i = 0; i < items->count; i++) {
		gathered[i] = &items->rows[i];
		*hit_count += gathered[i]->sums[HIT_COUNT];
	}
	sort_items(all, gathered, items->count, by_key, 0, by_key);
	return gathered;
}

static void print_items(oracle *all, const fact **items, uint64_t hit_count)
{
	hit_state *hits = all->hits;

	print_separator();
	printf("Reporting statistical hits (%" PRIu64 " hits recorded)\n", hit_count);
	sort_items(all, items, hits->items.count, by_hits, 1, by_rest);
	for (size_t i = 0; i < hits->items.count; i++) {
		const uint64_t *sums = items[i]->sums;

		if (sums[HIT_COUNT] + sums[HIT_CALLERS] + sums[HIT_CALLEES] == 0)
			continue;
		print_percent((double)sums[HIT_COUNT], (double)hit_count);
		printf(" (%" PRIu64 ") ", sums[HIT_COUNT]);
		print_item(all, items[i]->key[0]);
		putchar('\n');
		print_calls(all, &hits->callers, items[i]->key[0], "from");
		print_calls(all, &hits->callees, items[i]->key[0], "to");
	}
}

void hits_print(oracle *all)
{
	hit_state *hits = state(all);
	uint64_t hit_count;
	const fact **items = gather_items(all, &hit_count);

	if (hit_count > 0 && has_section(all, MPROF_INTRO_FLAG_STATISTICAL, hit_count))
		print_items(all, items, hit_count);
	else if (has_section(all, MPROF_INTRO_FLAG_STATISTICAL, hit_count))
		printf("No statistical hits reported (on %zu items)\n", hits->items.count);
	free(items);
}

void hits_release(oracle *all)
{
	hit_state *hits = state(all);

	names_release(&hits->functions);
	names_release(&hits->repeated);
	names_release(&hits->regions);
	facts_release(&hits->items);
	facts_release(&hits->callers);
	facts_release(&hits->callees);
	free(hits);
}
