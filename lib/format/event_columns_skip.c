/* SPDX-License-Identifier: MIT */
/* Skips values of the columns of a block. */
#include "format/event_columns_skip.h"

/* Values that are decoded at once. */
#define PIECE 256

void event_columns_settle(event_columns_state *state, const uint8_t *content, event_column column, uint64_t *counter)
{
	const uint8_t *bytes = content + state->starts[column];
	uint64_t values[PIECE];

	/* A column without values is one that the directives do not declare. */
	if (state->lengths[column] == 0)
		state->skipped[column] = 0;
	while (state->skipped[column] > 0) {
		const size_t left = state->skipped[column];
		const size_t count = left < PIECE ? left : PIECE;

		int_column_read_64(&state->numbers[column], bytes, values, count);
		state->skipped[column] -= count;
		for (size_t i = 0; i < count && column == EVENT_COLUMN_TIMES; i++)
			*counter += values[i];
		for (size_t i = 0; i < count && column == EVENT_COLUMN_OBJECTS; i++)
			state->object += event_column_unfold_address(values[i]);
	}
}

void event_columns_settle_all(event_columns_state *state, const uint8_t *content, uint64_t *counter)
{
	for (uint32_t column = EVENT_COLUMN_METHODS; column < EVENT_COLUMN_ROWS; column++)
		event_columns_settle(state, content, (event_column)column, counter);
}
