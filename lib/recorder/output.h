/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/output.h
 * \brief The end of the recorder that the log comes out of: the mprof_writer, what became of it, and what is lost.
 *
 * All of it is the writer thread's once that runs; before, it is that of the thread that opens the recorder.
 */
#ifndef RECORDER_OUTPUT_H
#define RECORDER_OUTPUT_H

#include <mprof/recorder.h>

#include "format/kind_counts.h"
#include "recorder/block_ring.h"

typedef struct recorder_output {
	mprof_writer *writer;
	block_ring *ring; /**< Where its blocks go; NULL: elsewhere. Constant. */

	/* Constant: what the log is like. */
	int implicit_leaves;                    /**< It declares directive 16. */
	int has_heap_blocks;                    /**< It has HEAP_DATA blocks. */
	int methods_need_class;                 /**< As in dialect_rules. */
	int numbers_snapshots_like_collections; /**< As in dialect_rules. */
	int repeats_switches; /**< Blocks may be evicted: each begins with the stack that its thread is on. */

	int limit_reached;   /**< The log takes losses and its end only. */
	int limit_reported;  /**< Losses up to then are in the log; later ones wait for its end. */
	mprof_status status; /**< The error that stopped the writing. */
	mprof_error error;   /**< The same in full. */

	uint64_t lost[LOSS_CAUSE_COUNT];            /**< All losses, of threads too. */
	uint64_t lost_unreported[LOSS_CAUSE_COUNT]; /**< Of no thread, or of threads that ended: not in the log yet. */
} recorder_output;

/** Keeps the first error of the mprof_writer, which ends the writing, but not the draining. #MPROF_OK is ignored. */
void output_note_status(recorder_output *output, mprof_status status);

/**
 * Whether the log still takes more than losses: writing did not fail, and no block was refused for the limit. What is
 * not written is counted with output_count_lost().
 */
int output_is_writing(const recorder_output *output);

/** The cause to count with output_count_lost() where output_is_writing() is 0. */
mprof_loss_cause output_loss_cause(const recorder_output *output);

/** Counts events or samples that come from no thread that is attached: reported as losses of thread 0. */
void output_count_lost(recorder_output *output, mprof_loss_cause cause, uint64_t count);

/** Writes a block of records, unless nothing is written any more or there are none. */
void output_write_records(recorder_output *output, mprof_block_kind block, const mprof_record *records, size_t count);

/**
 * Writes losses that are not in the log yet, as those of a thread, and sets \p unreported to 0. After the limit they
 * wait for its end; those for which there is no room stay.
 */
void output_write_losses(recorder_output *output, uint64_t thread_id, uint64_t *unreported, int is_last);

#endif
