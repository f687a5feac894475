/* SPDX-License-Identifier: MIT */
/**
 * \file faults/fault_content.h
 * \brief Hashes what a parser or a reader gives.
 */
#ifndef FAULT_CONTENT_H
#define FAULT_CONTENT_H

#include "fault_run.h"

/** Hashes the fields that all blocks have. */
void fault_hash_block(fault_run *run, const mprof_block *block);

/** Fetches all that the loaded block lists. Returns #MPROF_END, or the error that ended it. */
mprof_status fault_fetch(fault_run *run, const log_input *input, const mprof_block *block);

/**
 * Takes one result of going to the next block, with what the block holds. Returns 1 if there is more to be had; 0 at
 * the end and after an error that is not of severity #MPROF_SEVERITY_BLOCK, which \p status then is.
 */
int fault_take_block(fault_run *run, const log_input *input, const mprof_block *block, mprof_status *status);

/** Hashes what a reader knows at the end: the session, names, call stacks, native code. */
void fault_hash_knowledge(fault_run *run, const mprof_reader *reader);

/** Options of a reader with the run's allocator. */
mprof_reader_options fault_reader_options(const fault_run *run);

#endif
