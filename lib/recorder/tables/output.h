/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/output.h
 * \brief The output of the recorder: the mprof_writer, its status, and the losses.
 *
 * Owner: the writer thread once it runs; before that, the thread that opens the recorder.
 */
#ifndef RECORDER_TABLES_OUTPUT_H
#define RECORDER_TABLES_OUTPUT_H

#include <mprof/recorder.h>

#include "format/events/event_kinds.h"
#include "recorder/queues/block_ring.h"

typedef struct recorder_output {
	mprof_writer *writer;
	block_ring *ring; /**< The ring that its blocks go to; NULL if they go elsewhere. Constant. */

	/* Constant: properties of the log. */
	int implicit_leaves;                    /**< It declares directive 16. */
	int has_index;                          /**< It has INDEX blocks. */
	int has_session;                        /**< It has SESSION blocks. */
	int has_positions;                      /**< It has POSITIONS blocks. */
	int has_heap_blocks;                    /**< It has HEAP_DATA blocks. */
	int has_heap_notes;                     /**< It has OBJECT_LABELS and REFERENCE_NAMES blocks. */
	int methods_need_class;                 /**< As in dialect_rules. */
	int numbers_snapshots_like_collections; /**< As in dialect_rules. */
	uint32_t counter_shift;                 /**< Counters in it are divided by 2 to this power. */
	int repeats_switches; /**< Blocks may be evicted: each begins with a switch to its thread's stack. */

	mprof_clock next_clock; /**< The clock pair of the next block, if has_next_clock is set. */
	int has_next_clock;
	mprof_clock last_clock; /**< The last clock pair in the log. Owner: the thread that writes the log. */

	int limit_reached;   /**< The size limit is reached: only losses and the end are still written. */
	int limit_reported;  /**< The losses at the limit are in the log; later ones are reported on close. */
	mprof_status status; /**< The error that stopped the writing. */
	mprof_error error;   /**< The details of that error. */

	uint64_t lost[LOSS_CAUSE_COUNT];            /**< All losses, including those of threads. */
	uint64_t lost_unreported[LOSS_CAUSE_COUNT]; /**< Of no thread or of ended ones, not in the log yet. */
} recorder_output;

/** Converts a counter of the recorder to that of the log. */
static inline uint64_t output_counter(const recorder_output *output, uint64_t counter)
{
	return counter >> output->counter_shift;
}

/** Converts the counters of events and the durations that end at them, but not the start of a resize. */
void output_convert_counters(const recorder_output *output, mprof_event *events, size_t count);

/** Keeps the first error of the mprof_writer. It ends writing, but not draining. #MPROF_OK is ignored. */
void output_note_status(recorder_output *output, mprof_status status);

/**
 * Whether blocks are still written: no error has occurred, and no block was refused for the limit. What is not written
 * is counted with output_count_lost().
 */
int output_is_writing(const recorder_output *output);

/** The cause to pass to output_count_lost() if output_is_writing() is 0. */
mprof_loss_cause output_loss_cause(const recorder_output *output);

/**
 * Ends the log. After an error of the system it ends with the losses that are in no LOST block yet and with the cause,
 * in the property write-error of SESSION, if there is room for that or room can be made; the status stays.
 */
void output_close(recorder_output *output);

/** Counts lost events or samples that belong to no attached thread. They are reported as losses of thread 0. */
void output_count_lost(recorder_output *output, mprof_loss_cause cause, uint64_t count);

/** Notes that the block that was written last contains events: a ring counts those that it evicts. */
void output_note_events(recorder_output *output, uint64_t count);

/** Writes a block of records, if there are any and blocks are still written. */
void output_write_records(recorder_output *output, mprof_block_kind block, const mprof_record *records, size_t count);

/**
 * Writes the unreported losses of a thread, and sets \p unreported to 0. Past the limit, they are written only if \p
 * is_last. Losses that could not be written stay unreported.
 */
void output_write_losses(recorder_output *output, uint64_t thread_id, uint64_t *unreported, int is_last);

#endif
