/* SPDX-License-Identifier: MIT */
/**
 * \file reader/fault_report.h
 * \brief Tells a caller what is wrong with a log that is read to its end.
 */
#ifndef READER_FAULT_REPORT_H
#define READER_FAULT_REPORT_H

#include <mprof/reader.h>

typedef struct fault_report {
	mprof_reader *reader;
	mprof_damage_function damage; /**< May be NULL. */
	void *user;
	mprof_status
		first; /**< Of the first fault, or #MPROF_ERR_MEMORY, which ends the reading; #MPROF_OK while there was
	                       none. */
} fault_report;

/** Tells the reader's latest error. Returns 1 if the log can be read on behind it. */
int fault_report_error(fault_report *report);

/** The reader has met the end of the log, between two blocks: that is a fault if the log does not say so itself. */
void fault_report_end(fault_report *report);

/**
 * Whether loading failed for the end of the block alone: the log ends inside it, or it does not end as it should. What
 * is in front of that can be fetched; the fetching then fails as the loading did.
 */
static inline int fault_is_at_end(mprof_status status, const mprof_block *block)
{
	return block->loaded &&
	       (status == MPROF_ERR_TRUNCATED || (status == MPROF_ERR_MALFORMED && block->kind == MPROF_BLOCK_EVENTS));
}

#endif
