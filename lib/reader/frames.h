/* SPDX-License-Identifier: MIT */
/**
 * \file reader/frames.h
 * \brief Follows which calls are open while events are read, and resolves implicit leaves.
 */
#ifndef READER_FRAMES_H
#define READER_FRAMES_H

#include <mprof/reader.h>

void reader_frames_init(mprof_reader *reader, const mprof_reader_options *options);
void reader_frames_destroy(mprof_reader *reader);

/** Whether the open calls are followed through the events of the loaded block. */
int reader_frames_are_followed(const mprof_reader *reader);

/**
 * Sets the stack that the thread of the loaded EVENTS block is on at the start of the block; has no effect if that was
 * done. Returns #MPROF_OK; #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT.
 */
mprof_status reader_frames_begin(mprof_reader *reader);

/** Follows the events that were fetched, and sets the methods of implicit leaves. */
void reader_frames_attach(mprof_reader *reader, mprof_event *events, size_t count);

/**
 * Notes that events of the loaded block are not followed: the methods of implicit leaves after them are unknown.
 */
void reader_frames_pass(mprof_reader *reader);

/** Prepares for fetching the events of the loaded block from the first one again. */
void reader_frames_rewind(mprof_reader *reader);

/** Leaves the loaded block. The stack of its thread is kept for the thread's next block. */
void reader_frames_leave(mprof_reader *reader);

/** Discards the open calls, because reading continues at \p offset, or events before \p offset are missing. */
void reader_frames_forget(mprof_reader *reader, uint64_t offset);

#endif
