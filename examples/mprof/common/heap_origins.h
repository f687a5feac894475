/* SPDX-License-Identifier: MIT */
/**
 * \file common/heap_origins.h
 * \brief Where the objects of a heap snapshot were allocated, and how many collections they survived.
 */
#ifndef COMMON_HEAP_ORIGINS_H
#define COMMON_HEAP_ORIGINS_H

#include "common/input.h"

#include <mprof/profile.h>

#include <stddef.h>
#include <stdint.h>

/** A block of native memory that exists at a heap snapshot. */
typedef struct native_block {
	uint64_t address;
	uint64_t size;
	uint32_t stack; /**< Of its allocation, 0 if not known. */
	uint32_t outer; /**< The index of the block that contains it, plus 1; 0: none. */
} native_block;

/** Zeroed if there are none. */
typedef struct native_blocks {
	native_block *blocks; /**< By address. */
	size_t count;
	uint32_t last_stack; /**< The greatest stack ID. */
	int is_limited;      /**< They need more memory than is allowed: there are none. */
} native_blocks;

/** Zeroed if there are no origins. */
typedef struct heap_origins {
	const char *path;       /**< Of the log, borrowed. */
	uint32_t snapshot;      /**< Which snapshot of the log, from 1. */
	uint64_t memory;        /**< Maximum memory in MiB; 0 for the default. */
	log_input input;        /**< Its reader has the names. */
	mprof_profile *profile; /**< NULL: out of memory. */
	mprof_age_stats stats;
	native_blocks blocks; /**< If the log has events of native memory, and the addresses are those of objects. */
} heap_origins;

/** An object whose origin is known: that of the object, or that of the native memory that it is in. */
typedef struct heap_origin {
	const native_block *block; /**< If the log does not have the allocation of the object; else NULL. */
	mprof_object_origin object;
	mprof_age_site site;
} heap_origin;

/**
 * Reads the log up to a snapshot; path, snapshot and memory are set. \p traced: the identity of an object whose
 * addresses are kept, or 0. Returns an exit status. Call heap_origins_release() in any case.
 */
int heap_origins_read(heap_origins *origins, uint64_t traced);
void heap_origins_release(heap_origins *origins);

/**
 * Reads in which native memory the objects are, if the log has it and they have addresses in one process. After
 * heap_origins_read(). Returns an exit status.
 */
int heap_origins_read_native(heap_origins *origins);

/** Finds the origin of the object of a class that is at an address. Returns 0 if it is not known. */
int heap_origins_find_object(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin);

/** As heap_origins_find_object(), or that of the native memory that contains the address. */
int heap_origins_find(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin);

/** Why no origin is known in a log without allocations. */
extern const char heap_origins_without_allocations[];

/** Why origins are not known. */
const char *heap_origins_reason(const heap_origins *origins);

/** The frames of the call stack of an origin, the innermost first. The caller frees the array; NULL: out of memory. */
mprof_stack_frame *heap_origins_frames(const heap_origins *origins, const heap_origin *origin, size_t *count);

#endif
