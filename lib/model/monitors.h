/* SPDX-License-Identifier: MIT */
/**
 * \file model/monitors.h
 * \brief Waits of threads for monitors, by the class of the object and by call chain.
 */
#ifndef MODEL_MONITORS_H
#define MODEL_MONITORS_H

#include "model/record_table.h"
#include "model/site_table.h"

#include <mprof/format.h>

/** Times are in counters. */
typedef struct monitor_record {
	uint32_t class_id;
	uint64_t contentions;
	uint64_t acquired;
	uint64_t failures;
	uint64_t contended;
} monitor_record;

/** What a thread waits for. */
typedef struct monitor_wait {
	int is_waiting;
	uint32_t class_id;
	uint32_t stack;
	uint64_t object;
	uint64_t start; /**< Counter. */
} monitor_wait;

typedef struct monitor_list {
	record_table records; /**< By class. */
	site_table sites;     /**< Count: contentions. Value: time contended. */
	uint64_t contentions;
	uint64_t contended;
} monitor_list;

void monitors_init(monitor_list *all, const mprof_allocator *allocator);
void monitors_destroy(monitor_list *all);

/** Takes in a MONITOR event of a thread, at \p counter. Returns 0 if there is no memory. */
int monitors_add(monitor_list *all, monitor_wait *wait, const mprof_event *event, uint64_t counter);

#endif
