/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/thread_table.h
 * \brief The state of each thread, also between two of its blocks.
 */
#ifndef MODEL_RECORDS_THREAD_TABLE_H
#define MODEL_RECORDS_THREAD_TABLE_H

#include "base/thread_map.h"
#include "format/blocks/records.h"
#include "model/records/call_stack.h"
#include "model/records/event_types.h"
#include "model/records/lists.h"
#include "model/records/monitors.h"
#include "model/records/meanings.h"
#include "model/records/timeline.h"

/** A call stack that threads switch to and from. */
typedef struct switched_stack {
	stack_state state; /**< state.thread is the index of its thread in the table, plus 1. */
	call_stack calls;
	span_stack spans;
} switched_stack;

typedef struct thread_record {
	uint64_t id;
	char *name;        /**< NULL if none. */
	char *former_name; /**< The name before that; NULL if none. */
	uint64_t names;    /**< How often it was given another name. */
	uint64_t events;
	uint64_t lost;
	uint64_t samples;
	uint64_t self;         /**< Time in methods: while its stack was not empty, in counters. */
	uint64_t last_counter; /**< Counter of its latest event. */
	int has_counter;
	int has_ended;   /**< Its end was the last event about its life: open frames return later or never. */
	int is_reported; /**< An event of another thread reported its end, at the counter in reported_end. */
	uint64_t reported_end;
	uint64_t extension;     /**< As call_stack::extension, of its current stack; in self only where it is shown. */
	uint32_t extended_node; /**< The node of the call tree that has the extension; CALL_TREE_ROOT if none. */
	uint64_t metrics[THREAD_METRIC_COUNT]; /**< By #thread_metric; times in nanoseconds. */
	call_stack own_stack;
	span_stack own_spans;
	uint64_t own_left;     /**< Counter when it switched from its own stack to another one. */
	switched_stack *other; /**< The stack that it is on; NULL: its own. */
	interval_stack compilations;
	interval_stack class_loads;
	finalizer_state finalizers;
	monitor_wait wait;
	timeline_row timeline;
	thread_state doing;
	uint32_t has_exception;   /**< It has thrown one, of the class and at the site below. */
	uint32_t exception_class; /**< Of its latest exception. */
	uint32_t exception_site;  /**< Of its latest exception: its number plus 1; 0 if not known. */
} thread_record;

typedef struct thread_table {
	thread_map positions; /**< Positions of threads in records. */
	thread_record *records;
	size_t count;
	size_t capacity;
	stack_table stacks; /**< Stacks that are not a thread's own: #switched_stack. */
} thread_table;

/** The stack that a thread is on. */
static inline call_stack *thread_stack(thread_record *thread)
{
	return thread->other != NULL ? &thread->other->calls : &thread->own_stack;
}

/** The spans of the stack that a thread is on. */
static inline span_stack *thread_spans(thread_record *thread)
{
	return thread->other != NULL ? &thread->other->spans : &thread->own_spans;
}

void thread_table_init(thread_table *table, const mprof_allocator *allocator);
void thread_table_destroy(thread_table *table);

/** The record of a thread, added if missing; valid until the next call. NULL if there is no memory. */
thread_record *thread_table_get(thread_table *table, const call_model *model, uint64_t id);

/**
 * A thread continues on another stack at \p counter. Frames of a stack that has become unknown, because recording was
 * stopped since it was left, are closed and counted as interrupted. Returns 0, changing nothing, if there is no memory.
 */
int thread_table_switch(thread_table *table, call_model *model, thread_record *thread, uint64_t number,
			uint64_t counter);

/** A stack has ended: its open frames are closed, and counted as unclosed. */
void thread_table_end_stack(thread_table *table, call_model *model, uint64_t number);

/**
 * Lets the call that is open on the stack of each thread last until \p end, or until the thread ended. It replaces what
 * the last call of this function has added: the events of a growing log may turn out to continue otherwise.
 */
void thread_table_extend_calls(thread_table *table, call_model *model, const profile_window *window, uint64_t end);

/** The latest counter of a thread's events, or \p counter if that is later. */
uint64_t thread_table_latest(const thread_table *table, uint64_t counter);

/** The last counter at which a thread existed, in a log whose latest counter is \p end. */
uint64_t thread_end(const thread_record *thread, uint64_t end);

/** A thread starts or ends: it is on its own stack, which is empty. */
void thread_table_reset(call_model *model, thread_record *thread);

/** The number of open frames on the stacks of all threads, and on stacks that no thread is on. */
uint64_t thread_table_open_frames(const thread_table *table, const call_model *model);

/** Calls a function for each stack. */
void thread_table_each_stack(const thread_table *table, void (*visit)(void *user, const call_stack *stack), void *user);

/**
 * Shows the spans that are open on all stacks. They last until \p end, the latest counter, or the end of their thread.
 * Returns 0 if there is no memory.
 */
int thread_table_show_spans(const thread_table *table, event_types *types, const profile_window *window, uint64_t end);

/** Names a thread. Returns 0, changing nothing, if there is no memory. */
int thread_table_name(thread_table *table, thread_record *thread, const char *name);

#endif
