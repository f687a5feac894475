/* SPDX-License-Identifier: MIT */
/**
 * \file writer/block_calls.h
 * \brief The open calls of a thread at the start of an EVENTS block whose events are not followed by the writer.
 */
#ifndef WRITER_BLOCK_CALLS_H
#define WRITER_BLOCK_CALLS_H

#include "format/index_items.h"

/** The calls are those that a reader of the log has open, in dialects with INDEX blocks. */
typedef struct block_calls {
	uint64_t owner;     /**< Identifies the stack; changes if the ID of the thread is used again. A new owner starts
	                         with an empty stack. */
	int is_known;       /**< There are at most #INDEX_MAX_FRAMES methods. */
	uint32_t depth;     /**< Their number. */
	int begins_thread;  /**< The block contains the start of its thread, which ends all calls. */
	int ends_all;       /**< No calls of any thread are known after the block (doc/format.md, 3.24). */
	int is_empty_after; /**< No call is open after the block. */
	uint64_t searched;  /**< Frames that failed searches of the owner visited so far. */
	uint32_t methods[INDEX_MAX_FRAMES]; /**< Their IDs, outermost first. */
} block_calls;

#endif
