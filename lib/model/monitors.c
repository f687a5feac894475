/* SPDX-License-Identifier: MIT */
#include "model/monitors.h"

#include <string.h>

void monitors_init(monitor_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	record_table_init(&all->records, allocator, sizeof(monitor_record));
	site_table_init(&all->sites, allocator);
}

void monitors_destroy(monitor_list *all)
{
	record_table_destroy(&all->records);
	site_table_destroy(&all->sites);
}

static int begin_wait(monitor_list *all, monitor_record *record, monitor_wait *wait, const mprof_event *event,
		      uint64_t counter)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	size_t site = site_table_get(&all->sites, event->id, stack, 0);

	if (site == SITE_TABLE_NONE)
		return 0;
	all->sites.records[site].count++;
	all->contentions++;
	record->contentions++;
	wait->is_waiting = 1;
	wait->class_id = event->id;
	wait->stack = stack;
	wait->object = detail != NULL ? detail->object : 0;
	wait->start = counter;
	return 1;
}

/* A wait for one object does not end with what becomes of another. */
static int end_wait(monitor_list *all, monitor_record *record, monitor_wait *wait, const mprof_event *event,
		    uint64_t counter)
{
	uint64_t object = event->more.detail != NULL ? event->more.detail->object : 0;
	int64_t waited = (int64_t)(counter - wait->start);
	size_t site;

	if (!wait->is_waiting || wait->object != object || wait->class_id != event->id)
		return 1;
	site = site_table_get(&all->sites, wait->class_id, wait->stack, 0);
	if (site == SITE_TABLE_NONE)
		return 0;
	wait->is_waiting = 0;
	if (waited > 0) {
		all->sites.records[site].value += (uint64_t)waited;
		all->contended += (uint64_t)waited;
		record->contended += (uint64_t)waited;
	}
	return 1;
}

int monitors_add(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint64_t counter)
{
	monitor_record *record = record_table_get(&all->records, event->id);

	if (record == NULL)
		return 0;
	switch (event->value) {
	case MPROF_MONITOR_CONTENDED:
		return begin_wait(all, record, wait, event, counter);
	case MPROF_MONITOR_ACQUIRED:
		record->acquired++;
		return end_wait(all, record, wait, event, counter);
	case MPROF_MONITOR_FAILED:
		record->failures++;
		return end_wait(all, record, wait, event, counter);
	default:
		return 1;
	}
}
