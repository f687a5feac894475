/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/message_list.h
 * \brief Messages of a program, events of the type mprof.log, by severity and source (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_MESSAGE_LIST_H
#define MODEL_RECORDS_MESSAGE_LIST_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/meanings.h"

/** Messages of one severity from one source. */
typedef struct message_record {
	uint32_t severity; /**< 0 if not known. */
	uint32_t is_rest;  /**< Of the sources for which there is no record; source is NULL. */
	char *source;
	char *text; /**< Of the first message; NULL if it has none. */
	uint64_t count;
	uint64_t first; /**< Counters of the earliest and the latest message. */
	uint64_t last;
	uint64_t thread; /**< That of the earliest one. */
} message_record;

typedef struct message_list {
	message_record *records; /**< In the order of their first message in the log. */
	size_t count;
	size_t capacity;
	hash_index numbers; /**< Of records, plus 1. */
	size_t rest;        /**< The number of the record of the rest plus 1; 0: none. */
	memory_budget *budget;
} message_list;

void message_list_init(message_list *all, memory_budget *budget);
void message_list_destroy(message_list *all);

/** Adds an event of the type mprof.log. Returns 0 if there is no memory. */
int message_list_add(message_list *all, const meaning_event *known, uint64_t counter, uint64_t thread);

#endif
