/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_columns_skip.h
 * \brief Skips values of the columns of a block that are not needed, at no cost until values after them are.
 */
#ifndef FORMAT_EVENT_COLUMNS_SKIP_H
#define FORMAT_EVENT_COLUMNS_SKIP_H

#include "format/event_columns_open.h"

/** Skips the next \p count values of a column. */
static inline void event_columns_skip(event_columns_state *state, event_column column, size_t count)
{
	state->skipped[column] += count;
}

/**
 * Advances a column over the values that were skipped. \p counter receives their sum if the column contains times, and
 * may otherwise be NULL. The values must be in the column.
 */
void event_columns_settle(event_columns_state *state, const uint8_t *content, event_column column, uint64_t *counter);

/** Advances all columns. */
void event_columns_settle_all(event_columns_state *state, const uint8_t *content, uint64_t *counter);

#endif
