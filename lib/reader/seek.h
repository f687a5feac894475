/* SPDX-License-Identifier: MIT */
/**
 * \file reader/seek.h
 * \brief Seeks to a block whose offset is known.
 */
#ifndef READER_SEEK_H
#define READER_SEEK_H

#include <mprof/reader.h>

/** Finishes a seek that was interrupted or failed, if there is one. Returns as mprof_reader_seek(). */
mprof_status reader_seek_on(mprof_reader *reader);

/** As mprof_reader_seek(), without scanning the blocks before the offset for directives. */
mprof_status reader_jump(mprof_reader *reader, uint64_t offset);

#endif
