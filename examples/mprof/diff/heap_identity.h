/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_identity.h
 * \brief Compares the objects of two heap snapshots of one log: which are new, gone or in both.
 */
#ifndef DIFF_HEAP_IDENTITY_H
#define DIFF_HEAP_IDENTITY_H

#include "common/json.h"
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

/**
 * Compares the objects of the snapshots that log_diff::heap names by identity if both are in one log, and fills in
 * heap_identity. Returns an exit status: #STATUS_DAMAGED after a message if there is no memory.
 */
int heap_identity_read(log_diff *diff);
void heap_identity_release(log_diff *diff);

/** Prints the tables by class and by allocation site, or why they are not known. */
void heap_identity_print_text(const log_diff *diff);

/** Prints the keys "heap_identity", "heap_identity_classes" and "heap_growth_sites". */
void heap_identity_print_json(const log_diff *diff, json_writer *json);

#endif
