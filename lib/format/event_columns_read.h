/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_columns_read.h
 * \brief Decodes the columns of events (doc/format.md, 3.22) to arrays.
 */
#ifndef FORMAT_EVENT_COLUMNS_READ_H
#define FORMAT_EVENT_COLUMNS_READ_H

#include "format/event_arrays.h"
#include "format/event_columns_open.h"
#include "format/event_decode_state.h"
#include "format/event_decode_table.h"

/**
 * Decodes the next events of a block without damage to \p arrays, and sets the counts of \p columns. \p batch receives
 * the rows; its events are those of the arrays. Returns 0, and changes nothing but the arrays, if there are no more
 * events, one of them is damaged, or there are more rows than the batch has room for: events have to be decoded one by
 * one then.
 */
int event_columns_read(const event_decode_table *table, event_columns_state *state, const uint8_t *content,
		       events_decode_state *progress, uint32_t wanted, event_arrays *arrays, events_decode_batch *batch,
		       mprof_columns *columns);

#endif
