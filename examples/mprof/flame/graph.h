/* SPDX-License-Identifier: MIT */
/**
 * \file flame/graph.h
 * \brief Makes the flame graph of a log, or of the difference between two.
 */
#ifndef FLAME_GRAPH_H
#define FLAME_GRAPH_H

#include "export/stack_tree.h"

#include <stdio.h>

typedef struct flame_log {
	const char *name; /**< As given. Borrowed. */
	stack_tree *tree;
	char program[256];
	sampling_facts sampling;
	char *header;   /**< Lines about the log. */
	char *warnings; /**< Lines about what is missing or estimated; "" if nothing is. */
} flame_log;

/** What a flame graph is to show. */
typedef struct flame_options {
	const char *file;
	const char *before; /**< The earlier log; NULL if there is none. */
	const char *out;    /**< The SVG file; NULL for standard output. */
	export_value value;
	uint64_t heap_shot; /**< Which heap snapshot, from 1; 0 for the last. */
	int is_inverted;
	int is_normalized;
	uint64_t width; /**< In pixels. */
	uint64_t depth; /**< Number of rows, without the root. */
	const char *title;
	uint64_t min_share; /**< Frames with a smaller share of #REPORT_WHOLE are not drawn. */
	int has_min_share;
	int by_line; /**< Frames in different lines are different frames, with the line after their names. */
	report_options report;
} flame_options;

/**
 * Reads a log and makes its tree. Returns an exit status; with #STATUS_NOTHING, a message was printed. Call
 * flame_log_release() in any case.
 */
int flame_log_read(flame_log *log, const char *path, const flame_options *options, export_value value);
void flame_log_release(flame_log *log);

/**
 * Prints the flame graph of a log, which was read, and of an earlier one, unless \p before is NULL. Returns 0 after a
 * message if out of memory.
 */
int flame_graph_print(FILE *file, const flame_options *options, const flame_log *log, const flame_log *before);

#endif
