/* SPDX-License-Identifier: MIT */
/* Decodes single events of any layout with full checks: the slow path of events_decode(). */
#include "format/event_decode_one.h"

#include "format/event_store.h"
#include "format/memory_address.h"
#include "format/varint.h"

/*
 * Limit for the time of a monitor event if events_decode_state::latest is not known; a longer time is treated as
 * garbage. At 3 GHz, a processor counts that far in six minutes.
 */
#define MONITOR_LONGEST_PAUSE (UINT64_C(1) << 40)

/* Decodes the varint at the cursor and advances the cursor. Returns EVENTS_DECODE_DONE or the error. */
static events_decode_result decode_number(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	int length = varint_read(cursor, limit, value);

	if (length <= 0)
		return length == 0 ? EVENTS_DECODE_TRUNCATED : EVENTS_DECODE_BAD_VARINT;
	return EVENTS_DECODE_DONE;
}

/* Decodes two varints. Returns EVENTS_DECODE_DONE or the error. */
static events_decode_result decode_two_numbers(const uint8_t **cursor, const uint8_t *limit, uint64_t *first,
					       uint64_t *second)
{
	events_decode_result result = decode_number(cursor, limit, first);

	return result == EVENTS_DECODE_DONE ? decode_number(cursor, limit, second) : result;
}

static events_decode_result decode_main_number(const event_decode_entry *entry, const uint8_t **cursor,
					       const uint8_t *limit, uint64_t *value)
{
	events_decode_result result = decode_number(cursor, limit, value);

	if (result != EVENTS_DECODE_DONE)
		return result;
	if (*value > UINT64_MAX >> entry->main_shift)
		return entry->main_id_mask ? EVENTS_DECODE_BAD_ID : EVENTS_DECODE_BAD_VARINT;
	*value = *value << entry->main_shift | entry->main_low;
	return entry->main_id_mask && *value > UINT32_MAX ? EVENTS_DECODE_BAD_ID : EVENTS_DECODE_DONE;
}

/* Decodes the optional fields of an event into its detail. */
static events_decode_result decode_fields(uint32_t fields, const uint8_t **cursor, const uint8_t *limit,
					  mprof_event *event, mprof_event_detail *detail)
{
	events_decode_result result = EVENTS_DECODE_DONE;
	event_field_values numbers = {{0}};

	for (; fields != 0 && result == EVENTS_DECODE_DONE; fields = EVENT_FIELDS_NEXT(fields))
		result = decode_number(cursor, limit, &numbers.of[EVENT_FIELDS_FIRST(fields)]);
	if (result == EVENTS_DECODE_DONE && !event_store_detail(event, detail, &numbers))
		result = EVENTS_DECODE_BAD_ID;
	return result;
}

/*
 * Mono wrote uninitialized memory in place of the time of a monitor event that followed a long pause. A time that leads
 * out of the range of the block is replaced by 0.
 */
static uint64_t plausible_monitor_time(const events_decode_state *state, uint64_t time)
{
	uint64_t counter = state->counter + time;

	if (state->has_latest ? (int64_t)(counter - state->latest) > 0 : (int64_t)time > (int64_t)MONITOR_LONGEST_PAUSE)
		return 0;
	return (int64_t)time < 0 && (int64_t)(counter - state->earliest) < 0 ? 0 : time;
}

/* Decodes an event of one or two varints and optional fields. */
static events_decode_result decode_common(const event_decode_table *table, const event_decode_entry *entry,
					  const uint8_t **cursor, const uint8_t *limit, events_decode_state *state,
					  events_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	uint64_t main_number;
	uint64_t second = 0;
	uint64_t counter;
	uint64_t size = 0;
	events_decode_result result;

	if (entry->fields != 0 && batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	result = decode_main_number(entry, cursor, limit, &main_number);
	if (result == EVENTS_DECODE_DONE && (entry->second_value_mask | entry->second_time_mask) != 0)
		result = decode_number(cursor, limit, &second);
	if (result != EVENTS_DECODE_DONE)
		return result;
	if (entry->class_size_mask != 0) {
		size = table->unsized_mask != 0 ? EVENT_SIZE_UNKNOWN
						: id_map_get(table->object_sizes, (uint32_t)main_number);
		if (size == 0)
			return EVENTS_DECODE_NO_SIZE;
	}
	if (entry->layout == EVENT_LAYOUT_DETAILED && table->has_bad_monitor_times)
		second = plausible_monitor_time(state, second);
	counter = event_store_any(event, entry, main_number, second, size, state->counter);
	/* A fixed size of another kind of event is needed, and a stored size must not be taken for a fixed one. */
	if (table->unsized_mask != 0 && event->value == EVENT_SIZE_UNKNOWN &&
	    (event->kind != MPROF_EVENT_ALLOCATION || size == 0))
		return EVENTS_DECODE_NO_SIZE;
	if (entry->fields != 0) {
		result = decode_fields(entry->fields, cursor, limit, event, &batch->details[batch->detail_count]);
		if (result != EVENTS_DECODE_DONE)
			return result;
		batch->detail_count++;
	}
	state->counter = counter;
	batch->count++;
	return EVENTS_DECODE_DONE;
}

/*
 * Derives from a collection event whether the log has collection numbers; without them the varint holds only the
 * generation. COLLECTION_NUMBERS_SURE is final, because a number can be 0 by mistake.
 */
static void update_collection_numbers(events_decode_state *state, uint64_t main_number)
{
	if (main_number > EVENT_GENERATION_MASK)
		state->numbers = COLLECTION_NUMBERS_SURE;
	else if (state->numbers != COLLECTION_NUMBERS_SURE)
		state->numbers = COLLECTION_NUMBERS_NONE;
}

/* Decodes a collection event. Its first varint contains the generation in the low 8 bits, and the number above. */
static events_decode_result decode_collection(const event_decode_entry *entry, const uint8_t **cursor,
					      const uint8_t *limit, events_decode_state *state,
					      events_decode_batch *batch)
{
	uint64_t main_number;
	uint64_t time;
	events_decode_result result = decode_two_numbers(cursor, limit, &main_number, &time);

	if (result != EVENTS_DECODE_DONE)
		return result;
	if (main_number >> EVENT_GENERATION_BITS > UINT32_MAX)
		return EVENTS_DECODE_BAD_ID;
	update_collection_numbers(state, main_number);
	state->counter += time;
	event_store(&batch->events[batch->count++], entry->event_template, main_number >> EVENT_GENERATION_BITS,
		    state->counter, main_number & EVENT_GENERATION_MASK);
	return EVENTS_DECODE_DONE;
}

/*
 * Whether the varint after a new heap size is a collection number and not a time. Before the first collection event,
 * a value of 1 is taken for a number, since numbers start at 1 and a time of 1 is very unlikely.
 */
static int is_resize_number(events_decode_state *state, uint64_t second)
{
	if (state->numbers == COLLECTION_NUMBERS_UNKNOWN)
		state->numbers = second == 1 ? COLLECTION_NUMBERS_LIKELY : COLLECTION_NUMBERS_NONE;
	return state->numbers != COLLECTION_NUMBERS_NONE;
}

/* Decodes a GC_RESIZE event: a new heap size. In mono it has a collection number of its own in place of a time. */
static events_decode_result decode_resize(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
					  events_decode_state *state, events_decode_batch *batch)
{
	uint64_t size;
	uint64_t time = 0;
	uint64_t number = 0;
	events_decode_result result;

	result = decode_two_numbers(cursor, limit, &size, &time);
	if (result == EVENTS_DECODE_DONE && entry->layout == EVENT_LAYOUT_RESIZE_TIMED)
		result = decode_number(cursor, limit, &number);
	if (result != EVENTS_DECODE_DONE)
		return result;
	if (entry->layout == EVENT_LAYOUT_RESIZE && is_resize_number(state, time)) {
		number = time;
		time = 0;
	}
	if (number > UINT32_MAX)
		return EVENTS_DECODE_BAD_ID;
	state->counter += time;
	event_store(&batch->events[batch->count++], entry->event_template, number, state->counter, size);
	return EVENTS_DECODE_DONE;
}

/*
 * Decodes the rest of a previous event whose time was too long for Mono's writer: the missing time, and a number
 * without meaning. No event results.
 */
static events_decode_result decode_stray(const uint8_t **cursor, const uint8_t *limit, events_decode_state *state)
{
	uint64_t time;
	uint64_t nothing;
	events_decode_result result = decode_two_numbers(cursor, limit, &time, &nothing);

	if (result == EVENTS_DECODE_DONE)
		state->counter += time;
	return result;
}

static events_decode_result decode_frames(const uint8_t **cursor, const uint8_t *limit, uint64_t *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		events_decode_result result = decode_number(cursor, limit, &frames[i]);

		if (result != EVENTS_DECODE_DONE)
			return result;
		if (frames[i] > UINT32_MAX)
			return EVENTS_DECODE_BAD_ID;
	}
	return EVENTS_DECODE_DONE;
}

/* Checks that the batch has room for the frames of a stack section and that \p bytes_left can contain them. */
static events_decode_result check_frame_room(events_decode_batch *batch, uint64_t count, size_t bytes_left)
{
	if (count > bytes_left)
		return EVENTS_DECODE_TRUNCATED;
	if (count > EVENTS_MAX_FRAMES)
		return EVENTS_DECODE_TOO_DEEP;
	if (count <= batch->frame_capacity - batch->frame_count)
		return EVENTS_DECODE_DONE;
	if (batch->count > 0)
		return EVENTS_DECODE_FULL;
	batch->frames_needed = (size_t)count;
	return EVENTS_DECODE_NO_ROOM;
}

static events_decode_result decode_stack_section(const event_decode_entry *entry, const uint8_t **cursor,
						 const uint8_t *limit, const events_decode_state *state,
						 events_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	uint64_t *frames = NULL;
	uint64_t kept;
	uint64_t count;
	events_decode_result result;

	if (batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	result = decode_two_numbers(cursor, limit, &kept, &count);
	if (result == EVENTS_DECODE_DONE && kept > UINT32_MAX)
		result = EVENTS_DECODE_BAD_ID;
	if (result == EVENTS_DECODE_DONE)
		result = check_frame_room(batch, count, (size_t)(limit - *cursor));
	if (result == EVENTS_DECODE_DONE && count > 0) {
		frames = batch->frames + batch->frame_count;
		result = decode_frames(cursor, limit, frames, (size_t)count);
	}
	if (result != EVENTS_DECODE_DONE)
		return result;
	event_store(event, entry->event_template, 0, state->counter, kept);
	event_store_section(event, &batch->details[batch->detail_count], frames, (uint32_t)count);
	batch->sections[batch->section_count++] = (event_section){(uint32_t)batch->detail_count, (uint32_t)kept};
	batch->detail_count++;
	batch->frame_count += (size_t)count;
	batch->count++;
	return EVENTS_DECODE_DONE;
}

/* Decodes an address of native memory. \p previous points to the previous address, which is replaced by the new one. */
static events_decode_result decode_address(const uint8_t **cursor, const uint8_t *limit, uint64_t *previous)
{
	uint64_t first;
	uint64_t rest = 0;
	events_decode_result result = decode_number(cursor, limit, &first);

	if (result == EVENTS_DECODE_DONE && memory_address_has_rest(first))
		result = decode_number(cursor, limit, &rest);
	if (result != EVENTS_DECODE_DONE)
		return result;
	if (!memory_address_is_valid(first, rest))
		return EVENTS_DECODE_BAD_VARINT;
	*previous = memory_address_decode(first, rest, *previous);
	return EVENTS_DECODE_DONE;
}

/* Decodes the fields of a native memory event after its address. */
static events_decode_result decode_memory_detail(uint32_t layout, const uint8_t **cursor, const uint8_t *limit,
						 mprof_event_detail *detail)
{
	events_decode_result result = EVENTS_DECODE_DONE;
	uint64_t stack;

	if (layout != EVENT_LAYOUT_MEMORY_FREED_STACK)
		result = decode_number(cursor, limit, &detail->size);
	if (result == EVENTS_DECODE_DONE)
		result = decode_number(cursor, limit, &stack);
	if (result != EVENTS_DECODE_DONE)
		return result;
	detail->stack = (uint32_t)stack;
	return stack > UINT32_MAX ? EVENTS_DECODE_BAD_ID : EVENTS_DECODE_DONE;
}

/* Decodes a native memory event (section 4.7). */
static events_decode_result decode_memory(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
					  events_decode_state *state, events_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	mprof_event_detail *detail = NULL;
	uint64_t address = state->address;
	uint64_t time;
	uint64_t duration;
	events_decode_result result;

	if (entry->layout != EVENT_LAYOUT_MEMORY_FREED) {
		if (batch->detail_count == batch->detail_capacity)
			return EVENTS_DECODE_FULL;
		detail = &batch->details[batch->detail_count];
		memset(detail, 0, sizeof(*detail));
		detail->struct_size = sizeof(*detail);
	}
	result = decode_number(cursor, limit, &time);
	if (result == EVENTS_DECODE_DONE && entry->layout == EVENT_LAYOUT_MEMORY_RESIZED) {
		result = decode_number(cursor, limit, &duration);
		if (result == EVENTS_DECODE_DONE) {
			detail->started = state->counter + time - duration;
			result = decode_address(cursor, limit, &address);
			detail->object = address;
		}
	}
	if (result == EVENTS_DECODE_DONE)
		result = decode_address(cursor, limit, &address);
	if (result == EVENTS_DECODE_DONE && detail != NULL)
		result = decode_memory_detail(entry->layout, cursor, limit, detail);
	if (result != EVENTS_DECODE_DONE)
		return result;
	state->counter += time;
	state->address = address;
	event_store(event, entry->event_template, 0, state->counter, address);
	event->more.detail = detail;
	batch->detail_count += detail != NULL;
	batch->count++;
	return EVENTS_DECODE_DONE;
}

events_decode_result event_decode_one(const event_decode_table *table, const uint8_t **position, const uint8_t *limit,
				      events_decode_state *state, events_decode_batch *batch)
{
	const event_decode_entry *entry = &table->entries[**position];
	const uint8_t *cursor = *position + 1;
	events_decode_result result;

	switch (entry->layout) {
	case EVENT_LAYOUT_END:
		return EVENTS_DECODE_LIST_END;
	case EVENT_LAYOUT_INVALID:
		return EVENTS_DECODE_BAD_CODE;
	case EVENT_LAYOUT_COLLECTION:
		result = decode_collection(entry, &cursor, limit, state, batch);
		break;
	case EVENT_LAYOUT_RESIZE:
	case EVENT_LAYOUT_RESIZE_TIMED:
		result = decode_resize(entry, &cursor, limit, state, batch);
		break;
	case EVENT_LAYOUT_STACK_SECTION:
		result = decode_stack_section(entry, &cursor, limit, state, batch);
		break;
	case EVENT_LAYOUT_MEMORY_ALLOCATED:
	case EVENT_LAYOUT_MEMORY_FREED:
	case EVENT_LAYOUT_MEMORY_FREED_STACK:
	case EVENT_LAYOUT_MEMORY_RESIZED:
		result = decode_memory(entry, &cursor, limit, state, batch);
		break;
	case EVENT_LAYOUT_LEFTOVER:
		result = decode_stray(&cursor, limit, state);
		break;
	default:
		result = decode_common(table, entry, &cursor, limit, state, batch);
		break;
	}
	if (result == EVENTS_DECODE_DONE)
		*position = cursor;
	return result;
}
