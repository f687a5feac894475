/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_decode_one.h
 * \brief The slow path of event decoding: one event of any layout, with a check of each byte.
 */
#ifndef FORMAT_EVENT_DECODE_ONE_H
#define FORMAT_EVENT_DECODE_ONE_H

#include "format/event_decode_state.h"
#include "format/event_decode_table.h"

/**
 * Decodes the event at \p position and advances \p position past it. \p position must be before \p limit, and the batch
 * must have room for an event. Unless the result is EVENTS_DECODE_DONE, neither the state nor the counts of the batch
 * change.
 */
events_decode_result event_decode_one(const event_decode_table *table, const uint8_t **position, const uint8_t *limit,
				      events_decode_state *state, events_decode_batch *batch);

#endif
