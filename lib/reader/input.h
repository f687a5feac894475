/* SPDX-License-Identifier: MIT */
/**
 * \file reader/input.h
 * \brief Feeds the parser from the source.
 */
#ifndef READER_INPUT_H
#define READER_INPUT_H

#include <mprof/reader.h>

/**
 * Feeds more bytes to the parser, or finishes it if the source has none. Returns #MPROF_OK; #MPROF_AGAIN if the log is
 * followed and the source has no bytes at present; or an error.
 */
mprof_status reader_feed(mprof_reader *reader);

#endif
