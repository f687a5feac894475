/* SPDX-License-Identifier: MIT */
/**
 * \file reader/calls.h
 * \brief For who follows the calls that a log tells by himself.
 */
#ifndef STREAM_READER_CALLS_H
#define STREAM_READER_CALLS_H

#include <mprof/reader.h>

/**
 * Sets whether implicit leaves are given out as they are, for a caller who follows the calls and need not pay for it
 * twice. Returns what was set before. Events that are read meanwhile are missing to the reader.
 */
int reader_frames_keep_implicit(mprof_reader *reader, int keeps);

#endif
