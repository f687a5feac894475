/* SPDX-License-Identifier: MIT */
/**
 * \file reader/time.h
 * \brief Seeks by time, finds the calls that were open at a time, and the clock of the whole log.
 */
#ifndef READER_TIME_H
#define READER_TIME_H

#include "reader/reader.h"

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

#endif
