/* SPDX-License-Identifier: MIT */
/**
 * \file reader/call_stacks.h
 * \brief Gives events the call stacks that stack sections of the log describe.
 */
#ifndef READER_CALL_STACKS_H
#define READER_CALL_STACKS_H

#include <mprof/reader.h>

void reader_stacks_init(mprof_reader *reader);
void reader_stacks_destroy(mprof_reader *reader);

/** Whether the loaded block has stack sections, or may have. */
int reader_has_stack_sections(const mprof_reader *reader);

/** As mprof_reader_next_events(), for a block that may have stack sections: events get their call stacks. */
mprof_status reader_stacks_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** The events of the loaded block are fetched from the first one on again. */
void reader_stacks_rewind(mprof_reader *reader);

/** Leaves the loaded block; the stack of its thread continues in the thread's next one. */
void reader_stacks_leave(mprof_reader *reader);

/** Forgets all stacks, because reading continues somewhere else. */
void reader_stacks_forget(mprof_reader *reader);

#endif
