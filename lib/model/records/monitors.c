/* SPDX-License-Identifier: MIT */
/* Measures waits for monitors by class, by call site and by holder. */
#include "model/records/monitors.h"

#include <string.h>

void monitors_init(monitor_list *all, memory_budget *budget, int keeps_objects)
{
	memset(all, 0, sizeof(*all));
	all->keeps_objects = keeps_objects;
	all->budget = budget;
	record_table_init(&all->records, &budget->allocator, sizeof(monitor_record));
	site_table_init(&all->sites, &budget->paths);
	site_table_init(&all->holders, &budget->paths);
}

void monitors_destroy(monitor_list *all)
{
	record_table_destroy(&all->records);
	site_table_destroy(&all->sites);
	site_table_destroy(&all->holders);
}

static uint64_t object_of(const mprof_event *event)
{
	return event->more.detail != NULL ? event->more.detail->object : 0;
}

/* The number of the site that an event belongs to. */
static size_t find_site(monitor_list *all, const mprof_event *event, uint32_t call)
{
	site_key key = {.class_id = event->id};

	key.stack = event->more.detail != NULL ? event->more.detail->stack : 0;
	key.call = key.stack == 0 ? call : 0;
	key.other = all->keeps_objects ? object_of(event) : 0;
	return site_table_get(&all->sites, &key);
}

/* Adds counters and unfinished waits, both of which may be negative, to all sums that a wait belongs to. */
static void add_to_sums(monitor_list *all, const monitor_wait *wait, uint64_t counters, uint64_t unfinished)
{
	monitor_record *record = record_table_find(&all->records, wait->class_id);

	if (wait->site != SITE_TABLE_NONE) {
		all->sites.records[wait->site].value += counters;
		all->sites.records[wait->site].unfinished += unfinished;
	}
	if (wait->holder != SITE_TABLE_NONE) {
		all->holders.records[wait->holder].value += counters;
		all->holders.records[wait->holder].unfinished += unfinished;
	}
	if (record != NULL) {
		record->contended += counters;
		record->unfinished += unfinished;
	}
	all->contended += counters;
	all->unfinished += unfinished;
}

static void hide_wait(monitor_list *all, monitor_wait *wait)
{
	if (wait->is_shown)
		add_to_sums(all, wait, 0 - wait->shown_time, 0 - UINT64_C(1));
	wait->is_shown = 0;
	wait->shown_time = 0;
}

/* The time of a wait until a counter. The clocks of two threads may differ. */
static uint64_t time_until(const monitor_wait *wait, uint64_t counter)
{
	return (int64_t)(counter - wait->start) > 0 ? counter - wait->start : 0;
}

void monitors_show_wait(monitor_list *all, monitor_wait *wait, uint64_t counter)
{
	hide_wait(all, wait);
	if (!wait->is_waiting)
		return;
	wait->shown_time = time_until(wait, counter);
	wait->is_shown = wait->counts || wait->shown_time > 0;
	if (wait->is_shown)
		add_to_sums(all, wait, wait->shown_time, 1);
}

void monitors_abandon(monitor_list *all, monitor_wait *wait, uint64_t counter)
{
	monitors_show_wait(all, wait, counter);
	wait->is_waiting = 0;
	wait->is_shown = 0;
}

static void begin_wait(monitor_list *all, monitor_record *record, monitor_wait *wait, size_t site,
		       const mprof_event *event, uint32_t counts, uint64_t counter)
{
	if (site != SITE_TABLE_NONE)
		all->sites.records[site].count += counts;
	else
		all->folded += counts;
	all->contentions += counts;
	record->contentions += counts;
	hide_wait(all, wait);
	wait->is_waiting = 1;
	wait->counts = counts != 0;
	wait->site = site;
	wait->holder = SITE_TABLE_NONE;
	wait->object = object_of(event);
	wait->class_id = event->id;
	wait->start = counter;
}

int monitors_is_awaited(const monitor_wait *wait, const mprof_event *event)
{
	return wait->is_waiting && wait->object == object_of(event) && wait->class_id == event->id;
}

/*
 * Ends the wait of a thread, unless the event is about another object. The outcome counts at the call site where the
 * wait began: the call path that led there is the one of interest. Returns that site, or \p site if no wait ended.
 */
static size_t end_wait(monitor_list *all, monitor_wait *wait, size_t site, const mprof_event *event, uint64_t counter)
{
	if (!monitors_is_awaited(wait, event))
		return site;
	hide_wait(all, wait);
	wait->is_waiting = 0;
	add_to_sums(all, wait, time_until(wait, counter), 0);
	return wait->site;
}

int monitors_add(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint32_t counts, uint32_t call,
		 uint64_t counter)
{
	monitor_record *record = record_table_get(&all->records, event->id);
	size_t site;

	if (record == NULL)
		return 0;
	/* If there is no memory for the call site, the wait is counted by class alone. */
	site = find_site(all, event, call);
	if (site == SITE_TABLE_NONE && !memory_budget_is_exceeded(all->budget))
		return 0;
	switch (event->value) {
	case MPROF_MONITOR_CONTENDED:
		begin_wait(all, record, wait, site, event, counts, counter);
		return 1;
	case MPROF_MONITOR_ACQUIRED:
		record->acquired += counts;
		end_wait(all, wait, site, event, counter);
		return 1;
	case MPROF_MONITOR_FAILED:
		record->failures += counts;
		site = end_wait(all, wait, site, event, counter);
		if (site != SITE_TABLE_NONE)
			all->sites.records[site].more += counts;
		return 1;
	default:
		return 1;
	}
}

int monitors_add_holder(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint32_t counts)
{
	const site_key key = {.class_id = event->id, .other = event->value};

	if (!monitors_is_awaited(wait, event) || wait->holder != SITE_TABLE_NONE)
		return 1;
	hide_wait(all, wait);
	wait->holder = site_table_get(&all->holders, &key);
	if (wait->holder == SITE_TABLE_NONE) {
		all->folded += counts;
		return memory_budget_is_exceeded(all->budget);
	}
	all->holders.records[wait->holder].count += counts;
	return 1;
}
