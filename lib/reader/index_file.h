/* SPDX-License-Identifier: MIT */
/**
 * \file reader/index_file.h
 * \brief Saves and loads the index.
 */
#ifndef READER_INDEX_FILE_H
#define READER_INDEX_FILE_H

#include <mprof/reader.h>

/** Discards the index and the open calls of all stacks, whose nodes belong to it. */
void reader_discard_index(mprof_reader *reader);

/**
 * Reads the blocks of the index that contain definitions, as reading the whole log would, and the last block, so that a
 * log that is shorter than the index is detected. Returns #MPROF_ERR_STATE if the index does not match the log.
 */
mprof_status reader_load_definitions(mprof_reader *reader);

#endif
