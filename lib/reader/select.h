/* SPDX-License-Identifier: MIT */
/**
 * \file reader/select.h
 * \brief Leaves out the blocks that a query does not ask for.
 */
#ifndef READER_SELECT_H
#define READER_SELECT_H

#include <mprof/reader.h>

/** Whether blocks of a kind are delivered. */
int reader_selects_kind(const mprof_reader *reader, uint32_t kind);

/** As reader_next(), for the next block that the query asks for. */
mprof_status reader_next_selected(mprof_reader *reader, mprof_block *block);

#endif
