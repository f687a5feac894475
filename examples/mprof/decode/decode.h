/* SPDX-License-Identifier: MIT */
/**
 * \file decode/decode.h
 * \brief What mprof decode knows of a log, and the sections of its text, in their order.
 *
 * Layout and wording are those of the decoder that came with Mono's first profilers: programs read them. doc/decode.md
 * says where the figures are others.
 */
#ifndef DECODE_H
#define DECODE_H

#include "common/input.h"
#include "common/names.h"

#include <mprof/profile.h>

/** Room for any number as text. */
#define DECODE_NUMBER_SIZE 400

/**
 * Levels of calls, and frames of a call stack, that are printed. Lines are as long as calls are deep, and there may be
 * many stacks: a log of a recursion that never ends must not fill the disk.
 */
#define DECODE_MAX_LEVELS 2048

/** Bytes of a class when a heap block was written. */
typedef struct heap_balance_row {
	uint32_t class_id;
	uint64_t bytes; /**< Allocated before the block and not freed by its end. */
	uint64_t freed; /**< Found dead by the block's collection. */
} heap_balance_row;

/** A heap shot, or a block of objects found dead. */
typedef struct heap_balance {
	uint32_t number;
	uint64_t start; /**< Counter. */
	uint64_t end;
	size_t class_count; /**< Classes defined so far. */
	heap_balance_row *rows;
	size_t row_count;
} heap_balance;

/** A heap summary: its rows are those of the profile from \p first_row to that of the next one. */
typedef struct summary_header {
	uint32_t collection;
	uint64_t time; /**< Microseconds since the log began. */
	size_t first_row;
} summary_header;

typedef struct log_decode {
	log_input input;
	mprof_profile *profile; /**< Its times are counters. */
	mprof_profile_totals totals;
	mprof_session session;    /**< Its last clock is that of END, if there is one. */
	double ticks_per_counter; /**< Ticks of 100 ns; 0 while nothing is known of it. */
	int has_allocation_stacks;
	int has_failed; /**< There was no memory: the text is not whole. */
	heap_balance *balances;
	size_t balance_count;
	size_t balance_capacity;
	summary_header *summaries;
	size_t summary_count;
	size_t summary_capacity;
} log_decode;

/** Reads a log. Returns an exit status; only #STATUS_NOTHING means that there is nothing. */
int decode_read(log_decode *decode, const char *path);
void decode_release(log_decode *decode);

void decode_allocations(log_decode *decode);
void decode_calls(log_decode *decode);
void decode_compilations(log_decode *decode);
void decode_samples(log_decode *decode);
void decode_monitors(log_decode *decode);
void decode_collections(log_decode *decode);
void decode_summaries(log_decode *decode);
void decode_heap(const log_decode *decode);

/** Room for \p count elements, all 0. NULL, also to be noted in has_failed, if there is none. To be freed. */
void *decode_room(log_decode *decode, size_t count, size_t size);

/** What stands in front of a section. */
void decode_separator(void);

/** Counters as seconds. */
double decode_seconds(const log_decode *decode, uint64_t counters);

/** A number with \p decimals places, as decode_number.c says. Returns \p text. */
char *decode_number(char text[DECODE_NUMBER_SIZE], double number, int decimals);

/** A part of a whole in percent, with two places and five characters or more. */
void decode_percent(double part, double whole);

/** "Class.Method (arguments)". */
void decode_method(const log_decode *decode, uint32_t method);

/** A class. */
void decode_class(const log_decode *decode, uint32_t class_id);

/** As qsort() takes it, of items. */
typedef int (*decode_compare)(const void *left, const void *right);

/** Sorts pointers to items, the largest first; equal ones as the first decoder's runtime leaves them. */
void decode_sort(const void **items, size_t count, decode_compare compare);

/** For sorting: the larger number first. */
int decode_larger_first(uint64_t left, uint64_t right);

/** A path of calls: a call chain, or if that is 0 a node of the call tree, which is none if it is 0 too. */
typedef struct call_path {
	uint32_t stack;
	uint32_t call;
} call_path;

/** A frame of a path. */
typedef struct path_frame {
	uint32_t method; /**< 0 if not known or native. */
	int is_compiling;
	int is_native;
	uint32_t location; /**< Of native code. */
} path_frame;

/** Tells the innermost frame and makes \p path that of its caller. Returns 0 if there is none. */
int decode_next_frame(const log_decode *decode, call_path *path, path_frame *frame);

/** What lines of frames tell. */
typedef enum frame_style {
	FRAME_METHOD,     /**< The method's name. */
	FRAME_WITH_CLASS, /**< In front of it its class, and whether it is being compiled. */
} frame_style;

/** A line for each frame of a path, the innermost first, \p indentation blanks from the left. */
void decode_path(const log_decode *decode, call_path path, int indentation, frame_style style);

#endif
