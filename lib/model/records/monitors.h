/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/monitors.h
 * \brief Waits of threads for monitors, by the class of the object and by call stack.
 */
#ifndef MODEL_RECORDS_MONITORS_H
#define MODEL_RECORDS_MONITORS_H

#include "model/records/record_table.h"
#include "base/memory_budget.h"

#include <mprof/format.h>

/** Times are in counters. */
typedef struct monitor_record {
	uint32_t class_id;
	uint64_t contentions;
	uint64_t acquired;
	uint64_t failures;
	uint64_t contended;
	uint64_t unfinished; /**< Waits that have not ended: their time until now is in contended. */
} monitor_record;

/** The monitor that a thread waits for. */
typedef struct monitor_wait {
	int is_waiting;
	size_t site;     /**< The call site where it found the monitor taken, or #SITE_TABLE_NONE. */
	size_t holder;   /**< In monitor_list::holders: the thread that held it then, or #SITE_TABLE_NONE. */
	uint64_t object; /**< Address of the object, 0 if not known. */
	uint32_t class_id;
	uint64_t start; /**< Counter. */
	int counts;     /**< It began inside the window. */
	int is_shown;   /**< It is in the sums as unfinished, with shown_time: see monitors_show_wait(). */
	uint64_t shown_time;
} monitor_wait;

typedef struct monitor_list {
	record_table records; /**< Each monitor_record, by class. */
	site_table sites;     /**< count: contentions. value: contended time. more: failures. key.other: the object. */
	site_table holders;   /**< count: contentions. value: contended time. key.other: the holding thread. */
	int keeps_objects;    /**< Monitors of different objects have different sites. */
	uint64_t contentions;
	uint64_t contended;
	uint64_t unfinished;
	const memory_budget *budget; /**< Consulted when memory is refused. */
	uint64_t folded;             /**< Events without a site, because there was no memory for one. */
} monitor_list;

void monitors_init(monitor_list *all, memory_budget *budget, int keeps_objects);
void monitors_destroy(monitor_list *all);

/**
 * Adds a MONITOR event of a thread, at \p counter, in \p call, a node of the call tree or 0. \p counts is 1, or 0
 * outside the window, where nothing is counted. Returns 0 if there is no memory.
 */
int monitors_add(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint32_t counts, uint32_t call,
		 uint64_t counter);

/**
 * Counts the wait of a thread, if it waits, until \p counter, as one that has not ended. That replaces what the last
 * call for this wait has counted; an event that ends the wait removes it.
 */
void monitors_show_wait(monitor_list *all, monitor_wait *wait, uint64_t counter);

/**
 * The thread does not wait any more, but how its wait ended is not in the log: it counts until \p counter, as one that
 * has not ended.
 */
void monitors_abandon(monitor_list *all, monitor_wait *wait, uint64_t counter);

/** Whether an event is about the monitor that the thread waits for. */
int monitors_is_awaited(const monitor_wait *wait, const mprof_event *event);

/**
 * Adds a MONITOR_HOLDER event of a thread. It counts if it is the first about the monitor that the thread waits for.
 * \p counts is 1, or 0 outside the window, where nothing is counted. Returns 0 if there is no memory.
 */
int monitors_add_holder(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint32_t counts);

#endif
