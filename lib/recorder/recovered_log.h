/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recovered_log.h
 * \brief The log that recovery continues: opened, and verified to be the right one, before anything is changed.
 *
 * The name of the log comes from the salvage file, or from a caller that can be mistaken. So the file must be a regular
 * one of the same user, must begin with the block that the recording process wrote first, and must consist of whole
 * blocks up to where the process committed. What was written after that is cut off only when all of the salvage file
 * has been read.
 */
#ifndef RECORDER_RECOVERED_LOG_H
#define RECORDER_RECOVERED_LOG_H

#include "base/progress.h"
#include "recorder/salvage.h"

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
