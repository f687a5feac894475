/* SPDX-License-Identifier: MIT */
/**
 * \file decode/decode.h
 * \brief The data of a log for mprof decode, and the sections of its text, in their order.
 *
 * Layout and wording are those of the decoder that came with Mono's first profilers: programs parse them. doc/decode.md
 * lists where the numbers differ.
 */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "common/input.h"
#include "common/names.h"

#include <mprof/profile.h>

/** Size that suffices for every number as text, in bytes. */
#define DECODE_NUMBER_SIZE 400

/**
 * Maximum call levels, and frames of a call stack, that are printed. The length of a line grows with the depth, and
 * there may be many stacks: a log of an endless recursion must not fill the disk.
 */
#define DECODE_MAX_LEVELS 2048

/** Bytes of a class at the time a heap block was written. */
typedef struct heap_balance_row {
	uint32_t class_id;
	uint64_t bytes; /**< Allocated before the block and not freed by its end. */
	uint64_t freed; /**< Found dead by the block's collection. */
} heap_balance_row;

/** A heap snapshot, or a block of objects found dead. */
typedef struct heap_balance {
	uint32_t number;
	uint64_t start; /**< Counter at the start. */
	uint64_t end;
	size_t class_count; /**< Number of classes defined before the block. */
	heap_balance_row *rows;
	size_t row_count;
} heap_balance;

/** A heap summary. Its rows are those of the profile from \p first_row up to that of the next summary. */
typedef struct summary_header {
	uint32_t collection;
	uint64_t time; /**< Microseconds since the log began. */
	size_t first_row;
} summary_header;

typedef struct log_decode {
	log_input input;
	mprof_profile *profile; /**< Times in it are counters. */
	mprof_profile_totals totals;
	mprof_session session;    /**< Its last clock pair is that of END, if there is one. */
	double ticks_per_counter; /**< Ticks of 100 ns per counter unit; 0 while unknown. */
	int has_allocation_stacks;
	int has_failed; /**< Out of memory: the text is incomplete. */
	heap_balance *balances;
	size_t balance_count;
	size_t balance_capacity;
	summary_header *summaries;
	size_t summary_count;
	size_t summary_capacity;
} log_decode;

/** Reads a log. Returns an exit status; with #STATUS_NOTHING there is no data. */
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

/** Allocates \p count elements, all 0. The caller frees them. NULL if out of memory, which has_failed records too. */
void *decode_room(log_decode *decode, size_t count, size_t size);

/** Prints the separator before a section. */
void decode_separator(void);

/** Converts counters to seconds. */
double decode_seconds(const log_decode *decode, uint64_t counters);

/** Formats a number with \p decimals decimal places, with the rounding described in decode.c. Returns \p text. */
char *decode_number(char text[DECODE_NUMBER_SIZE], double number, int decimals);

/** Prints a part of a whole in percent, with two decimals and at least five characters. */
void decode_percent(double part, double whole);

/** Prints "Class.Method (arguments)". */
void decode_method(const log_decode *decode, uint32_t method);

/** Prints the name of a class. */
void decode_class(const log_decode *decode, uint32_t class_id);

/** Comparison for sorting: the larger number first. */
int decode_larger_first(uint64_t left, uint64_t right);

/** A call path: a call stack, or if that is 0 a node of the call tree. If both are 0, there is no path. */
typedef struct call_path {
	uint32_t stack;
	uint32_t call;
} call_path;

/** A frame of a path. */
typedef struct path_frame {
	uint32_t method; /**< 0 if unknown or native. */
	int is_compiling;
	int is_native;
	uint32_t location; /**< Location in native code, 0 if none. */
} path_frame;

/** Returns the innermost frame in \p frame and removes it from \p path. Returns 0 if the path is empty. */
int decode_next_frame(const log_decode *decode, call_path *path, path_frame *frame);

/** The content of a line for a frame. */
typedef enum frame_style {
	FRAME_METHOD,     /**< The method's name. */
	FRAME_WITH_CLASS, /**< Preceded by its class, and a note if it is being compiled. */
} frame_style;

/** Prints a line for each frame of a path, the innermost first, indented by \p indentation blanks. */
void decode_path(const log_decode *decode, call_path path, int indentation, frame_style style);

#endif
