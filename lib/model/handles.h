/* SPDX-License-Identifier: MIT */
/**
 * \file model/handles.h
 * \brief Handles that were created, and which of them are alive.
 *
 * The thread that deletes a handle need not be the one that made it, blocks of different threads are not in order of
 * time, and the numbers of handles are used again. So of each number the latest event counts: if it is a creation, the
 * handle is alive. What was created before is gone, whether its deletion is in the log or not.
 */
#ifndef MODEL_HANDLES_H
#define MODEL_HANDLES_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/site_table.h"

#include <mprof/format.h>

typedef struct handle_record {
	uint64_t counter; /**< Of the latest event. */
	size_t by_class;  /**< Site of the handle that is alive; #SITE_TABLE_NONE if it is not. */
	size_t by_stack;  /**< The same. */
} handle_record;

typedef struct handle_list {
	hash_map numbers; /**< By handle and type. */
	handle_record *records;
	size_t count;
	size_t capacity;
	site_table by_class; /**< Count: created. Value: alive. Detail: the type. */
	site_table by_stack; /**< The same. */
	uint64_t alive;
	const memory_budget *budget; /**< What a refusal of memory is asked of. */
	uint64_t folded;             /**< Events that have no site, for want of memory. */
} handle_list;

void handles_init(handle_list *all, memory_budget *budget);
void handles_destroy(handle_list *all);

/** Takes in a HANDLE_... event. Returns 0 if there is no memory. */
int handles_add(handle_list *all, const mprof_event *event);

#endif
