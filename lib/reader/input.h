/* SPDX-License-Identifier: MIT */
/**
 * \file reader/input.h
 * \brief Feeds the parser from the source.
 */
#ifndef READER_INPUT_H
#define READER_INPUT_H

#include <mprof/reader.h>

/**
 * Gives the parser, which asked for more bytes, some, or finishes it if there are none. Returns #MPROF_OK; #MPROF_AGAIN
 * when following and nothing is left now; or an error.
 */
mprof_status reader_feed(mprof_reader *reader);

#endif
