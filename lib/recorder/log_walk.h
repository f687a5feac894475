/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/log_walk.h
 * \brief Checks that bytes are whole blocks of mprof2 with the right checksums, and which log they are of.
 *
 * Recovery writes to a file whose name comes from another file, so it checks first what is there; and it checks what it
 * has written before it removes the salvage file. Blocks are not decoded, as the recorder has no reader.
 */
#ifndef RECORDER_LOG_WALK_H
#define RECORDER_LOG_WALK_H

#include <mprof/status.h>

#include "base/allocator.h"
#include "base/progress.h"

#include <stddef.h>
#include <stdint.h>

/** Length of the header of a block of mprof2, and of its checksum, in bytes. */
#define LOG_WALK_HEADER 6
#define LOG_WALK_CHECKSUM 4

/** The state between two pieces of bytes. Begins as all 0. */
typedef struct log_walk {
	uint64_t offset;         /**< Bytes so far, before compression. */
	uint64_t block_offset;   /**< Of the block that the walk is in. */
	uint64_t blocks;         /**< Whole blocks so far. */
	uint32_t first_checksum; /**< Of the first block. */
	int has_end;             /**< The last whole block is END. */
	int is_continued;        /**< Set by the caller: the first block need not be INTRO. */
	int is_first_only;       /**< Set by the caller: only the first block is walked. */

	/* Of the block that the walk is in. */
	unsigned char header[LOG_WALK_HEADER];
	unsigned char stored[LOG_WALK_CHECKSUM]; /**< Its checksum. */
	uint32_t header_length;                  /**< Bytes of the header so far. */
	uint32_t left;                           /**< Bytes after the header that are missing. */
	uint32_t checksum;                       /**< Of its bytes so far. */
} log_walk;

/**
 * Continues with more bytes. Returns #MPROF_OK, or the status of the first damage, which is in the block at
 * log_walk::block_offset: #MPROF_ERR_NOT_MPROF if the first block is not that of an mprof2 log, #MPROF_ERR_MALFORMED
 * for an impossible length, #MPROF_ERR_CHECKSUM.
 */
mprof_status log_walk_feed(log_walk *walk, const void *bytes, size_t length);

/** Whether the walk is between two blocks. */
static inline int log_walk_is_whole(const log_walk *walk)
{
	return walk->header_length == 0;
}

/** Whether the walk is at its end before the log is. */
static inline int log_walk_is_done(const log_walk *walk)
{
	return walk->is_first_only && walk->blocks > 0;
}

/** The part of a file that is walked, as stored. */
typedef struct log_part {
	int fd;
	uint64_t start;
	uint64_t end;
	int is_compressed; /**< It consists of gzip members. */
	progress *going;   /**< Counts the stored bytes as steps; NULL: nothing does. */
} log_part;

/**
 * Walks a part of a file, which must be whole blocks. The file's offset does not change. Returns #MPROF_OK, the status
 * of log_walk_feed(), #MPROF_ERR_TRUNCATED if the last block is not whole, #MPROF_ERR_IO with \p system_error,
 * #MPROF_ERR_MEMORY, #MPROF_ERR_INTERRUPTED if log_part::going stopped it, or #MPROF_ERR_UNSUPPORTED if it is
 * compressed and the library was built without zlib.
 */
mprof_status log_walk_part(log_walk *walk, const mprof_allocator *allocator, const log_part *part, int *system_error);

#endif
