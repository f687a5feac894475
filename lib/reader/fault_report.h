/* SPDX-License-Identifier: MIT */
/**
 * \file reader/fault_report.h
 * \brief Reports the faults of a log to the caller of a function that reads all of it.
 */
#ifndef READER_FAULT_REPORT_H
#define READER_FAULT_REPORT_H

#include <mprof/reader.h>

typedef struct fault_report {
	mprof_reader *reader;
	mprof_damage_function damage; /**< Called for each fault; may be NULL. */
	void *user;
	mprof_status first; /**< The first fault, or #MPROF_ERR_MEMORY, which takes precedence; else #MPROF_OK. */
} fault_report;

/** Reports the reader's latest error. Returns 1 if reading can continue after it. */
int fault_report_error(fault_report *report);

/**
 * Call this when the log ends between two blocks. Reports a fault if no END block was read and no fault was reported
 * before.
 */
void fault_report_end(fault_report *report);

/**
 * Whether loading failed only because the end of the block is missing or damaged: the log ends inside it, or it is an
 * EVENTS block whose list has no end. The content before that can be fetched; after it, the fetching function returns
 * the same status.
 */
static inline int fault_is_at_end(mprof_status status, const mprof_block *block)
{
	return block->loaded &&
	       (status == MPROF_ERR_TRUNCATED || (status == MPROF_ERR_MALFORMED && block->kind == MPROF_BLOCK_EVENTS));
}

#endif
