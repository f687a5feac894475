/* SPDX-License-Identifier: MIT */
/**
 * \file stream/reader_internal.h
 * \brief The reader's insides: reader.c opens and looks up names, reader_definitions.c looks up all else that is
 * defined, reader_blocks.c goes over blocks, reader_input.c feeds the parser, reader_index.c moves to places.
 */
#ifndef STREAM_READER_INTERNAL_H
#define STREAM_READER_INTERNAL_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "stream/block_index.h"
#include "stream/definition_table.h"
#include "stream/name_table.h"
#include "stream/parser_internal.h"
#include "stream/source.h"
#include "stream/time_scale.h"

struct mprof_reader {
	mprof_allocator allocator;
	mprof_parser *parser;
	uint64_t wanted; /**< Kinds to load, as #MPROF_BLOCK_BIT. */
	int is_following;
	mprof_error error;

	mprof_source source;
	uint8_t head[SOURCE_GZIP_MAGIC_LENGTH]; /**< The source's first bytes, by which compression is recognised. */
	size_t head_length;
	int is_recognised;
	int is_compressed;
	int is_damaged; /**< The compressed data is, where it was read last. */

	int has_block; /**< A header was found, and what is to be done with its block is not done yet. */
	int is_past_intro;
	int has_intro;     /**< intro is waiting to be given out. */
	mprof_block intro; /**< Its name is runtime. */
	char *runtime;
	size_t runtime_length;

	name_table names;
	definition_table definitions;
	uint64_t read_until;  /**< Behind the block furthest on that was gone over. */
	int misses_something; /**< Blocks that may have defined something were passed by, or could not be read. */
	time_scale scale;
	hash_map lost_by_block; /**< What each LOST block says, by its place. */
	uint64_t lost_events;
	block_index index;
	int has_index;
	mprof_error index_error; /**< The first fault that was met when the index was made. */
};

/** Notes a failed system call of the source. Returns #MPROF_ERR_IO. */
mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what);

/**
 * Gives the parser, which asked for more bytes, some, or tells it that there are none. Returns #MPROF_OK; #MPROF_AGAIN
 * when following and nothing is left now; or an error.
 */
mprof_status reader_feed(mprof_reader *reader);

/** Goes to the next block and loads it if it is of a kind that is wanted. As mprof_reader_next_block(). */
mprof_status reader_next(mprof_reader *reader, uint64_t wanted, mprof_block *block);

/** Reads INTRO and keeps it until it is asked for. */
mprof_status reader_read_intro(mprof_reader *reader);

#endif
