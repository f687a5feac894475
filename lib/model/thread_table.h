/* SPDX-License-Identifier: MIT */
/**
 * \file model/thread_table.h
 * \brief What is known of each thread, and in the midst of what it is between two of its blocks.
 */
#ifndef MODEL_THREAD_TABLE_H
#define MODEL_THREAD_TABLE_H

#include "model/call_stack.h"
#include "model/finalizers.h"
#include "model/interval_stack.h"
#include "model/monitors.h"

typedef struct thread_record {
	uint64_t id;
	char *name; /**< NULL if none. */
	uint64_t events;
	uint64_t lost;
	uint64_t samples;
	uint64_t self;         /**< In counters, while its stack was not empty. */
	uint64_t last_counter; /**< Of its latest event. */
	int has_counter;
	call_stack stack;
	interval_stack compilations;
	interval_stack class_loads;
	finalizer_state finalizers;
	monitor_wait wait;
} thread_record;

typedef struct thread_table {
	hash_map numbers; /**< By thread ID. */
	thread_record *records;
	size_t count;
	size_t capacity;
} thread_table;

void thread_table_init(thread_table *table, const mprof_allocator *allocator);
void thread_table_destroy(thread_table *table);

/** The record of a thread, made if it is not there; valid until the next call. NULL if there is no memory. */
thread_record *thread_table_get(thread_table *table, const call_model *model, uint64_t id);

/** Gives a thread a name. Returns 0, changing nothing, if there is no memory. */
int thread_table_name(thread_table *table, thread_record *thread, const char *name);

#endif
