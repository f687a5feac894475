/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_columns_decode.h
 * \brief Decodes the columns of events (doc/format.md, 3.22), to events.
 */
#ifndef FORMAT_EVENT_COLUMNS_DECODE_H
#define FORMAT_EVENT_COLUMNS_DECODE_H

#include "format/event_columns_open.h"
#include "format/event_decode_state.h"
#include "format/event_decode_table.h"

/**
 * Decodes events, like events_decode(). \p content is the content of the block. If the result is an error,
 * events_decode_state::position is where it is in the content.
 */
events_decode_result event_columns_decode(const event_decode_table *table, event_columns_state *columns,
					  const uint8_t *content, events_decode_state *state,
					  events_decode_batch *batch);

#endif
