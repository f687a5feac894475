/* SPDX-License-Identifier: MIT */
/**
 * \file convert/converter_internal.h
 * \brief The converter's insides: converter.c goes over the blocks, copy_blocks.c copies those without lists of events,
 * copy_definitions.c what is defined, copy_events.c EVENTS, copy_samples.c and copy_heap.c what their names say.
 *
 * The functions that copy return #MPROF_OK, or what ends the copy: an error of the writer, or #MPROF_ERR_MEMORY, also
 * the reader's. What is wrong with the log is told by converter_read_failed() and ends no more than the reading of a block.
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

/** Tells of an error that the reader just returned. Returns #MPROF_OK, or #MPROF_ERR_MEMORY, which ends the copy. */
mprof_status converter_read_failed(mprof_converter *converter, mprof_status status);

/** The writer is about to write a block with the clocks of this one, if it has any. */
void converter_set_clock(mprof_converter *converter, const mprof_block *block);

/** The same for a heap shot, which has more of them. */
void converter_set_shot_clock(mprof_converter *converter, const mprof_block *block);

/** What is known of a thread; NULL if there is no memory. */
thread_state *converter_thread(mprof_converter *converter, uint64_t thread);

/**
 * Reads the events of the loaded block and forgets them, so that what they define is known; then goes back. Dialects
 * say the call chains and the native code that events use in the midst of them. \p count receives how many there are,
 * \p fault why there are no more; #MPROF_END if all could be read.
 */
mprof_status converter_survey(mprof_converter *converter, uint64_t *count, mprof_status *fault);

/* Those that copy a block. */
mprof_status copy_mapping(mprof_converter *converter, const mprof_block *block);
mprof_status copy_loaded(mprof_converter *converter, const mprof_block *block);
mprof_status copy_session(mprof_converter *converter, const mprof_block *block);
mprof_status copy_thread(mprof_converter *converter, const mprof_block *block);
mprof_status copy_lost(mprof_converter *converter, const mprof_block *block);
mprof_status copy_mark(mprof_converter *converter, const mprof_block *block);
mprof_status copy_records(mprof_converter *converter, const mprof_block *block);
mprof_status copy_events(mprof_converter *converter, const mprof_block *block);
mprof_status copy_samples(mprof_converter *converter, const mprof_block *block);
mprof_status copy_heap(mprof_converter *converter, const mprof_block *block);

/**
 * Follows a switch between stacks, the end of one, a start of a thread or a gap in its recording, for dialects without
 * such: calls that are open on the stack that the thread leaves are left, and those on the other one entered again, so
 * that times are right. The event itself is for the writer to count. Events are written at once; \p event is the one at
 * hand.
 */
mprof_status copy_switch(mprof_converter *converter, thread_state *thread, const mprof_event *event);

/** Frees the stacks that no thread owns. */
void switches_release(mprof_converter *converter);

/** Defines in the copy what the reader has found defined by events since. */
mprof_status copy_implied_definitions(mprof_converter *converter);

#endif
