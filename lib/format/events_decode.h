/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_decode.h
 * \brief Decodes events (doc/format.md, section 4) to arrays of mprof_event.
 */
#ifndef FORMAT_EVENTS_DECODE_H
#define FORMAT_EVENTS_DECODE_H

#include "format/event_decode_state.h"
#include "format/event_decode_table.h"

/** Decodes events until the batch is full, the bytes end, or an event cannot be decoded. */
events_decode_result events_decode(const event_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch);

#endif
