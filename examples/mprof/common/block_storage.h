/* SPDX-License-Identifier: MIT */
/**
 * \file common/block_storage.h
 * \brief How the blocks of a log are stored: which are compressed, and whether an index describes them.
 */
#ifndef BLOCK_STORAGE_H
#define BLOCK_STORAGE_H

#include "common/json.h"

#include <mprof/reader.h>

#include <stdio.h>

/** The number of all codecs that are not known. */
#define BLOCK_STORAGE_OTHER 3

typedef struct block_storage {
	uint64_t blocks;                          /**< Blocks of all kinds. */
	uint64_t packed_blocks;                   /**< Those that are compressed. */
	uint64_t packed_bytes;                    /**< Their bytes in the log, with their headers. */
	uint64_t unpacked_bytes;                  /**< The same, if they were not compressed. */
	uint64_t codecs[BLOCK_STORAGE_OTHER + 1]; /**< Compressed blocks by #mprof_codec_number. */
	uint64_t index_blocks;
	int has_whole_index; /**< The log ends with an index of all its blocks. */
} block_storage;

/** Counts a block, of which only the header need have been read. */
void block_storage_add(block_storage *storage, const mprof_block *block);

/** Prints the fields into an open object. */
void block_storage_print_json(const block_storage *storage, json_writer *json);

/** Prints lines of a label and a value; nothing if no block is compressed and there is no index. */
void block_storage_print_text(const block_storage *storage, FILE *file);

#endif
