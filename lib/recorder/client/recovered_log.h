/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/client/recovered_log.h
 * \brief The log that recovery continues: opened, and verified to be the right one, before anything is changed.
 *
 * The name of the log comes from the salvage file, or from a caller that can be mistaken. So the file must be a regular
 * one of the same user, must begin with the block that the recording process wrote first, and must consist of whole
 * blocks up to where the process committed. What was written after that is cut off only when all of the salvage file
 * has been read.
 */
#ifndef RECORDER_CLIENT_RECOVERED_LOG_H
#define RECORDER_CLIENT_RECOVERED_LOG_H

#include <mprof/base.h>

#include "base/allocator.h"
#include "base/progress.h"
#include "recorder/queues/salvage.h"

#include <stddef.h>
#include <stdint.h>

/** Length of the header of a block of mprof2, and of its checksum, in bytes. */
#define LOG_WALK_HEADER 6
#define LOG_WALK_CHECKSUM 4

/*
 * Recovery writes to a file whose name comes from another file, so it checks first what is there; and it checks what it
 * has written before it removes the salvage file. Blocks are not decoded, as the recorder has no reader.
 */

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
	uint32_t remaining;                      /**< Bytes after the header that are missing. */
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

/** The part of a file that is walked, as stored. */
typedef struct log_part {
	int fd;
	uint64_t start;
	uint64_t end;
	int is_compressed; /**< It consists of gzip members. */
	progress *going;   /**< Counts the stored bytes as steps; NULL: nothing does. */
} log_part;

typedef struct recovered_log {
	const char *path;
	int fd;                 /**< -1 if it is not open. */
	uint64_t length;        /**< Up to where the process committed, in bytes as stored. */
	uint32_t is_compressed; /**< In gzip members. */
	progress *going;        /**< Counts the bytes of the log that recovered_log_open() verifies, and can stop it. */
} recovered_log;

/**
 * Opens and verifies the log; its offset becomes that of the last commit. \p area is open. On error, \p error has the
 * text, and the offset in the log if the log is damaged. The caller closes it in any case.
 */
mprof_status recovered_log_open(recovered_log *log, const salvage_area *area, const salvage_header *header,
				mprof_error *error);

/** Cuts off what was written after the last commit. */
mprof_status recovered_log_cut(const recovered_log *log, mprof_error *error);

/** Verifies what was written after the last commit: whole blocks, with END as the last one. */
mprof_status recovered_log_verify(const recovered_log *log, mprof_error *error);

/** Closes the log, if it is open. */
void recovered_log_close(recovered_log *log);

/**
 * Verifies that a ring buffer may be written to \p path: that there is no file, an empty one, or a log, which it
 * replaces as the process itself would have done. \p is_named: the caller has named the path, and not the salvage file.
 */
mprof_status recovered_log_check_place(const char *path, int is_named, const salvage_area *area, mprof_error *error);

/** Verifies a log that was written from a ring. */
mprof_status recovered_log_verify_ring(const char *path, uint32_t is_compressed, mprof_error *error);

#endif
