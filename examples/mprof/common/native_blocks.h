/* SPDX-License-Identifier: MIT */
/**
 * \file common/native_blocks.h
 * \brief The blocks of native memory that exist at a heap snapshot: which of them contains an object.
 */
#ifndef NATIVE_BLOCKS_H
#define NATIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/** A block. */
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

/**
 * Reads the events of native memory before a heap snapshot of a log. \p snapshot: which one, from 1. \p limit: bytes of
 * memory for them. Returns an exit status. Call native_blocks_release() in any case.
 */
int native_blocks_read(native_blocks *all, const char *path, uint32_t snapshot, uint64_t limit);
void native_blocks_release(native_blocks *all);

/** The innermost block that contains an address; NULL if none. */
const native_block *native_blocks_find(const native_blocks *all, uint64_t address);

#endif
