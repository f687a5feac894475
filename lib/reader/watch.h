/* SPDX-License-Identifier: MIT */
/**
 * \file reader/watch.h
 * \brief Reports the progress of long operations, and interrupts them.
 */
#ifndef READER_WATCH_H
#define READER_WATCH_H

#include <mprof/reader.h>

void reader_watch_init(mprof_reader *reader, const mprof_reader_options *options);

/**
 * Calls the progress function if enough bytes were read since the last call, and checks for an interruption. Returns
 * #MPROF_OK or #MPROF_ERR_INTERRUPTED.
 */
mprof_status reader_watch_look(mprof_reader *reader);

/**
 * Records why a seek of the source failed or was interrupted. Returns #MPROF_ERR_IO, #MPROF_ERR_INTERRUPTED, or
 * #MPROF_ERR_MEMORY for ENOMEM.
 */
mprof_status reader_watch_fail_seek(mprof_reader *reader, int fault);

#endif
