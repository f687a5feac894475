/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_log.h
 * \brief Reads the heap content of a log, for the tests of the recorder.
 */
#ifndef RECORDER_HEAP_LOG_H
#define RECORDER_HEAP_LOG_H

#include "recorded_log.h"

/** A HEAP_DATA block. */
typedef struct heap_log_block {
	uint32_t shot;
	uint32_t flags;
	uint64_t counter;
	size_t first; /**< Index of its first event. */
	size_t count;
} heap_log_block;

/** An event of a HEAP_DATA block. */
typedef struct heap_log_event {
	uint32_t shot;
	uint32_t kind;
	uint32_t id;
	char class_name[32]; /**< Name of its class; "" if the kind has none, "#ID" if it is not defined. */
	uint64_t value;
	uint64_t object;
	uint64_t *references; /**< Allocated copy, including the references of later events. */
	size_t reference_count;
} heap_log_event;

/** A row of a HEAP_SUMMARY block. */
typedef struct heap_log_sum {
	uint32_t collection;
	char class_name[32];
	uint64_t counts[4];
} heap_log_sum;

typedef struct heap_log {
	heap_log_block *blocks;
	size_t block_count;
	heap_log_event *events; /**< Without events that only add references to an object. */
	size_t event_count;
	heap_log_sum *sums;
	size_t sum_count;
	size_t summaries;        /**< Number of HEAP_SUMMARY blocks. */
	size_t later_references; /**< Number of events that add references to an object. */
	uint64_t lost[LOSS_CAUSE_COUNT];
	mprof_status status; /**< MPROF_END, or the error that ended reading. */
} heap_log;

/** Reads a whole log. Free the result with heap_log_free(). */
heap_log heap_log_read(const recorded_log *recorded);
void heap_log_free(heap_log *log);

/** The number of events of a kind in a snapshot. */
size_t heap_log_count(const heap_log *log, uint32_t shot, mprof_event_kind kind);

/** The only event of a kind for an object at an address in a snapshot; NULL if none or more than one. */
const heap_log_event *heap_log_find(const heap_log *log, uint32_t shot, mprof_event_kind kind, uint64_t object);

/** The row of a class in the summary of a collection, or NULL. */
const heap_log_sum *heap_log_sum_of(const heap_log *log, uint32_t collection, const char *class_name);

/**
 * Fails the test unless the blocks of a snapshot are in order: only the first one is FIRST, only the last one is
 * LAST, and the last one is INCOMPLETE as expected.
 */
void heap_log_check_shot(const heap_log *log, uint32_t shot, int is_incomplete);

#endif
