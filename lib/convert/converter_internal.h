/* SPDX-License-Identifier: MIT */
/**
 * \file convert/converter_internal.h
 * rief The struct of the converter, for the files of lib/convert alone.
 *
 * converter.c goes from block to block; copy_blocks.c copies those without lists of events, copy_definitions.c those
 * that define something, copy_events.c, copy_samples.c and copy_heap.c those with events; copy_switches.c replaces
 * switches between call stacks.
 *
 * Functions that copy return #MPROF_OK or the error that ends the copy: one of the writer, or #MPROF_ERR_MEMORY. A fault
 * of the log is reported by converter_read_failed() and at most ends the reading of a block.
 */
#ifndef CONVERT_CONVERTER_INTERNAL_H
#define CONVERT_CONVERTER_INTERNAL_H

#include <mprof/convert.h>

#include "base/hash_map.h"
#include "base/stack_table.h"
#include "convert/directives.h"
#include "convert/id_translation.h"
#include "convert/open_calls.h"
#include "reader/fault_report.h"
#include "reader/reader.h"
#include "writer/writer.h"

/** Events that are taken from the reader at once. */
#define CONVERTER_BATCH 2048

/** A call stack that threads switch to and from. */
typedef struct switched_calls {
	stack_state state; /**< Its thread is one more than the thread's place. */
	open_calls calls;
} switched_calls;

/** What is known of a thread between its blocks. */
typedef struct thread_state {
	uint64_t thread;
	uint64_t base_counter; /**< Of its last block, as the log says. */
	uint64_t last_counter; /**< Of its last event. */
	int has_block;
	open_calls own_calls;
	uint64_t own_left;     /**< When it switched from its own stack to another one. */
	switched_calls *other; /**< The stack that it is on; NULL: its own. */
} thread_state;

/** The calls that are open on the stack that a thread is on. */
static inline open_calls *thread_calls(thread_state *thread)
{
	return thread->other != NULL ? &thread->other->calls : &thread->own_calls;
}

struct mprof_converter {
	mprof_allocator allocator;
	mprof_reader *reader;
	log_declarations source;
	log_declarations target;
	int is_strict;       /**< The copy ends when something is left out. */
	int resolves_leaves; /**< Leaves of the method on top have to name it. */
	int shortens_leaves; /**< Leaves of the method on top need not name it. */

	mprof_block pending; /**< What was read ahead. */
	mprof_status pending_status;
	int has_pending;

	/* While the copy runs */
	mprof_writer *writer;
	fault_report faults;
	int is_over;          /**< Nothing more can be read. */
	int is_closed;        /**< END was read. */
	mprof_status failure; /**< That ended the copy, which cannot go on; #MPROF_OK if none has. */

	mprof_clock clocks[4]; /**< What the writer is told, one after the other. */
	size_t clock_count;    /**< 1 or more. */
	size_t next_clock;

	id_translation ids[MPROF_RECORD_METRIC + 1];   /**< By #mprof_record_kind. */
	uint32_t implied_ids[MPROF_RECORD_METRIC + 1]; /**< The last of the reader's own that the copy has, the same. */
	uint32_t last_shot;                            /**< The greatest number of a heap shot in the copy. */

	hash_map thread_places;
	thread_state *threads;
	size_t thread_count;
	size_t thread_capacity;
	stack_table stacks;      /**< Those that are no thread's own: #switched_calls. */
	uint64_t replayed_calls; /**< Calls left and entered again for switches. */

	mprof_event events[CONVERTER_BATCH];
	mprof_event_detail details[CONVERTER_BATCH]; /**< Of events whose details differ from those of the log. */
	mprof_record *records;
	size_t record_capacity;
	mprof_event samples[CONVERTER_BATCH];
	uint64_t repeated_samples;         /**< Those that stand in the log as a number behind one. */
	uint32_t hits[2][CONVERTER_BATCH]; /**< Methods and functions. */
};

/**
 * Reports an error that the reader just returned. Returns #MPROF_OK, or #MPROF_ERR_MEMORY, which ends the copy.
 */
static inline mprof_status converter_read_failed(mprof_converter *converter, mprof_status status)
{
	if (status == MPROF_ERR_MEMORY)
		return status;
	if (status != MPROF_END && !fault_report_error(&converter->faults))
		converter->is_over = 1;
	return MPROF_OK;
}

#endif
