/* SPDX-License-Identifier: MIT */
/* Keeps the latest description of each process and thread, and compares the pairs of clocks. */
#include "model/records/descriptions.h"

#include "base/allocator.h"
#include "format/values/clock_conversion.h"
#include "model/records/lists.h"

#include <string.h>

void descriptions_init(descriptions *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	hash_map_init(&all->process_numbers, allocator);
	hash_map_init(&all->threads, allocator);
	hash_map_init(&all->thread_counts, allocator);
	record_table_init(&all->clocks, allocator, sizeof(described_clock));
}

void descriptions_destroy(descriptions *all)
{
	for (size_t i = 0; i < all->process_count; i++) {
		text_release(&all->allocator, (char *)(uintptr_t)all->processes[i].name);
		text_release(&all->allocator, (char *)(uintptr_t)all->processes[i].command);
	}
	for (size_t i = 0; i < all->timeline_count; i++)
		text_release(&all->allocator, (char *)(uintptr_t)all->timelines[i].name);
	for (size_t i = 0; i < all->clocks.count; i++) {
		const described_clock *clock = record_table_at(&all->clocks, i);

		text_release(&all->allocator, (char *)(uintptr_t)clock->record.name);
	}
	allocator_release(&all->allocator, all->processes, all->process_capacity * sizeof(*all->processes));
	allocator_release(&all->allocator, all->timelines, all->timeline_capacity * sizeof(*all->timelines));
	hash_map_destroy(&all->process_numbers);
	hash_map_destroy(&all->threads);
	hash_map_destroy(&all->thread_counts);
	record_table_destroy(&all->clocks);
}

/* Replaces a text by a copy of another. Returns 0, changing nothing, if there is no memory. */
static int replace_text(const descriptions *all, const char **text, const char *replacement)
{
	char *copy = text_copy(&all->allocator, replacement);

	if (copy == NULL)
		return 0;
	text_release(&all->allocator, (char *)(uintptr_t)*text);
	*text = copy;
	return 1;
}

/* The process with a number, which is added if it is new. NULL if there is no memory. */
static mprof_process_record *process_of(descriptions *all, uint64_t number)
{
	const uint64_t *index = hash_map_get(&all->process_numbers, number);
	void *processes = all->processes;
	int has_room;

	if (index != NULL)
		return &all->processes[*index];
	has_room = array_reserve(&all->allocator, &processes, &all->process_capacity, all->process_count + 1,
				 sizeof(*all->processes));
	all->processes = processes;
	if (!has_room || !hash_map_put(&all->process_numbers, number, all->process_count))
		return NULL;
	memset(&all->processes[all->process_count], 0, sizeof(*all->processes));
	all->processes[all->process_count].number = number;
	return &all->processes[all->process_count++];
}

static int add_process(descriptions *all, const mprof_process_record *record)
{
	mprof_process_record *known;

	/* No thread can belong to it. */
	if (record->number == 0)
		return 1;
	known = process_of(all, record->number);
	if (known == NULL || !replace_text(all, &known->name, record->name) ||
	    !replace_text(all, &known->command, record->command))
		return 0;
	known->system_id = record->system_id;
	known->parent = record->parent;
	known->start = record->start;
	known->end = record->end;
	return 1;
}

/* Adds to the number of threads of a process, which need not be described. Returns 0 if there is no memory. */
static int count_thread(descriptions *all, uint64_t number, uint64_t change)
{
	return number == 0 ||
	       hash_map_put(&all->thread_counts, number, descriptions_count_threads(all, number) + change);
}

static mprof_timeline_record *timeline_of(descriptions *all, uint64_t thread)
{
	const uint64_t *index = hash_map_get(&all->threads, thread);
	void *timelines = all->timelines;
	int has_room;

	if (index != NULL)
		return &all->timelines[*index];
	has_room = array_reserve(&all->allocator, &timelines, &all->timeline_capacity, all->timeline_count + 1,
				 sizeof(*all->timelines));
	all->timelines = timelines;
	if (!has_room || !hash_map_put(&all->threads, thread, all->timeline_count))
		return NULL;
	memset(&all->timelines[all->timeline_count], 0, sizeof(*all->timelines));
	return &all->timelines[all->timeline_count++];
}

static int add_timeline(descriptions *all, const mprof_timeline_record *record)
{
	mprof_timeline_record *known = timeline_of(all, record->thread);
	const char *name;

	if (known == NULL || !replace_text(all, &known->name, record->name))
		return 0;
	name = known->name;
	if (!count_thread(all, record->process, 1))
		return 0;
	/* It has an entry, so this needs no memory. */
	(void)count_thread(all, known->process, UINT64_MAX);
	*known = *record;
	known->name = name;
	return 1;
}

static int define_clock(descriptions *all, const mprof_record *record)
{
	described_clock *clock = record_table_get(&all->clocks, record->id);
	const char *name;

	/* The first definition counts. */
	if (clock == NULL || clock->is_defined)
		return clock != NULL;
	clock->id = record->id;
	name = text_copy(&all->allocator, record->as.clock.name);
	if (name == NULL)
		return 0;
	clock->record = record->as.clock;
	clock->record.name = name;
	clock->is_defined = 1;
	return 1;
}

/* By how much the pair between two others is off their line. */
static void compare_with_neighbours(described_clock *clock, const mprof_clock_pair_record *after)
{
	uint64_t counter;
	uint64_t off;

	if (!clock_interpolate(&clock->before, after, clock->last.value, &counter))
		return;
	off = counter > clock->last.counter ? counter - clock->last.counter : clock->last.counter - counter;
	clock->has_residual = 1;
	if (off > clock->residual)
		clock->residual = off;
}

static int add_pair(descriptions *all, const mprof_record *record)
{
	const mprof_clock_pair_record *pair = &record->as.clock_pair;
	described_clock *clock = record_table_get(&all->clocks, record->id);

	if (clock == NULL)
		return 0;
	clock->id = record->id;
	clock->pairs++;
	if (pair->uncertainty > clock->uncertainty)
		clock->uncertainty = pair->uncertainty;
	if (clock->in_order > 0 && (pair->value < clock->last.value || pair->counter < clock->last.counter)) {
		clock->backward++;
		clock->in_order = 0;
	}
	if (clock->in_order == 0)
		clock->first = *pair;
	if (clock->in_order >= 2)
		compare_with_neighbours(clock, pair);
	clock->before = clock->last;
	clock->last = *pair;
	clock->in_order += clock->in_order < 3;
	return 1;
}

int descriptions_add(descriptions *all, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_CLOCK:
		return define_clock(all, record);
	case MPROF_RECORD_CLOCK_PAIR:
		return add_pair(all, record);
	case MPROF_RECORD_TIMELINE:
		return add_timeline(all, &record->as.timeline);
	case MPROF_RECORD_PROCESS:
		return add_process(all, &record->as.process);
	default:
		return 1;
	}
}

const mprof_timeline_record *descriptions_find_thread(const descriptions *all, uint64_t thread)
{
	const uint64_t *index = hash_map_get(&all->threads, thread);

	return index != NULL ? &all->timelines[*index] : NULL;
}

uint64_t descriptions_count_threads(const descriptions *all, uint64_t process)
{
	const uint64_t *count = hash_map_get(&all->thread_counts, process);

	return count != NULL ? *count : 0;
}
