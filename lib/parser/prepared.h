/* SPDX-License-Identifier: MIT */
/**
 * \file parser/prepared.h
 * \brief Blocks of events that were decoded before the parser reaches them, possibly on other threads.
 *
 * A prepared block is only a cache: it contains the bytes that were decoded, and the parser uses it only if the block
 * that it reads has the same bytes. Whatever could not be prepared (damage, a truncated log, events that exceed the
 * room) is decoded by the parser as usual, which continues after the last event that was prepared.
 */
#ifndef PARSER_PREPARED_H
#define PARSER_PREPARED_H

#include "codec/codec.h"
#include "format/blocks/block_decode.h"
#include "format/events/event_columns_decode.h"
#include "format/events/event_decode_table.h"
#include "format/events/events_decode.h"

/*
 * It needs the bytes of the block and an unpacker, but no parser, so several threads with an unpacker each can
 * decompress blocks at the same time.
 */

/** The content of a block that is not in the buffer as it is decoded. */
typedef struct unpacked_content {
	const uint8_t *bytes; /**< NULL: the content is in the buffer. */
	size_t length;
	size_t readable; /**< Bytes that may be read, at least length. */
} unpacked_content;

/** Codecs and the memory for one block. */
typedef struct block_unpacker {
	codec_set codecs;
	uint8_t *memory;
	size_t capacity;
} block_unpacker;

void block_unpacker_init(block_unpacker *unpacker, const mprof_allocator *allocator);
void block_unpacker_destroy(block_unpacker *unpacker);

/**
 * Reserves what block_unpack() needs for a block of a codec of the library and of this unpacked length. If the data is
 * neither damaged nor truncated, it then allocates nothing. Returns 0 if the allocator refused, or there is no such
 * codec.
 */
int block_unpacker_reserve(block_unpacker *unpacker, uint64_t codec, size_t unpacked_length);

/**
 * Decompresses a block whose fields were decoded. \p content receives it, in the memory of the unpacker; valid until
 * the next call. If the block is truncated (compressed_block::tail is NULL), it receives what could be decompressed.
 * The caller has checked compressed_block::unpacked_length against its limit, since as much is allocated. Returns:
 * - #MPROF_OK, also for a truncated block.
 * - #MPROF_ERR_MALFORMED if the compressed data is damaged or has another length than the block specifies.
 * - #MPROF_ERR_UNSUPPORTED if there is no such codec.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status block_unpack(block_unpacker *unpacker, const compressed_block *block, unpacked_content *content);

/** The message for an error of block_unpack(). Static text. */
const char *block_unpack_fault(mprof_status status, uint64_t codec);

/**
 * The events of a block are decoded in parts, so that its owner can deliver the first ones while others are decoded.
 * The ring of arrays has room for the longest blocks that the library writes. With less, a thread waits for a free
 * part several times in a block, and waking it costs more than arrays that do not stay in the caches.
 */
#define PREPARED_PARTS 16
#define PREPARED_PART_EVENTS 4096
#define PREPARED_PART_DETAILS 1024

/** What the decoding of an EVENTS block depends on, apart from its bytes. Only read while blocks are prepared. */
typedef struct prepared_context {
	/** The first member, so that no entry of 16 bytes crosses a cache line. */
	event_decode_table table;
	block_decoding decoding;
	int ignore_checksums;
	int has_typed_columns; /**< Events of types may be in columns. */
	int may_unpack;        /**< Blocks may be decompressed on any thread: there are no codecs of the caller. */
	uint8_t numbers;       /**< A #collection_numbers. */
} prepared_context;

/** Events that are decoded at once for a visitor: they stay in the processor's caches until it has them. */
#define VISITED_EVENTS 1024

/**
 * What a thread needs to pass events to a visitor. It is used for one block after the other, because memory that
 * another processor has written last takes longer to write.
 */
typedef struct visit_memory {
	event_arrays arrays; /**< For blocks of columns, and for their rows. */
	mprof_event events[VISITED_EVENTS];
	mprof_event_detail details[VISITED_EVENTS];
	void *scratch; /**< The visitor's scratch memory. */
} visit_memory;

/** Some events of a block that were decoded together. */
typedef struct prepared_part {
	size_t count;
	uint8_t numbers; /**< events_decode_state::numbers after them. */
} prepared_part;

/**
 * A block and its events. The owner provides the arrays, and for a COMPRESSED block reserves codec and memory with
 * block_unpacker_reserve().
 *
 * Only the thread that decodes the block changes it while it does so. The owner then reads nothing but the parts before
 * known, which are not decoded again before it has left them.
 */
typedef struct prepared_block {
	uint64_t offset;             /**< Offset in the log. */
	const uint8_t *bytes;        /**< The block with its header and checksum. */
	size_t length;               /**< Number of bytes. */
	mprof_event *events;         /**< #PREPARED_PARTS times #PREPARED_PART_EVENTS. */
	mprof_event_detail *details; /**< The same for #PREPARED_PART_DETAILS; NULL if there are no details. */
	block_unpacker unpacker;
	void *expanded; /**< Memory for the arguments of events of types in columns, for threads never allocate. */
	size_t expanded_capacity;
	uint64_t until; /**< Number of parts up to which the block is decoded. */

	/* Used by the owner alone. */
	uint64_t known;        /**< Number of parts that it has seen. */
	uint64_t current;      /**< Number of the part whose events are delivered. */
	size_t taken;          /**< Its events that were delivered. */
	int is_begun;          /**< At least one event was delivered. */
	uint64_t last_counter; /**< The counter of the last one. */

	int is_started; /**< The start of the block was decoded, so is_valid is set. */

	int is_valid;      /**< The fields below are set: the block is valid, at least up to its list. */
	mprof_block block; /**< As the parser loads it. */
	block_body body;
	unpacked_content unpacked;           /**< The content of a COMPRESSED block, in the memory of the unpacker. */
	prepared_part parts[PREPARED_PARTS]; /**< Part number N is at N modulo their number. */
	uint64_t decoded;                    /**< Number of parts decoded. */
	int is_over;                         /**< No part follows: the parser decodes what is left, if anything is. */
	events_decode_state state;           /**< The state after the last part. */
	event_columns_state columns;         /**< The same for a block of columns. */

	/**
	 * If it is not NULL, events are passed to it, and there are no parts. A block that was not visited as a whole
	 * is decoded again.
	 */
	const event_visitor *visitor;
	void *visit;          /**< The state of the visitor. */
	visit_memory *memory; /**< That of the thread that decodes the block. */
	int is_visited;       /**< The visit has begun. */
	int is_whole;         /**< The visitor has all events of the block, and no error follows. */
} prepared_block;

/** Where the parser gets prepared blocks from. The functions are called on the thread of the parser. */
typedef struct prepared_source {
	/**
	 * Returns a valid prepared block with these bytes, or NULL. Borrowed, with its unpacked content, until the
	 * parser asks for another block or is restarted.
	 */
	prepared_block *(*find)(void *user, uint64_t offset, const uint8_t *bytes, size_t length);
	/**
	 * Called after the events of prepared_block::current were delivered: goes to the next part. Returns 0 if it was
	 * the last one.
	 */
	int (*next_part)(void *user, prepared_block *prepared);
	/**
	 * Called before the sizes of classes change: waits until no block is being prepared that depends on them, and
	 * begins no other before resume() is called.
	 */
	void (*pause)(void *user);
	void (*resume)(void *user);
	void *user;
} prepared_source;

/** The memory for arguments that suffices for most blocks whose content has this length, in bytes. */
static inline size_t prepared_block_expanded_length(size_t length)
{
	return ((size_t)1 << 20) + 4 * (length < TYPED_COLUMNS_MAX_BYTES / 4 ? length : TYPED_COLUMNS_MAX_BYTES / 4);
}

/** Prepares for another block, with parts. The owner fills in prepared_block::bytes. */
void prepared_block_init(prepared_block *prepared, uint64_t offset, size_t length);

/** The events of the current part that were not delivered yet. */
static inline size_t prepared_block_left(const prepared_block *prepared)
{
	if (prepared->current == prepared->known)
		return 0;
	return prepared->parts[prepared->current % PREPARED_PARTS].count - prepared->taken;
}

/**
 * Decodes prepared_block::bytes up to the part prepared_block::until, as far as possible. May run on any thread, at the
 * same time as others with the same context. Allocates nothing, unless a COMPRESSED block is damaged and the allocator
 * of its codecs permits it.
 */
void prepared_block_decode(prepared_block *prepared, const prepared_context *context);

#endif
