/* SPDX-License-Identifier: MIT */
#include "format/samples_decode.h"

#include "format/varint.h"

#include <string.h>

static void event_store(mprof_event *event, uint64_t stack, uint64_t counter)
{
	memset(event, 0, sizeof(*event));
	event->kind = MPROF_EVENT_SAMPLE;
	event->counter = counter;
	event->value = stack;
}

/* Why there is no varint at a place. */
static samples_decode_result varint_fault(const uint8_t *cursor, const uint8_t *limit)
{
	uint64_t value;

	return mprof_varint_decode(cursor, (size_t)(limit - cursor), &value) == 0 ? SAMPLES_DECODE_CUT
										  : SAMPLES_DECODE_BAD_VARINT;
}

/* Takes a sample and moves the place behind it; on a fault, to that. */
static samples_decode_result sample_take(const uint8_t **place, const uint8_t *limit, uint64_t *stack, uint64_t *time)
{
	const uint8_t *behind = varint_get(*place, limit, stack);

	if (behind == NULL)
		return varint_fault(*place, limit);
	if (*stack == 0)
		return SAMPLES_DECODE_LIST_END;
	if (*stack > UINT32_MAX)
		return SAMPLES_DECODE_BAD_ID;
	*place = behind;
	behind = varint_get(behind, limit, time);
	if (behind == NULL)
		return varint_fault(*place, limit);
	*place = behind;
	return SAMPLES_DECODE_DONE;
}

samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *cursor = state->bytes + state->position;
	samples_decode_result result = SAMPLES_DECODE_DONE;

	*count = 0;
	while (cursor < limit && *count < capacity) {
		const uint8_t *behind = cursor;
		uint64_t stack;
		uint64_t time;

		result = sample_take(&behind, limit, &stack, &time);
		if (result != SAMPLES_DECODE_DONE) {
			state->fault = (size_t)(behind - state->bytes);
			break;
		}
		cursor = behind;
		state->counter += time;
		event_store(&events[(*count)++], stack, state->counter);
	}
	if (result == SAMPLES_DECODE_DONE && cursor < limit)
		result = SAMPLES_DECODE_FULL;
	state->position = (size_t)(cursor - state->bytes);
	return result;
}
