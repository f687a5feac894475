/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/block_peek.h
 * \brief Finds the thread and the counters at the start of a block of mprof2, without decoding the rest.
 */
#ifndef FORMAT_BLOCKS_BLOCK_PEEK_H
#define FORMAT_BLOCKS_BLOCK_PEEK_H

#include <stddef.h>
#include <stdint.h>

/** What an index contains about a block. */
typedef struct block_summary {
	uint64_t thread;        /**< EVENTS, SAMPLES, MARK; others: 0. */
	uint64_t start_counter; /**< EVENTS, SAMPLES: the base counter. Others: the first counter of the block. */
	uint64_t end_counter;   /**< LOADED, UNLOADED, STATISTICAL: the second counter. Others: the counter of the first
	                             clock pair, or the start counter; where the last clock pair starts is unknown
	                             without decoding. */
} block_summary;

/** Whether blocks of a kind are those of one thread: EVENTS, SAMPLES and MARK. */
int block_kind_has_thread(uint32_t kind);

/** Whether blocks of a kind contain counters that block_peek() finds. */
int block_kind_has_counters(uint32_t kind);

/** Whether blocks of a kind end with a CLOCK. */
int block_kind_ends_with_clock(uint32_t kind);

/**
 * Summarizes a block of mprof2. \p content is what is between its header and its checksum. Returns 0 and a summary of
 * zeros if the content is shorter than the fields, or the kind has none. The content is not checked further.
 */
int block_peek(uint32_t kind, const uint8_t *content, size_t length, block_summary *summary);

#endif
