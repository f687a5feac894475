/* SPDX-License-Identifier: MIT */
/**
 * \file reader/stored_index.h
 * \brief Loads the index that a log contains in INDEX blocks (doc/format.md, section 3.24).
 */
#ifndef READER_STORED_INDEX_H
#define READER_STORED_INDEX_H

#include <mprof/reader.h>

/**
 * Loads the index if the log has one that can be used, and reads the blocks with definitions. The reader is left
 * anywhere in the log and has to be positioned by a seek. Sets *is_loaded. A log without an index, with one that does
 * not match the log, or with unknown call stacks is not an error: nothing is loaded then. Returns #MPROF_OK,
 * #MPROF_ERR_MEMORY, #MPROF_ERR_IO or #MPROF_ERR_INTERRUPTED.
 */
mprof_status reader_load_stored_index(mprof_reader *reader, int *is_loaded);

/** Discards the index and the open calls of all stacks, whose nodes belong to it. */
void reader_discard_index(mprof_reader *reader);

#endif
