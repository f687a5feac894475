/* SPDX-License-Identifier: MIT */
/**
 * \file commands/check_references.h
 * \brief Checks that IDs are defined before they are used, and counts definitions that are not used.
 */
#ifndef CHECK_REFERENCES_H
#define CHECK_REFERENCES_H

#include "common/input.h"
#include "shared/key_map.h"

typedef enum reference_kind {
	REFERENCE_METHOD,
	REFERENCE_CLASS,
	REFERENCE_STACK,
	REFERENCE_MODULE,
	REFERENCE_FUNCTION,
	REFERENCE_LOCATION,
	REFERENCE_ROOT,
	REFERENCE_METRIC,
	REFERENCE_KIND_COUNT
} reference_kind;

/** Entries of the cache of used IDs. A power of two. */
#define REFERENCE_RECENT 4096

/** IDs of one kind. */
typedef struct reference_use {
	uint64_t recent[REFERENCE_RECENT]; /**< By its low bits: an ID that was checked, plus 1; 0 if none. */
	key_map used;
	key_map undefined; /**< IDs that were not defined when they were first used. */
} reference_use;

typedef struct reference_check {
	reference_use kinds[REFERENCE_KIND_COUNT];
	uint8_t subjects[UINT8_MAX + 1]; /**< By event kind: a #mprof_event_id. */
	int out_of_memory;
} reference_check;

/** Initializes a check whose bytes are 0. */
void references_init(reference_check *check);

/** Checks an ID that a block uses; reports the first use of an undefined ID. */
void references_check(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
		      uint32_t id);

/** Checks all IDs of an event. */
void references_check_event(reference_check *check, log_input *input, const mprof_block *block,
			    const mprof_event *event);

/** Checks all IDs that a record uses. */
void references_check_record(reference_check *check, log_input *input, const mprof_block *block,
			     const mprof_record *record);

/** Number of IDs that were used but not defined. */
uint64_t references_undefined(const reference_check *check, reference_kind kind);

/** Number of the \p defined IDs that were not used. */
uint64_t references_unused(const reference_check *check, reference_kind kind, uint64_t defined);

void references_release(reference_check *check);

#endif
