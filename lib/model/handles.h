/* SPDX-License-Identifier: MIT */
/**
 * \file model/handles.h
 * \brief Handles that were created, and which of them are alive.
 *
 * The thread that deletes a handle need not be the one that created it, blocks of different threads are not in the
 * order of time, and the numbers of handles are reused. For each number only the latest event therefore determines the
 * state: if it is a creation, the handle is alive. A handle that was created earlier does not exist any more, whether
 * its deletion is in the log or not.
 */
#ifndef MODEL_HANDLES_H
#define MODEL_HANDLES_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/site_table.h"

#include <mprof/format.h>

typedef struct handle_record {
	uint64_t counter; /**< Counter of the latest event. */
	size_t by_class;  /**< If the handle is alive: its site in handle_list::by_class; else #SITE_TABLE_NONE. */
	size_t by_stack;  /**< Its site in handle_list::by_stack, likewise; also #SITE_TABLE_NONE if folded. */
} handle_record;

typedef struct handle_list {
	hash_map numbers; /**< Indices of records, by handle and type. */
	handle_record *records;
	size_t count;
	size_t capacity;
	site_table by_class; /**< count: handles created. value: handles alive. key.detail: the type. */
	site_table by_stack; /**< The same fields as in by_class. */
	uint64_t alive;
	const memory_budget *budget; /**< Consulted when memory is refused. */
	uint64_t folded;             /**< Events without a site, because there was no memory for one. */
} handle_list;

void handles_init(handle_list *all, memory_budget *budget);
void handles_destroy(handle_list *all);

/** Adds a HANDLE_... event. Returns 0 if there is no memory. */
int handles_add(handle_list *all, const mprof_event *event);

#endif
