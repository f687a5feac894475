/* SPDX-License-Identifier: MIT */
/* Decodes the samples of SAMPLES blocks. */
#include "format/blocks/samples_decode.h"

#include "format/values/varint.h"

#include <string.h>

static void store_sample_event(mprof_event *event, uint64_t stack, uint64_t counter)
{
	memset(event, 0, sizeof(*event));
	event->kind = MPROF_EVENT_SAMPLE;
	event->counter = counter;
	event->value = stack;
}

/* Returns why no varint can be decoded at the cursor. */
static samples_decode_result varint_fault(const uint8_t *cursor, const uint8_t *limit)
{
	uint64_t value;

	return mprof_varint_decode(cursor, (size_t)(limit - cursor), &value) == 0 ? SAMPLES_DECODE_TRUNCATED
										  : SAMPLES_DECODE_BAD_VARINT;
}

/* Decodes a sample and advances \p position past it, or to the fault. */
static samples_decode_result decode_sample(const uint8_t **position, const uint8_t *limit, uint64_t *stack,
					   uint64_t *time)
{
	const uint8_t *next = varint_get(*position, limit, stack);

	if (next == NULL)
		return varint_fault(*position, limit);
	if (*stack == 0)
		return SAMPLES_DECODE_LIST_END;
	if (*stack > UINT32_MAX)
		return SAMPLES_DECODE_BAD_ID;
	*position = next;
	next = varint_get(next, limit, time);
	if (next == NULL)
		return varint_fault(*position, limit);
	*position = next;
	return SAMPLES_DECODE_DONE;
}

samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *cursor = state->bytes + state->position;
	samples_decode_result result = SAMPLES_DECODE_DONE;

	*count = 0;
	while (cursor < limit && *count < capacity) {
		const uint8_t *next = cursor;
		uint64_t stack;
		uint64_t time;

		result = decode_sample(&next, limit, &stack, &time);
		if (result != SAMPLES_DECODE_DONE) {
			state->fault = (size_t)(next - state->bytes);
			break;
		}
		cursor = next;
		state->counter += time;
		store_sample_event(&events[(*count)++], stack, state->counter);
	}
	if (result == SAMPLES_DECODE_DONE && cursor < limit)
		result = SAMPLES_DECODE_FULL;
	state->position = (size_t)(cursor - state->bytes);
	return result;
}
