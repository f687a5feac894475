/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox_rows.h
 * \brief Keeps the threads of a profile of Firefox, with their samples, allocations and markers, and writes them.
 */
#ifndef EXPORT_FIREFOX_ROWS_H
#define EXPORT_FIREFOX_ROWS_H

#include "common/json.h"
#include "export/firefox_tables.h"
#include "export/text_stream.h"
#include "export/thread_table.h"

/** A sample or an allocation. */
typedef struct firefox_sample {
	uint64_t time;       /**< Nanoseconds from the start of the log. */
	uint64_t weight;     /**< Nanoseconds, samples or bytes. */
	uint32_t stack;      /**< FIREFOX_NONE: no call stack. */
	uint32_t class_name; /**< Of an allocation: index of a string. */
} firefox_sample;

/** Calls of a kind that are open in a thread, such as JIT compilations. */
typedef struct firefox_open {
	uint64_t *starts;
	size_t count;
	size_t capacity;
} firefox_open;

/** A thread; another one when its clock went back. */
typedef struct firefox_row {
	spool_stream samples;
	spool_stream allocations;
	spool_stream markers;
	uint64_t sample_count;
	uint64_t allocation_count;
	uint64_t marker_count;
	uint64_t thread;      /**< ID in the log; 0 for the samples of the process. */
	uint64_t first;       /**< Least time. */
	uint64_t last;        /**< Greatest time. */
	uint64_t last_sample; /**< Time of the last sample of a log of samples. */
	uint64_t since;       /**< When the innermost call changed. */
	uint32_t stack;       /**< The open calls. */
	int has_new_call;     /**< The innermost call has no sample yet. */
	int is_process;       /**< Has the collections, markers and metrics of the process. */
	firefox_open opens[FIREFOX_MARKER_KINDS];
	struct firefox_row *next;
} firefox_row;

/** All threads, in the order in which they are written. */
typedef struct firefox_rows {
	firefox_row *first;
	firefox_row **last;
	spool spool;
	int has_failed; /**< Out of memory. */
} firefox_rows;

/** How the threads are written. */
typedef struct firefox_row_format {
	const char *weight_type; /**< "tracing-ms", "samples" or "bytes". */
	int is_time;             /**< Weights are nanoseconds. */
	const char *process_name;
	const char *pid;
	thread_table *threads;
} firefox_row_format;

/** Adds a thread. Returns NULL if out of memory. */
firefox_row *firefox_rows_add(firefox_rows *rows, uint64_t thread, uint64_t time);

void firefox_rows_release(firefox_rows *rows);

void firefox_row_add_sample(firefox_rows *rows, firefox_row *row, const firefox_sample *sample);

/** Notes that a call begins or ends. stack: the call stack after it. */
void firefox_row_call(firefox_rows *rows, firefox_row *row, uint64_t time, uint32_t stack, int is_enter);

/** Ends the samples of a thread. */
void firefox_row_finish(firefox_rows *rows, firefox_row *row);

void firefox_row_add_allocation(firefox_rows *rows, firefox_row *row, const firefox_sample *allocation);

void firefox_row_add_marker(firefox_rows *rows, firefox_row *row, const firefox_marker *marker);

/** Notes that something begins at a time. */
void firefox_row_open(firefox_rows *rows, firefox_row *row, firefox_marker_kind kind, uint64_t time);

/** Ends the latest of a kind that is open. Returns 0 if there is none. */
int firefox_row_close(firefox_row *row, firefox_marker_kind kind, uint64_t *start);

/** Whether a thread has anything to write. */
int firefox_row_is_used(const firefox_row *row);

/** Writes a thread as an object. */
void firefox_row_write(firefox_rows *rows, const firefox_row *row, firefox_tables *tables, json_writer *json,
		       text_stream *numbers, const firefox_row_format *format);

#endif
