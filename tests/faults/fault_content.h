/* SPDX-License-Identifier: MIT */
/**
 * \file faults/fault_content.h
 * \brief Hashes the results of a parser or a reader.
 */
#ifndef FAULTS_FAULT_CONTENT_H
#define FAULTS_FAULT_CONTENT_H

#include "fault_run.h"

/** Hashes the fields that all blocks have. */
void fault_hash_block(fault_run *run, const mprof_block *block);

/** Fetches all items of the loaded block. Returns #MPROF_END, or the error that ended it. */
mprof_status fault_fetch(fault_run *run, const log_input *input, const mprof_block *block);

/**
 * Hashes the result of moving to the next block, and the content of the block. Returns 1 to go on, and 0 at the end and
 * after an error that is not of severity #MPROF_SEVERITY_BLOCK; \p status then is that error.
 */
int fault_process_block(fault_run *run, const log_input *input, const mprof_block *block, mprof_status *status);

/** Reads all blocks. Returns the status that ended it. */
mprof_status fault_read_blocks(fault_run *run, mprof_reader *reader);

/** Hashes the state of a reader at the end: the session, names, call stacks, native code. */
void fault_hash_dictionary(fault_run *run, const mprof_reader *reader);

/** Options of a reader with the run's allocator. */
mprof_reader_options fault_reader_options(const fault_run *run);

#endif
