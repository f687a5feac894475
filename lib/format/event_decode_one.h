/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_decode_one.h
 * \brief A single event of whatever form, each of its bytes checked.
 */
#ifndef FORMAT_EVENT_DECODE_ONE_H
#define FORMAT_EVENT_DECODE_ONE_H

#include "format/events_decode.h"

/**
 * Decodes the event at the place, which is in front of the limit, and moves the place behind it. The batch has room for
 * an event. On any result but EVENTS_DECODE_DONE neither the state nor the batch has changed.
 */
events_decode_result event_decode_one(const events_decode_table *table, const uint8_t **place, const uint8_t *limit,
				      events_decode_state *state, events_decode_batch *batch);

#endif
