/* SPDX-License-Identifier: MIT */
/* Finds the values of counters of what is alive. */
#include "export/live_counters.h"

#include "common/elements.h"
#include "report/filters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Actions that are kept, of 48 bytes each. */
#define MAX_ACTIONS ((size_t)1 << 23)

/*
 * The counters of two processors may differ slightly: an address may seem to be allocated again before it was freed,
 * and the free is then among the next actions. This is the rule of the profile (lib/model/records/memory.c), with which
 * tests/exports/test_random_memory.sh compares this replay.
 */
#define LOOK_AHEAD 64

/* Nanoseconds between two values of a counter of native memory. */
#define MEMORY_INTERVAL 100000

#define NAME_SIZE 512

typedef enum action_kind {
	ACTION_FREE,
	ACTION_MOVE, /* A resize starts: other memory may get the address, but the block still exists. */
	ACTION_ALLOCATE,
	ACTION_RESIZE,
	ACTION_DONE /* Applied before its turn. */
} action_kind;

typedef struct memory_action {
	uint64_t counter;
	uint64_t address; /* After the replay: the number of blocks in use. */
	uint64_t size;    /* After the replay: the bytes in use. */
	uint64_t process;
	uint64_t thread;
	uint32_t number; /* In the order of the log; those of a resize have the same. */
	uint16_t kind;
	uint16_t is_counted; /* The thread is one that is exported. */
} memory_action;

/* A block that exists. */
typedef struct live_block {
	uint64_t address;
	uint64_t size;
	uint64_t is_counted;
} live_block;

/* What a process has. */
typedef struct live_memory {
	key_map blocks;
	key_map moving; /* By number of the action. */
	uint64_t bytes;
	uint64_t count;
} live_memory;

static void keep_action(live_counters *live, const memory_action *action)
{
	if (live->count >= MAX_ACTIONS) {
		live->left_out++;
		return;
	}
	if (!elements_reserve((void **)&live->actions, &live->capacity, live->count, sizeof(*live->actions))) {
		live->has_failed = 1;
		return;
	}
	live->actions[live->count++] = *action;
}

void live_counters_add(live_counters *live, const event_walk *walk, uint64_t process, uint64_t thread,
		       const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	memory_action action = {.counter = event->counter,
				.address = event->value,
				.size = detail != NULL ? detail->size : 0,
				.process = process,
				.thread = thread,
				.number = (uint32_t)live->count,
				.is_counted = (uint16_t)filter_options_want_thread(&walk->job->options, thread)};

	switch (event->kind) {
	case MPROF_EVENT_MEMORY_ALLOCATED:
		action.kind = ACTION_ALLOCATE;
		break;
	case MPROF_EVENT_MEMORY_FREED:
		action.kind = ACTION_FREE;
		break;
	case MPROF_EVENT_MEMORY_RESIZED:
		action.kind = ACTION_RESIZE;
		keep_action(live, &action);
		action.kind = ACTION_MOVE;
		action.address = detail != NULL ? detail->object : 0;
		if (detail != NULL && detail->started != 0 && detail->started < event->counter)
			action.counter = detail->started;
		break;
	default:
		return;
	}
	keep_action(live, &action);
}

static int compare_actions(const void *one, const void *other)
{
	const memory_action *left = one;
	const memory_action *right = other;

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	if (left->counter != right->counter)
		return left->counter < right->counter ? -1 : 1;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->kind < right->kind ? -1 : left->kind > right->kind;
}

static void add_block(live_memory *memory, uint64_t size, int is_counted, int change)
{
	if (!is_counted)
		return;
	memory->bytes += change > 0 ? size : (uint64_t)0 - size;
	memory->count += change > 0 ? 1 : UINT64_MAX;
}

/* Removes the block at an address, if it is known. */
static void remove_block(live_memory *memory, key_map *blocks, uint64_t address)
{
	const live_block *block = key_map_find(blocks, address);

	if (block == NULL)
		return;
	add_block(memory, block->size, block->is_counted != 0, -1);
	key_map_remove(blocks, address);
}

/* Returns 0 if out of memory. */
static int put_block(key_map *blocks, uint64_t address, uint64_t size, uint64_t is_counted)
{
	live_block *block = key_map_put(blocks, address);

	if (block == NULL)
		return 0;
	block->size = size;
	block->is_counted = is_counted;
	return 1;
}

/* Takes a block from its address while a resize goes on. Returns 0 if out of memory. */
static int move_block(live_memory *memory, const memory_action *action)
{
	const live_block *block = key_map_find(&memory->blocks, action->address);

	if (block == NULL)
		return 1;
	if (!put_block(&memory->moving, action->number, block->size, block->is_counted))
		return 0;
	key_map_remove(&memory->blocks, action->address);
	return 1;
}

/* Applies an action that needs no room at its address. Returns 0 if out of memory. */
static int end_block(live_memory *memory, const memory_action *action)
{
	if (action->kind == ACTION_MOVE)
		return move_block(memory, action);
	remove_block(memory, &memory->blocks, action->address);
	return 1;
}

/*
 * Ends the block at an address that is allocated again. If one of the next actions frees it, that action is applied
 * now; otherwise the free is missing. Returns 0 if out of memory.
 */
static int clear_address(live_memory *memory, memory_action *action, const memory_action *end)
{
	if (key_map_find(&memory->blocks, action->address) == NULL)
		return 1;
	for (memory_action *next = action + 1; next < end && next <= action + LOOK_AHEAD; next++) {
		if (next->address != action->address || next->thread == action->thread || next->kind > ACTION_MOVE)
			continue;
		if (!end_block(memory, next))
			return 0;
		next->kind = ACTION_DONE;
		return 1;
	}
	remove_block(memory, &memory->blocks, action->address);
	return 1;
}

/* Applies an action; those after it are known up to \p end. Returns 0 if out of memory. */
static int apply_action(live_memory *memory, memory_action *action, const memory_action *end)
{
	if (action->kind == ACTION_DONE)
		return 1;
	if (action->kind <= ACTION_MOVE)
		return end_block(memory, action);
	if (action->kind == ACTION_RESIZE)
		remove_block(memory, &memory->moving, action->number);
	if (!clear_address(memory, action, end))
		return 0;
	add_block(memory, action->size, action->is_counted, 1);
	return put_block(&memory->blocks, action->address, action->size, action->is_counted);
}

/* Replays the actions of a process, and stores in each what is in use after it. Returns 0 if out of memory. */
static int replay_process(memory_action *actions, const memory_action *end)
{
	live_memory memory = {.blocks.value_size = sizeof(live_block) - sizeof(uint64_t),
			      .moving.value_size = sizeof(live_block) - sizeof(uint64_t)};
	memory_action *action = actions;

	for (; action < end && apply_action(&memory, action, end); action++) {
		action->address = memory.count;
		action->size = memory.bytes;
	}
	key_map_clear(&memory.blocks);
	key_map_clear(&memory.moving);
	return action == end;
}

/* The number of a counter. */
static uint64_t number_of(live_counters *live, uint64_t process, const char *name)
{
	char text[NAME_SIZE + 32];
	uint32_t number = 0;
	const int length = snprintf(text, sizeof(text), "%" PRIu64 " %s", process, name);

	live->has_failed |= intern_add(&live->numbers, text, (size_t)length, &number) < 0;
	return number;
}

/* Visits the values of the memory of a process, either its bytes or its blocks. */
static void visit_memory(const live_counters *live, const event_walk *walk, const live_counter *counter, size_t first,
			 size_t end, live_visit visit, void *user)
{
	uint64_t visited = 0;

	for (size_t i = first; i < end; i++) {
		const memory_action *action = &live->actions[i];
		const uint64_t time = walk_time(walk, action->counter);
		const int is_last = i + 1 == end || !walk_has_counter(walk, live->actions[i + 1].counter);

		/* A later value at the same time replaces this one. */
		if (!walk_has_counter(walk, action->counter) ||
		    (!is_last && (live->actions[i + 1].counter == action->counter ||
				  (visited > 0 && time - visited < MEMORY_INTERVAL))))
			continue;
		visit(user, counter, time, counter->is_bytes ? action->size : action->address);
		visited = time;
	}
}

static void visit_native_memory(live_counters *live, const event_walk *walk, const log_report *report, live_visit visit,
				void *user)
{
	mprof_memory_stats stats = {.struct_size = sizeof(stats)};
	const int is_estimate =
		mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY, 0, &stats) == MPROF_OK && stats.is_estimate;

	if (live->left_out > 0) {
		fprintf(stderr, "mprof: export: native memory in use was left out: the log has too many allocations\n");
		return;
	}
	if (live->count > 0)
		qsort(live->actions, live->count, sizeof(*live->actions), compare_actions);
	for (size_t first = 0, end; first < live->count; first = end) {
		live_counter counter = {.process = live->actions[first].process, .is_estimate = is_estimate};

		for (end = first; end < live->count && live->actions[end].process == counter.process; end++)
			;
		if (!replay_process(live->actions + first, live->actions + end)) {
			live->has_failed = 1;
			return;
		}
		for (counter.is_bytes = 0; counter.is_bytes <= 1; counter.is_bytes++) {
			counter.name = is_estimate && counter.is_bytes ? "Native memory in use, estimated"
				       : is_estimate                   ? "Native blocks in use, estimated"
				       : counter.is_bytes              ? "Native memory in use"
								       : "Native blocks in use";
			counter.key = counter.is_bytes ? "mprof.memory.live" : "mprof.memory.blocks";
			counter.number = number_of(live, counter.process, counter.name);
			visit_memory(live, walk, &counter, first, end, visit, user);
		}
	}
}

static int is_shown(const log_report *report, int64_t time)
{
	const time_window *window = &report->options.window;

	return !window->is_bounded ||
	       (time >= window->start_ns && (time_window_end(window) == 0 || time < window->end_ns));
}

static int has_process(const log_report *report, size_t end, uint64_t process)
{
	mprof_heap_shot shot = {.struct_size = sizeof(shot)};

	for (size_t i = 0; i < end; i++) {
		if (mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, i, &shot) == MPROF_OK &&
		    !shot.incomplete && shot.process == process)
			return 1;
	}
	return 0;
}

/* Visits the values of the process of a snapshot, which is its first one. */
static void visit_process(live_counters *live, const log_report *report, size_t first, live_counter *counter,
			  live_visit visit, void *user)
{
	mprof_heap_shot shot = {.struct_size = sizeof(shot)};

	for (size_t i = first; mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, i, &shot) == MPROF_OK;
	     i++) {
		if (shot.incomplete || shot.process != counter->process || !is_shown(report, shot.time_ns))
			continue;
		counter->number = number_of(live, counter->process, counter->name);
		visit(user, counter, shot.time_ns > 0 ? (uint64_t)shot.time_ns : 0,
		      counter->is_bytes ? shot.bytes : shot.objects);
	}
}

static void visit_snapshots(live_counters *live, const log_report *report, live_visit visit, void *user)
{
	mprof_heap_shot shot = {.struct_size = sizeof(shot)};

	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, i, &shot) == MPROF_OK; i++) {
		live_counter bytes = {.name = "Live bytes in snapshots",
				      .key = "mprof.heap.live",
				      .process = shot.process,
				      .is_bytes = 1};
		live_counter objects = {
			.name = "Live objects in snapshots", .key = "mprof.heap.objects", .process = shot.process};

		if (shot.incomplete || has_process(report, i, shot.process))
			continue;
		visit_process(live, report, i, &bytes, visit, user);
		visit_process(live, report, i, &objects, visit, user);
	}
}

/* When a collection ended. Returns 0 if that is not known. */
static int find_end(const log_report *report, uint64_t number, size_t *from, int64_t *end)
{
	mprof_collection collection = {.struct_size = sizeof(collection)};
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_COLLECTIONS);

	/* Generations are in the order of the collections, so that the search continues where it ended. */
	for (size_t i = 0; i < count; i++) {
		const size_t index = (*from + i) % count;

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, index, &collection) != MPROF_OK ||
		    collection.number != number)
			continue;
		*from = index;
		*end = collection.start_ns + (int64_t)collection.duration_ns;
		return !collection.unfinished;
	}
	return 0;
}

static int is_same_generation(const mprof_gc_generation *one, const mprof_gc_generation *other)
{
	return one->has_after && other->has_after && one->name != NULL && other->name != NULL &&
	       strcmp(one->name, other->name) == 0;
}

/* Generations have names, of which there are few. */
static void visit_generations(live_counters *live, const log_report *report, live_visit visit, void *user)
{
	const mprof_profile *profile = report->profile;
	mprof_gc_generation first = {.struct_size = sizeof(first)};
	mprof_gc_generation row = {.struct_size = sizeof(row)};
	char name[NAME_SIZE];

	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_GC_GENERATIONS, i, &first) == MPROF_OK; i++) {
		live_counter counter = {
			.name = name, .key = "mprof.heap.generation", .generation = first.name, .is_bytes = 1};
		uint64_t known;
		size_t from = 0;
		int64_t end;

		if (!first.has_after || first.name == NULL)
			continue;
		snprintf(name, sizeof(name), "Bytes after collections: %s", first.name);
		known = live->numbers.count;
		counter.number = number_of(live, 0, name);
		for (size_t j = i; counter.number >= known &&
				   mprof_profile_get_row(profile, MPROF_TABLE_GC_GENERATIONS, j, &row) == MPROF_OK;
		     j++) {
			if (is_same_generation(&first, &row) && find_end(report, row.collection, &from, &end) &&
			    is_shown(report, end))
				visit(user, &counter, end > 0 ? (uint64_t)end : 0, row.after);
		}
	}
}

void live_counters_visit(live_counters *live, const event_walk *walk, const log_report *report, live_visit visit,
			 void *user)
{
	visit_snapshots(live, report, visit, user);
	visit_generations(live, report, visit, user);
	visit_native_memory(live, walk, report, visit, user);
}

void live_counters_release(live_counters *live)
{
	free(live->actions);
	intern_release(&live->numbers);
}
