/* SPDX-License-Identifier: MIT */
/**
 * \file heap/view.h
 * \brief One heap snapshot of a log, read and analysed, and what of it is to be printed.
 */
#ifndef HEAP_VIEW_H
#define HEAP_VIEW_H

#include <mprof/heap.h>

#include "common/heap_origins.h"
#include "common/input.h"
#include "common/json.h"

typedef enum heap_order { HEAP_BY_RETAINED, HEAP_BY_BYTES, HEAP_BY_OBJECTS, HEAP_BY_NAME } heap_order;

typedef struct heap_options {
	int as_json;
	int as_csv;
	uint64_t at;  /**< Which snapshot, from 1; 0 for the last. */
	uint64_t top; /**< Maximum rows of a table; 0 for all. */
	int has_top;
	int is_read_again; /**< The damage of the log was reported when it was read before. */
	heap_order order;
	uint64_t memory;           /**< Maximum memory of the graph in MiB; 0 for the default. */
	const char *class_pattern; /**< NULL if not given, as the next four. */
	const char *paths_pattern;
	const char *referrers_pattern;
	const char *referencing_pattern;
	const char *referenced_pattern;
	uint64_t address; /**< The object to print. */
	int has_address;
	const char *allocated_pattern; /**< Of a method in the call stack of an allocation; NULL if not given. */
	int has_min_age;               /**< Objects are selected by age, in collections. */
	uint64_t min_age;
	int has_max_age;
	uint64_t max_age;
	int is_list; /**< Only list the snapshots. */
	int is_unreachable;
	int is_leaks; /**< Compare all snapshots. */
} heap_options;

typedef struct heap_view {
	heap_options options;
	log_input input;
	mprof_heap_graph *graph;
	mprof_heap_graph_totals totals;
	heap_origins origins; /**< If an option needs them. */
	int has_retained;     /**< Retained sizes and paths are known. */
	int status;           /**< The exit status so far, apart from that of the input. */
} heap_view;

/**
 * Reads the snapshot and computes what its roots allow. Returns an exit status; with #STATUS_NOTHING,
 * a message was printed and there is no data. Call heap_view_release() in any case.
 */
int heap_view_read(heap_view *view, const char *path, const heap_options *options);
void heap_view_release(heap_view *view);

/** Whether objects are selected by their origin. */
int heap_view_selects_origins(const heap_view *view);

/** Prints the title of a table, after an empty line, with a note if not all of its rows are shown. */
void heap_view_title(const char *title, size_t shown, size_t count);

/** The number of rows to print of a table with \p count rows, if by default \p usual are printed; 0: no limit. */
size_t heap_view_rows(const heap_view *view, size_t count, size_t usual);

/** Whether what objects retain is known, for views (common/table_view.h); \p view: a #heap_view. */
int heap_view_has_retained(const void *view);

/** The object with a number. */
mprof_heap_object heap_view_object(const heap_view *view, uint32_t object);

/** Prints the address of the object that dominates a given one; null if there is none. */
void heap_view_dominator_json(const heap_view *view, json_writer *json, const char *key,
			      const mprof_heap_object *object);

/** The class with an index. */
mprof_heap_class heap_view_class(const heap_view *view, size_t index);

/** The name of the class with an index, "(unknown)" if the log has none; may point into \p name. */
const char *label_class(const heap_view *view, size_t class_index, class_name *name);

/**
 * The name of a reference, or of its field, such as "entries" or "[].value"; NULL if not known. \p class_id: the class
 * of the object that has it. The same field always has the same pointer, which is valid as long as the view.
 */
const char *label_field(const heap_view *view, uint32_t class_id, const mprof_heap_reference *reference);

/** The name of a root area, such as "Shop.OrderCache.cache"; "" if it has none. */
const char *label_area(const heap_view *view, uint32_t area);

/** The name of a root: that of its area, or the label of the synthetic object that it belongs to; "" if it has none. */
const char *label_root(const heap_view *view, const mprof_heap_root *root);

/** Prints the class of an object, its label in quotes, if it has one, and its address. */
void label_print_object(const heap_view *view, const mprof_heap_object *object);

#endif
