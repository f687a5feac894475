/* SPDX-License-Identifier: MIT */
/**
 * \file record_values.h
 * \brief Parses the values of the options of a recording. Each function returns 0 if the value is invalid.
 */
#ifndef SHARED_RECORD_VALUES_H
#define SHARED_RECORD_VALUES_H

#include <stdint.h>

/** A decimal number within these bounds. */
int record_values_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/** A number of bytes within these bounds, with a suffix k, m or g that multiplies it, or without. */
int record_values_size(const char *text, uint64_t least, uint64_t most, uint64_t *size);

/** What an allocation is recorded with. */
typedef struct record_allocation {
	int has_stacks;
	uint64_t interval; /**< With stacks: bytes from one to the next, on average; 0: all allocations have one. */
	int has_callers;
	int has_objects;
} record_allocation;

/** Range of record_allocation::interval. */
#define MIN_ALLOCATION_INTERVAL (UINT64_C(1) << 10)
#define MAX_ALLOCATION_INTERVAL (UINT64_C(1) << 30)

/** One or several of stack, stack:BYTES, caller and objects, joined by +. */
int record_values_allocation(const char *text, record_allocation *allocation);

typedef struct record_exceptions {
	int has_stacks;
	int has_clauses;
} record_exceptions;

/** stack, clauses, or both joined by +. */
int record_values_exceptions(const char *text, record_exceptions *exceptions);

/** When heap snapshots are taken, in addition to those requested while the program runs. */
typedef enum heap_occasion {
	HEAP_ON_DEMAND,  /**< Only on request. */
	HEAP_EVERY,      /**< At every Nth full collection. */
	HEAP_AT_INTERVAL /**< At the first full collection after an interval in milliseconds. */
} heap_occasion;

typedef struct record_heap {
	heap_occasion when;
	uint32_t collections;  /**< N of HEAP_EVERY, at least 1. */
	uint32_t milliseconds; /**< Of HEAP_AT_INTERVAL, at least 1. */
} record_heap;

/** every-gc, ondemand, or a number such as 5gc or 500ms. */
int record_values_heap(const char *text, record_heap *heap);

typedef struct record_handles {
	const char *type;          /**< "normal", "pinned", "weak", "weak-track", or NULL for all. */
	const char *class_pattern; /**< For the class of the object, part of the text; NULL for all. */
} record_handles;

/** A type, or class:PATTERN. */
int record_values_handles(const char *text, record_handles *handles);

/** The action of a signal. */
typedef enum signal_action { SIGNAL_TOGGLE, SIGNAL_FLUSH, SIGNAL_HEAPSHOT } signal_action;

typedef struct record_signal {
	int number; /**< 0 if a program cannot use the signal for this. */
	signal_action action;
} record_signal;

/** SIGNAL:ACTION, such as USR1:flush. */
int record_values_signal(const char *text, record_signal *signal);

#endif
