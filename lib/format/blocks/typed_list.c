/* SPDX-License-Identifier: MIT */
/* Decodes and encodes the lists of TYPED blocks. */
#include "format/blocks/typed_list.h"

#include "format/values/varint.h"

#include <string.h>

/* Decodes a varint and advances \p cursor past it. */
static typed_decode_result get_number(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	const int found = varint_read(cursor, limit, value);

	return found > 0 ? TYPED_DECODE_DONE : found == 0 ? TYPED_DECODE_TRUNCATED : TYPED_DECODE_BAD_VARINT;
}

/* Decodes an event and advances \p cursor past it, or to the fault. */
static typed_decode_result get_event(const uint8_t **cursor, const uint8_t *limit, uint64_t *counter,
				     mprof_event *event, mprof_event_detail *detail)
{
	uint64_t type = 0;
	uint64_t time = 0;
	uint64_t length = 0;
	const uint8_t *next = *cursor;
	const uint8_t *arguments;
	typed_decode_result result = get_number(&next, limit, &type);

	if (result == TYPED_DECODE_DONE && type == 0)
		return TYPED_DECODE_LIST_END;
	if (result == TYPED_DECODE_DONE && type > UINT32_MAX)
		return TYPED_DECODE_BAD_ID;
	*cursor = next;
	if (result == TYPED_DECODE_DONE)
		result = get_number(&next, limit, &length);
	if (result != TYPED_DECODE_DONE)
		return result;
	if (length > MPROF_ARGUMENTS_MAX_SIZE)
		return TYPED_DECODE_TOO_LONG;
	if (length > (uint64_t)(limit - next))
		return TYPED_DECODE_TRUNCATED;
	arguments = next;
	*cursor = next + length;
	result = get_number(cursor, limit, &time);
	if (result != TYPED_DECODE_DONE)
		return result;
	*counter += zigzag_unfold(time);
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->arguments = arguments;
	detail->argument_size = (size_t)length;
	event->kind = MPROF_EVENT_TYPED;
	event->id = (uint32_t)type;
	event->counter = *counter;
	event->more.detail = detail;
	return TYPED_DECODE_DONE;
}

typed_decode_result typed_decode(typed_decode_state *state, mprof_event *events, mprof_event_detail *details,
				 size_t capacity, size_t *count)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *cursor = state->bytes + state->position;
	typed_decode_result result = TYPED_DECODE_DONE;

	*count = 0;
	while (cursor < limit && *count < capacity) {
		const uint8_t *next = cursor;

		result = get_event(&next, limit, &state->counter, &events[*count], &details[*count]);
		if (result != TYPED_DECODE_DONE) {
			state->fault = (size_t)(next - state->bytes);
			break;
		}
		cursor = next;
		++*count;
	}
	if (result == TYPED_DECODE_DONE && cursor < limit)
		result = TYPED_DECODE_FULL;
	state->position = (size_t)(cursor - state->bytes);
	return result;
}

void typed_encode(encode_buffer *buffer, const mprof_event *event, const mprof_event_detail *detail,
		  uint64_t *last_counter)
{
	encode_varint(buffer, event->id);
	encode_varint(buffer, detail->argument_size);
	if (detail->argument_size > 0)
		encode_bytes(buffer, detail->arguments, detail->argument_size);
	encode_varint(buffer, zigzag_fold(event->counter - *last_counter));
	*last_counter = event->counter;
}
