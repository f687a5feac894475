/* SPDX-License-Identifier: MIT */
/**
 * \file reader/reader.h
 * \brief What the model and the converter ask of a reader besides its public functions. The struct itself stays private
 * to lib/reader.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include <mprof/reader.h>

/**
 * Sets whether implicit leaves are delivered without their methods, for a caller who follows the calls anyway. Returns
 * what was set before. The reader does not follow the calls of events that are read meanwhile.
 */
int reader_keep_implicit_leaves(mprof_reader *reader, int keeps);

/** Whether INTRO was read, if it can be, and no block after it. */
int reader_is_after_intro(const mprof_reader *reader);

/** The name of the runtime from INTRO; NULL if that could not be read. It lives as long as the reader. */
const char *reader_runtime(const mprof_reader *reader);

/** Whether a block with a time of day was read. */
int reader_has_clock(const mprof_reader *reader);

/** The last ID that the reader itself assigned to records of a kind (#mprof_record_kind); 0 if none. */
uint32_t reader_last_own_id(const mprof_reader *reader, size_t kind);

/** Returns to the first item of the loaded block, whatever of it is readable. */
void reader_rewind(mprof_reader *reader);

/**
 * As mprof_reader_next_events() for a STATISTICAL block, with the events as they are in the log: one for each frame,
 * not one for each sample.
 */
mprof_status reader_next_frames_of_samples(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

#endif
