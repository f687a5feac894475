/* SPDX-License-Identifier: MIT */
/**
 * \file reader/call_stacks.h
 * \brief Attaches call stacks to events: those that stack sections of the log describe, and the frames of STATISTICAL
 * blocks, which are combined into samples.
 */
#ifndef READER_CALL_STACKS_H
#define READER_CALL_STACKS_H

#include <mprof/reader.h>

void reader_stacks_init(mprof_reader *reader);
void reader_stacks_destroy(mprof_reader *reader);

/** Whether the loaded block may have stack sections. */
int reader_has_stack_sections(const mprof_reader *reader);

/** As mprof_reader_next_events(), for a block that may have stack sections. Attaches the call stacks to the events. */
mprof_status reader_stacks_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** Prepares for fetching the events of the loaded block from the first one again. */
void reader_stacks_rewind(mprof_reader *reader);

/** Leaves the loaded block. The stack of its thread is kept for the thread's next block. */
void reader_stacks_leave(mprof_reader *reader);

/** Discards all call stacks, because reading continues at another offset. */
void reader_stacks_forget(mprof_reader *reader);

void reader_samples_init(mprof_reader *reader);
void reader_samples_destroy(mprof_reader *reader);

/** Stores the modules and functions that the loaded STATISTICAL block defines. */
mprof_status reader_samples_learn(mprof_reader *reader, const mprof_block *block);

/** Translates a record of the loaded STATISTICAL block from the IDs of the log to those of the reader. */
void reader_samples_translate(mprof_reader *reader, mprof_record *record);

/** As mprof_reader_next_events(), for a STATISTICAL block. The caller has set \p count to 0. */
mprof_status reader_samples_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** Prepares for fetching the samples of the loaded block from the first one again. */
void reader_samples_rewind(mprof_reader *reader);

#endif
