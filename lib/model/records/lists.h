/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/lists.h
 * \brief Lists of a profile that only grow: markers, properties, code and where it was, handles, metrics, the buckets
 * of histograms (doc/format.md, 3.15 and 3.36), and finalizers that ran, by class, with the runs of their thread.
 */
#ifndef MODEL_RECORDS_LISTS_H
#define MODEL_RECORDS_LISTS_H

#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "format/blocks/records.h"
#include "model/records/record_table.h"

#include <stddef.h>
#include <stdint.h>

/** A bucket of a histogram. The bounds are in an order of unsigned numbers. */
typedef struct histogram_bucket {
	uint64_t lower;
	uint64_t upper;
	uint64_t count; /**< Saturates. */
} histogram_bucket;

/** The buckets of a histogram, added up. All bytes 0: no buckets. */
typedef struct histogram {
	histogram_bucket *buckets; /**< By lower bound, then by upper bound. */
	size_t count;
	size_t capacity;
	uint64_t values; /**< In all buckets. Saturates. */
} histogram;

/** What is known about a value: it is greater than lower and at most upper, as in mprof_metric_value_record. */
typedef struct histogram_range {
	uint64_t lower;
	uint64_t upper;
} histogram_range;

/**
 * The range of the value that \p permille of the values do not exceed: 0 is the smallest value and 1000 the largest.
 * There are values.
 */
histogram_range histogram_permille(const histogram *all, int is_double, uint32_t permille);

/** Returns a copy of \p text, which may be NULL: that yields "". NULL if there is no memory. Free by text_release(). */
char *text_copy(const mprof_allocator *allocator, const char *text);

/** Frees a copy. \p copy may be NULL. */
void text_release(const mprof_allocator *allocator, char *copy);

typedef struct mark_record {
	uint64_t counter;
	uint64_t thread;
	char *text;
} mark_record;

typedef struct mark_list {
	mprof_allocator allocator;
	mark_record *records;
	size_t count;
	size_t capacity;
} mark_list;

/** Adds a MARK block. Returns 0, changing nothing, if there is no memory. */
int marks_add(mark_list *all, const mprof_block *block);

typedef struct property {
	char *key;
	char *value;
} property;

typedef struct property_list {
	hash_map numbers; /**< Indices by a hash of the key. */
	property *items;
	size_t count;
	size_t capacity;
} property_list;

/** Returns 0, changing nothing, if there is no memory. */
int properties_set(property_list *all, const char *key, const char *value);

typedef struct code_unit_record {
	uint32_t kind; /**< Bits of #mprof_element_kind. */
	uint32_t id;
	char *name;
	char *assembly;      /**< Base name of an assembly; NULL if the log has none. */
	uint64_t load_start; /**< A counter, as are load_end and unload_end. */
	uint64_t load_end;
	uint64_t unload_end;
	int is_unloaded;
} code_unit_record;

typedef struct code_unit_list {
	hash_map latest; /**< By a hash of type and ID, or of type and name: index of the code unit loaded last. */
	code_unit_record *records;
	size_t count;
	size_t capacity;
} code_unit_list;

/** Adds a LOADED block. Returns 0, changing nothing, if there is no memory. */
int code_units_loaded(code_unit_list *all, const mprof_block *block);

/** Adds an UNLOADED block; one of a code unit that was never loaded is ignored. */
void code_units_unloaded(code_unit_list *all, const mprof_block *block);

/*
 * The thread that deletes a handle need not be the one that created it, blocks of different threads are not in the
 * order of time, and the numbers of handles are reused. For each number only the latest event therefore determines the
 * state: if it is a creation, the handle is alive. A handle that was created earlier does not exist any more, whether
 * its deletion is in the log or not.
 */

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

/** Adds a HANDLE_... event. Returns 0 if there is no memory. */
int handles_add(handle_list *all, const mprof_event *event);

/** Values are stored as in mprof_metric_value_record::value. */
typedef struct metric_record {
	uint32_t id;
	uint32_t flags;
	char *section; /**< NULL before the metric is defined, as is name. */
	char *name;
	char *unit;     /**< NULL if the flags state it. */
	uint64_t count; /**< Values, or buckets. */
	uint64_t first; /**< In the order of time, as is the last one. */
	uint64_t last;
	uint64_t minimum;
	uint64_t maximum;
	uint64_t first_counter;
	uint64_t last_counter;
	histogram buckets; /**< If flags has #MPROF_METRIC_FLAG_HISTOGRAM; the values above are then 0. */
	uint64_t latest;   /**< The latest value, also one from before the window, like the next field. */
	uint64_t latest_counter;
	uint64_t skipped;       /**< Number of values from before the window. */
	uint64_t thread;        /**< The thread that it belongs to, if flags has #MPROF_METRIC_FLAG_THREAD. */
	thread_metric measures; /**< What it measures of that thread; #THREAD_METRIC_NONE if the format does not define
	                             it, or it is not defined yet. */
} metric_record;

typedef struct metric_list {
	record_table records;
	uint32_t *histograms; /**< IDs of those that are histograms, in the order of their definition. */
	size_t histogram_count;
	size_t histogram_capacity;
} metric_list;

/** Adds the definition of a metric. Returns 0 if there is no memory. */
int metric_list_define(metric_list *all, const mprof_record *record);

/**
 * Notes a value from before the window: the first value inside has grown since then. Returns 0 if there is no memory.
 */
int metric_list_skip_value(metric_list *all, const mprof_record *record, uint64_t counter);

/**
 * Adds a value of \p counter, or a bucket. \p growth receives its increase over the previous value, 0 if it has not
 * increased. \p previous receives the counter of that value. Returns the metric, valid until the next call, or NULL if
 * there is no memory.
 */
const metric_record *metric_list_add_value(metric_list *all, const mprof_record *record, uint64_t counter,
					   uint64_t *growth, uint64_t *previous);

/** Where a range was, from one counter up to another. A range that moves has several places. */
typedef struct code_place {
	uint32_t range;
	uint32_t kind;
	uint32_t method;
	uint32_t has_end;
	uint64_t address;
	uint64_t size;
	uint64_t start; /**< A counter, as is end. */
	uint64_t end;
	uint64_t process;  /**< That has the addresses; 0: the only one. */
	char *name;        /**< Shared by the places of a range, the first of which owns it. */
	uint32_t is_moved; /**< 1: the place is not the first one of its range. */
} code_place;

typedef struct code_place_list {
	mprof_allocator allocator;
	code_place *places;
	size_t count;
	size_t capacity;
	hash_map latest; /**< By ID of a range: index of its latest place, until it is freed. */
} code_place_list;

/** Adds a record of a CODE_RANGES block. Returns 0, changing nothing, if there is no memory. */
int code_places_add(code_place_list *all, const mprof_record *record);

typedef struct interval {
	uint64_t start;  /**< Counter. */
	uint64_t nested; /**< Sum of the durations of the intervals directly inside it that have ended. */
	size_t result;   /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;     /**< Method or class. */
} interval;

typedef struct interval_stack {
	interval *intervals;
	size_t count;
	size_t capacity;
} interval_stack;

/** An interval that has ended. */
typedef struct ended_interval {
	uint64_t duration; /**< In counters; 0 if they went backwards. */
	uint64_t self;     /**< The duration without that of intervals inside it. */
	size_t result;     /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;       /**< The ID at the start. */
	int is_outermost;  /**< No other interval is open. */
	int is_repeated;   /**< An outer interval of the same ID is open, whose duration includes this one. */
} ended_interval;

/** Returns 0, changing nothing, if there is no memory. */
int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter);

/** Sets the result of the innermost interval of \p id, a number above 0 that the caller defines. Ignored if none. */
void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result);

/**
 * Ends the innermost interval of \p id and discards those inside it, whose ends are not in the log. If there is none of
 * \p id, ends the innermost interval, since some writers use different names for the start and the end of a
 * compilation. Returns 0 if no interval is open.
 */
int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended);

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator);

/** Times are in counters. */
typedef struct finalizer_record {
	uint32_t class_id;
	uint64_t count;
	uint64_t time;
} finalizer_record;

typedef struct finalizer_list {
	record_table records; /**< Each finalizer_record, by class. */
	uint64_t count;
	uint64_t time; /**< Time in outermost finalizers, in counters. */
	uint64_t runs;
	uint64_t run_time;
} finalizer_list;

/** The finalizers and the run that a thread has begun and not ended. */
typedef struct finalizer_state {
	interval_stack finalizers;
	int is_running;
	uint64_t run_start; /**< Counter. */
} finalizer_state;

void finalizers_init(finalizer_list *all, const mprof_allocator *allocator);
void finalizers_destroy(finalizer_list *all);

/**
 * Adds a FINALIZER_... or FINALIZATION_... event of a thread, at \p counter. \p counts is 1, or 0 outside the window,
 * where nothing is counted. Returns 0 if there is no memory.
 */
int finalizers_add(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
		   uint64_t counter);

/** The thread has ended, or its events were not recorded: nothing that it has begun will end. */
void finalizers_clear_state(finalizer_state *state);

/** The lists of a profile that have no other state. */
typedef struct profile_lists {
	mark_list marks;
	property_list properties;
	code_unit_list code_units;
	handle_list handles;
	metric_list metrics;
	code_place_list code_places;
} profile_lists;

void lists_init(profile_lists *all, memory_budget *budget);
void lists_destroy(profile_lists *all);

#endif
