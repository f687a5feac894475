/* SPDX-License-Identifier: MIT */
/**
 * \file reader/reader.h
 * \brief Functions of a reader for the model and the converter, in addition to the public ones. The struct is private
 * to lib/reader.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include <mprof/reader.h>

#include "format/events/event_decode_table.h"

/**
 * Sets whether implicit leaves are delivered without their methods, for a caller that follows the calls itself. Returns
 * the previous setting. While it is set, the reader does not follow the calls.
 */
int reader_keep_implicit_leaves(mprof_reader *reader, int keeps);

/** Whether INTRO was read or found to be unreadable, and no block after it was read. */
int reader_is_after_intro(const mprof_reader *reader);

/**
 * Returns the name of the runtime from INTRO; NULL if INTRO could not be read. Borrowed until the reader is destroyed.
 */
const char *reader_runtime(const mprof_reader *reader);

/** Whether a block with a clock pair was read. */
int reader_has_clock(const mprof_reader *reader);

/**
 * Returns the last ID that the reader itself assigned to records of a kind (#mprof_record_kind); 0 if none, or the ID
 * before the first one that it will assign.
 */
uint32_t reader_last_own_id(const mprof_reader *reader, size_t kind);

/** Returns to the first item of the loaded block, even if the block is readable only in part. */
void reader_rewind(mprof_reader *reader);

/**
 * As mprof_reader_next_events(), but \p borrowed receives the events: they are in \p events, an array of \p capacity,
 * or in an array of the reader that is valid until the next call that reads. Saves copying events that other threads
 * decoded.
 * Addresses of generated code in their call stacks are named, as by mprof_reader_name_stack().
 */
mprof_status reader_lend_events(mprof_reader *reader, mprof_event *events, size_t capacity,
				const mprof_event **borrowed, size_t *count);

/**
 * Whether the events of the loaded block are stored in columns, and the reader changes nothing in them: then
 * mprof_reader_next_columns() is the fastest way to fetch them, and has no effect on later blocks.
 */
int reader_has_columns(const mprof_reader *reader);

/**
 * Sets what other threads do with the events of later blocks before the reader gets to them, if there are any threads.
 * NULL: they store the events. Borrowed until another one is set.
 */
void reader_set_visitor(mprof_reader *reader, const event_visitor *visitor);

/**
 * Whether the events of the loaded block are delivered as they are in the log, so that they are those that a visitor
 * gets.
 */
int reader_may_visit(const mprof_reader *reader);

/**
 * Returns the state of the visitor after the loaded block, or NULL if no other thread has begun it, or some of its
 * events were fetched. \p is_whole receives whether the visitor has all events: only then they need not be fetched.
 * Valid until events are fetched or the block is left.
 */
void *reader_visit(const mprof_reader *reader, int *is_whole);

/** Notes that events up to a counter are added as they are in the log, while no ranges of code are known. */
void reader_note_unnamed(mprof_reader *reader, uint64_t counter);

/** Returns the size of all objects of a class, in bytes, as far as it was read; 0 if it is not known or varies. */
uint32_t reader_object_size(const mprof_reader *reader, uint32_t class_id);

/** Skips the events of the loaded block: the visitor has processed them. */
void reader_pass_visited(mprof_reader *reader);

/**
 * As mprof_reader_next_events() for a STATISTICAL block, with the events as they are in the log: one for each frame,
 * not one for each sample.
 */
mprof_status reader_next_frames_of_samples(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/**
 * Reads the headers of the log from its start, through mprof_source::read_at and without effect on the position of the
 * reader. Does nothing if an index was built, if the log may still grow, if the source cannot do that, or if it was
 * done. Returns #MPROF_OK; #MPROF_ERR_INTERRUPTED: the same call continues; #MPROF_ERR_MEMORY.
 */
mprof_status reader_find_whole_clock(mprof_reader *reader);

/**
 * The first counter whose time is not before \p nanoseconds. Returns 1 if that is final: the clock of the whole log is
 * known. 0: it may change when more blocks are read.
 */
int reader_get_whole_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter);

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
