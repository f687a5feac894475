/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/event_types.h
 * \brief Events that the log describes, by type and name: how many there are, how long spans took, and the longest
 * spans as single ones (doc/format.md, sections 3.25 and 4.9).
 */
#ifndef MODEL_RECORDS_EVENT_TYPES_H
#define MODEL_RECORDS_EVENT_TYPES_H

#include <mprof/format.h>
#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/durations.h"
#include "model/records/meanings.h"
#include "model/records/record_table.h"

/** A span. Times are counters. */
typedef struct listed_span {
	uint64_t start;
	uint64_t end;
	uint64_t thread;        /**< The one of its start, or of a span that is recorded as a whole. */
	uint64_t stack;         /**< Number of the call stack; 0: that of the thread. */
	uint32_t record;        /**< Number of its event_type_record. */
	uint32_t is_loose;      /**< Any thread may end it: it is on no call stack. */
	uint32_t is_unfinished; /**< Its end is not in the log. */
} listed_span;

typedef struct span_list {
	memory_budget *budget;
	int is_enabled; /**< 0: there is no list. */
	size_t limit;   /**< The maximum number of spans that have ended. */
	listed_span
		*spans; /**< Those that have ended: a heap, the shortest one first, once there are as many as limit. */
	size_t count;
	size_t capacity;
	uint64_t left_out;  /**< Shorter ones, and those for which there was no memory. */
	listed_span *shown; /**< As of span_list_show_open(), in the order of their starts. */
	size_t shown_count;
	size_t shown_capacity;
} span_list;

/** Begins what is shown with the spans that have ended. Returns 0 if there is no memory. */
int span_list_begin_show(span_list *list);

/** All that is shown was added. */
void span_list_end_show(span_list *list);

/** Events of a type with one name. Times are in counters. */
typedef struct event_type_record {
	uint32_t type; /**< 0: types that are not defined. */
	uint32_t form; /**< An #mprof_type_form. */
	int is_named;  /**< The name is that of its events, not of the type. */
	char *name;    /**< NULL of types that are not defined. */
	char *category;
	uint64_t count;     /**< Events. */
	uint64_t ended;     /**< Spans that have ended, whose begin counts. */
	uint64_t unmatched; /**< Ends without a begin, also of spans whose duration is impossible. */
	uint64_t errors;
	uint64_t self;         /**< Of the spans whose time outside spans in them is known. */
	uint64_t without_self; /**< The other spans. */
} event_type_record;

/** A span that has begun. */
typedef struct open_span {
	size_t record; /**< Number of its event_type_record. */
	uint32_t type;
	uint32_t counts; /**< It began inside the window. */
	uint64_t start;
	uint64_t thread;
	uint64_t stack; /**< Number of its call stack; 0: that of the thread. */
	uint32_t wait;  /**< The number of its record in event_types::waits, plus 1; 0: it is no wait. */
} open_span;

/** When a span was that has ended. */
typedef struct ended_span {
	uint64_t start;
	uint64_t end;
} ended_span;

/**
 * The spans of a call stack. Those that have ended are kept until one that contains them ends, since spans that are
 * recorded as a whole are in the log in the order of their ends. All bytes 0: no spans.
 */
typedef struct span_stack {
	open_span *open;
	size_t open_count;
	size_t open_capacity;
	uint64_t deeper; /**< Spans above the maximum depth that are open. */
	ended_span *ended;
	size_t ended_count;
	size_t ended_capacity;
	uint64_t forgotten; /**< The end of the last span that was dropped from the list of ended ones; 0: none. */
} span_stack;

typedef struct event_types {
	event_type_record *records; /**< In the order of first use. */
	size_t count;
	size_t capacity;
	hash_index numbers;       /**< Of records, plus 1, by type and name. */
	record_table types;       /**< How events of a type are read. */
	call_durations durations; /**< By number of the record. */
	hash_map begun;           /**< Spans of any thread by number: the first in the list of those that began. */
	hash_map over;            /**< The same of those that have ended and whose begin was not read yet. */
	struct loose_span *loose; /**< What the lists consist of. */
	size_t loose_count;
	size_t loose_capacity;
	size_t loose_free; /**< The first free one plus 1, 0 if none. */
	span_list spans;   /**< The longest ones. */
	wait_list waits;   /**< Spans that are waits. */
	memory_budget *budget;
	size_t undefined; /**< Number of the record of events whose type is not defined plus 1; 0: none yet. */
	uint64_t folded;  /**< Events without a record of their name, because there was no memory for one. */
} event_types;

/** \p max_spans: how many single spans are kept. */
void event_types_init(event_types *all, memory_budget *budget, size_t max_spans);
void event_types_destroy(event_types *all);

/** When an event happened, and where. */
typedef struct event_context {
	uint64_t counter;
	uint64_t thread;
	uint64_t stack;  /**< Number of the call stack that it is on; 0: its own. */
	uint32_t counts; /**< 0 outside the window, where nothing is counted; else 1. */
	uint32_t wait;   /**< As open_span::wait. */
} event_context;

/** The event is a sample, which is not counted here. */
#define EVENT_TYPES_SAMPLE 2

/**
 * Adds an event of a thread on a call stack with \p spans, NULL if on none. Returns 1, #EVENT_TYPES_SAMPLE, or 0 if
 * there is no memory.
 */
int event_types_add(event_types *all, const mprof_reader *reader, span_stack *spans, const mprof_event *event,
		    const event_context *context);

/**
 * Shows the spans of a call stack that are open at \p end. Spans that no call stack has are shown by
 * event_types_show_loose(). Both return 0 if there is no memory.
 */
int event_types_show_open(event_types *all, const span_stack *spans, uint64_t end);
int event_types_show_loose(event_types *all, uint64_t end);

/** The open spans of a call stack end in a way that is not known, or never. */
void span_stack_clear(span_stack *spans);

void span_stack_destroy(span_stack *spans, const mprof_allocator *allocator);

#endif
