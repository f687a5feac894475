/* SPDX-License-Identifier: MIT */
/**
 * \file reader/ahead.h
 * \brief Decodes the EVENTS blocks after the current one on other threads.
 */
#ifndef READER_AHEAD_H
#define READER_AHEAD_H

#include <mprof/reader.h>

typedef struct reader_ahead reader_ahead;

/**
 * Called before the EVENTS block whose header was read is loaded. Once blocks are read one after the other, it finds
 * the next blocks and has them decoded. It cannot fail: what is not decoded by other threads, the parser decodes.
 */
void reader_ahead_advance(mprof_reader *reader);

/** Called after a seek: blocks are not decoded until it is known that reading goes on from there. */
void reader_ahead_jump(mprof_reader *reader);

/** Ends the threads. Before the source is closed and the parser is destroyed. */
void reader_ahead_destroy(mprof_reader *reader);

#endif
