/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_identity_rows.h
 * \brief The rows of a difference by identity: objects by class and by allocation site.
 */
#ifndef DIFF_HEAP_IDENTITY_ROWS_H
#define DIFF_HEAP_IDENTITY_ROWS_H

#include "diff/diff.h"

/** Objects and their bytes. */
typedef struct identity_amount {
	uint64_t objects;
	uint64_t bytes;
} identity_amount;

/** The objects of a class. */
typedef struct identity_class {
	const char *name;                    /**< Borrowed from the input. */
	uint32_t id;                         /**< One class of this name. */
	identity_amount added;               /**< Only in the snapshot after. */
	identity_amount gone;                /**< Only in the snapshot before. */
	identity_amount surviving;           /**< In both. */
	identity_amount unknown[DIFF_SIDES]; /**< Those without a known origin, which are in no other field. */
} identity_class;

/** The objects of a class that were allocated at one call site. */
typedef struct identity_site {
	const char *class_name; /**< Borrowed from the input. */
	mprof_stack_frame *frames;
	size_t frame_count;
	uint64_t objects[DIFF_SIDES];
	uint64_t bytes[DIFF_SIDES];
} identity_site;

struct heap_identity {
	const char *reason; /**< Why objects have no known origin; NULL if all have. */
	int is_known;       /**< At least one object has a known origin. The fields below are 0 otherwise. */
	identity_class sum; /**< Of all classes; without a name. */
	identity_class *classes;
	size_t class_count;
	identity_site *sites;
	size_t site_count;
};

/** Keeps the wanted classes, one row for each name, with the largest growth first, and fills in the sum. */
void heap_identity_merge_classes(const log_diff *diff, heap_identity *identity);

/** Keeps the sites of wanted classes, one row for each class name and call stack, with the largest growth first. */
void heap_identity_merge_sites(const log_diff *diff, heap_identity *identity);

#endif
