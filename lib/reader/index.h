/* SPDX-License-Identifier: MIT */
/**
 * \file reader/index.h
 * \brief Loads the index that the log contains, or builds one in one pass, which a later pass continues.
 */
#ifndef READER_INDEX_H
#define READER_INDEX_H

#include <mprof/reader.h>

/** Finishes a seek that was interrupted or failed, if there is one. Returns as mprof_reader_seek(). */
mprof_status reader_seek_on(mprof_reader *reader);

/** Discards the index and the open calls of all stacks, whose nodes belong to it. */
void reader_discard_index(mprof_reader *reader);

/** Whether blocks of a kind are delivered. */
int reader_selects_kind(const mprof_reader *reader, uint32_t kind);

/** As reader_next(), for the next block that the query asks for. */
mprof_status reader_next_selected(mprof_reader *reader, mprof_block *block);

#endif
