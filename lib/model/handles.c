/* SPDX-License-Identifier: MIT */
/* Counts handles by class and by call stack, and determines which of them exist. */
#include "model/handles.h"

#include "base/array.h"

#include <string.h>

void handles_init(handle_list *all, memory_budget *budget)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_map_init(&all->numbers, &budget->allocator);
	site_table_init(&all->by_class, &budget->allocator);
	site_table_init(&all->by_stack, &budget->paths);
}

void handles_destroy(handle_list *all)
{
	allocator_release(&all->numbers.index.allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->numbers);
	site_table_destroy(&all->by_class);
	site_table_destroy(&all->by_stack);
}

/* The record of a handle. A new record has the counter of the event, which is therefore the latest. */
static handle_record *record_of(handle_list *all, const mprof_event *event, uint32_t type)
{
	uint64_t key = event->value << 2 | type;
	const uint64_t *number = hash_map_get(&all->numbers, key);
	void *records = all->records;
	handle_record *record;

	if (number != NULL)
		return &all->records[*number];
	if (!array_reserve(&all->numbers.index.allocator, &records, &all->capacity, all->count + 1,
			   sizeof(*all->records)))
		return NULL;
	all->records = records;
	if (!hash_map_put(&all->numbers, key, all->count))
		return NULL;
	record = &all->records[all->count++];
	record->counter = event->counter;
	record->by_class = SITE_TABLE_NONE;
	record->by_stack = SITE_TABLE_NONE;
	return record;
}

static void remove_from_sites(handle_list *all, handle_record *record)
{
	if (record->by_class == SITE_TABLE_NONE)
		return;
	all->by_class.records[record->by_class].value--;
	if (record->by_stack != SITE_TABLE_NONE)
		all->by_stack.records[record->by_stack].value--;
	all->alive--;
	record->by_class = SITE_TABLE_NONE;
	record->by_stack = SITE_TABLE_NONE;
}

int handles_add(handle_list *all, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t type = detail != NULL ? detail->handle_type & 3 : MPROF_HANDLE_NORMAL;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	int is_creation = event->kind == MPROF_EVENT_HANDLE_CREATED;
	size_t by_class = SITE_TABLE_NONE;
	size_t by_stack = SITE_TABLE_NONE;
	handle_record *record;

	if (is_creation) {
		const site_key of_class = {.class_id = event->id, .detail = type};
		const site_key of_stack = {.class_id = event->id, .stack = stack, .detail = type};

		by_class = site_table_get(&all->by_class, &of_class);
		if (by_class == SITE_TABLE_NONE)
			return 0;
		/* If there is no memory for the call site, the handle is counted by class alone. */
		by_stack = site_table_get(&all->by_stack, &of_stack);
		if (by_stack == SITE_TABLE_NONE && !memory_budget_is_exceeded(all->budget))
			return 0;
	}
	record = record_of(all, event, type);
	if (record == NULL)
		return 0;
	if (is_creation) {
		all->by_class.records[by_class].count++;
		if (by_stack != SITE_TABLE_NONE)
			all->by_stack.records[by_stack].count++;
		else
			all->folded++;
	}
	if ((int64_t)(event->counter - record->counter) < 0)
		return 1;
	record->counter = event->counter;
	remove_from_sites(all, record);
	if (is_creation) {
		all->by_class.records[by_class].value++;
		if (by_stack != SITE_TABLE_NONE)
			all->by_stack.records[by_stack].value++;
		all->alive++;
		record->by_class = by_class;
		record->by_stack = by_stack;
	}
	return 1;
}
