/* SPDX-License-Identifier: MIT */
/* Decodes events. */
#include "format/events/events_decode.h"

#include "format/values/varint.h"

#include <string.h>

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

/* Decodes that an object is freed or resized (section 4.10). */
static events_decode_result decode_object(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
					  events_decode_state *state, events_decode_batch *batch)
{
	mprof_event_detail *detail;
	uint64_t object = state->object;
	uint64_t old_object;
	uint64_t id;
	uint64_t time;
	uint64_t size;
	events_decode_result result;

	if (batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	result = decode_two_numbers(cursor, limit, &id, &time);
	if (result == EVENTS_DECODE_DONE)
		result = decode_address(cursor, limit, &object);
	old_object = object;
	if (result == EVENTS_DECODE_DONE && entry->layout == EVENT_LAYOUT_OBJECT_RESIZED)
		result = decode_address(cursor, limit, &object);
	if (result == EVENTS_DECODE_DONE)
		result = decode_number(cursor, limit, &size);
	if (result != EVENTS_DECODE_DONE)
		return result;
	if (id > UINT32_MAX)
		return EVENTS_DECODE_BAD_ID;
	detail = &batch->details[batch->detail_count++];
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->object = old_object;
	detail->size = entry->layout == EVENT_LAYOUT_OBJECT_RESIZED ? size : 0;
	state->counter += time;
	state->object = object;
	event_store(&batch->events[batch->count], entry->event_template, id, state->counter,
		    entry->layout == EVENT_LAYOUT_OBJECT_RESIZED ? object : size);
	batch->events[batch->count++].more.detail = detail;
	return EVENTS_DECODE_DONE;
}

/*
 * Decodes an event with a length (section 4.9). Its arguments are borrowed from the block. The time is last, because an
 * event must end with a varint: the end of a list of events is searched from the end of the block.
 */
static events_decode_result decode_sized(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
					 events_decode_state *state, events_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	mprof_event_detail *detail;
	const uint8_t *arguments;
	uint64_t id;
	uint64_t length;
	uint64_t time;
	events_decode_result result;

	if (batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	result = decode_two_numbers(cursor, limit, &id, &length);
	if (result != EVENTS_DECODE_DONE)
		return result;
	if (id > UINT32_MAX)
		return EVENTS_DECODE_BAD_ID;
	if (length > (uint64_t)(limit - *cursor))
		return EVENTS_DECODE_TRUNCATED;
	arguments = *cursor;
	*cursor += length;
	result = decode_number(cursor, limit, &time);
	if (result != EVENTS_DECODE_DONE)
		return result;
	state->counter += time;
	event_store(event, entry->event_template, id, state->counter, 0);
	if (length > 0) {
		detail = &batch->details[batch->detail_count];
		memset(detail, 0, sizeof(*detail));
		detail->struct_size = sizeof(*detail);
		detail->arguments = arguments;
		detail->argument_size = (size_t)length;
		event->more.detail = detail;
		batch->detail_count++;
	}
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
	case EVENT_LAYOUT_OBJECT_FREED:
	case EVENT_LAYOUT_OBJECT_RESIZED:
		result = decode_object(entry, &cursor, limit, state, batch);
		break;
	case EVENT_LAYOUT_SIZED:
		result = decode_sized(entry, &cursor, limit, state, batch);
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

/* Limits of the fast path, in bytes: the code and the first two varints together; each optional field after them. */
#define FAST_LENGTH 9
#define FAST_FIELD_LENGTH 8
#define FAST_MAX_FIELDS 3

/*
 * Events are decoded in windows of WINDOW_LENGTH bytes. A window yields at most WINDOW_EVENTS events, which fill it if
 * each has about three bytes, or WINDOW_LONG_EVENTS if many have optional fields. A fixed number of events is cheaper
 * than a test for the end of the window, which is unpredictable. WINDOW_SLACK bytes after the window must be readable,
 * because an event is loaded before it is known to end inside the window.
 */
#define WINDOW_LENGTH VARINT_WINDOW_LENGTH
#define WINDOW_EVENTS 20
#define WINDOW_LONG_EVENTS 6
#define WINDOW_SLACK FAST_LENGTH

/* Properties of the bytes of a window, one bit for each byte, the first byte in the lowest bit. */
typedef struct window_marks {
	uint64_t last;   /* If the byte is part of a varint, it is the last one. */
	uint64_t paired; /* If the byte is an event code, the event has a second varint. */
} window_marks;

/* Features of the events of a log. They are constants at each inlined call, so code for absent features is removed. */
typedef enum fast_features {
	FAST_PLAIN = 0,
	FAST_SINGLE = 1,  /* Events without a second varint, such as implicit leaves. FAST_SIZES requires it. */
	FAST_SIZES = 2,   /* Allocations of fixed size. */
	FAST_FIELDS = 4,  /* Optional fields of allocations. */
	FAST_FRAMES = 8,  /* Stack sections. */
	FAST_EXTRACT = 16 /* Not a feature of the log: varint_word_extract() may be used. */
} fast_features;

#if defined(__SSE2__)

static inline uint64_t mark_single_of_16(const uint8_t *bytes, const event_decode_table *table)
{
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)bytes);
	__m128i group = _mm_and_si128(all, _mm_set1_epi8((char)table->single_mask));

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8((char)table->single_value)));
}

#elif defined(__wasm_simd128__)

static inline uint64_t mark_single_of_16(const uint8_t *bytes, const event_decode_table *table)
{
	v128_t group = wasm_v128_and(wasm_v128_load(bytes), wasm_u8x16_splat(table->single_mask));

	return (uint32_t)wasm_i8x16_bitmask(wasm_i8x16_eq(group, wasm_u8x16_splat(table->single_value)));
}

#else

static inline uint64_t mark_single_of_8(uint64_t bytes, const event_decode_table *table)
{
	/* A byte is 0 if its event has no second varint. Adding 127 to any other value sets the highest bit. */
	uint64_t other = (bytes ^ VARINT_EACH_BYTE(table->single_value)) & VARINT_EACH_BYTE(table->single_mask);

	return varint_highest_bits(~(other + VARINT_EACH_BYTE(127)));
}

static inline uint64_t mark_single_of_16(const uint8_t *bytes, const event_decode_table *table)
{
	return mark_single_of_8(bytes_load_64(bytes), table) | mark_single_of_8(bytes_load_64(bytes + 8), table) << 8;
}

#endif

static inline void window_mark(window_marks *marks, const uint8_t *window, const event_decode_table *table,
			       fast_features features)
{
	marks->last = varint_window_ends(window);
	marks->paired = UINT64_MAX;
	if ((features & FAST_SINGLE) != 0)
		marks->paired =
			~(mark_single_of_16(window, table) | mark_single_of_16(window + 16, table) << 16 |
			  mark_single_of_16(window + 32, table) << 32 | mark_single_of_16(window + 48, table) << 48);
}

/* The output for the details of events, and for stack sections and their frames. */
typedef struct fast_details {
	const mprof_event_detail *first_detail; /* The first detail of the batch. */
	mprof_event_detail *detail;
	const mprof_event_detail *detail_end;
	event_section *section;
	uint64_t *frame;
	const uint64_t *frame_end;
	const uint8_t *window_limit; /* Limit for the end of a window of frames. */
} fast_details;

/*
 * Decodes the optional fields of an event; the other varints of the event end before the cursor. The lowest bit of
 * \p ends belongs to the byte at the cursor. Returns the length of the fields, or 0 to leave the event to the slow
 * path.
 */
static inline uint32_t decode_fast_fields(const uint8_t *cursor, uint64_t ends, uint32_t fields, fast_features features,
					  mprof_event *event, mprof_event_detail *detail)
{
	event_field_values numbers = {{0}};
	uint32_t position = 0;

	for (; fields != 0; fields = EVENT_FIELDS_NEXT(fields)) {
		uint32_t last;

		if (__builtin_expect(ends == 0, 0))
			return 0;
		last = (uint32_t)__builtin_ctzll(ends);
		if (__builtin_expect(last - position >= FAST_FIELD_LENGTH, 0))
			return 0;
		numbers.of[EVENT_FIELDS_FIRST(fields)] =
			varint_window_value(bytes_load_64(cursor + position), last - position, features & FAST_EXTRACT);
		position = last + 1;
		ends &= ends - 1;
	}
	return event_store_detail(event, detail, &numbers) ? position : 0;
}

/*
 * Decodes the frames of a stack section; the other varints of the section end before the cursor. The lowest bit of
 * \p ends belongs to the byte at the cursor. The frames may extend beyond the window. Returns their length, which may
 * be 0, or -1 to leave the section to the slow path.
 */
static inline __attribute__((always_inline)) int decode_fast_frames(const uint8_t *cursor, uint64_t ends,
								    uint64_t count, fast_features features,
								    fast_details *details, mprof_event *event)
{
	uint64_t *frame = details->frame;
	const uint8_t *start = cursor;
	uint64_t all = 0;
	uint32_t position = 0;

	if (__builtin_expect(frame == NULL || details->detail == details->detail_end || event->value > UINT32_MAX ||
				     count > (uint64_t)(details->frame_end - frame),
			     0))
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t last;

		if (__builtin_expect(ends == 0, 0)) {
			cursor += position;
			position = 0;
			if (details->window_limit - cursor < WINDOW_LENGTH)
				return -1;
			ends = varint_window_ends(cursor);
			if (ends == 0)
				return -1;
		}
		last = (uint32_t)__builtin_ctzll(ends);
		if (__builtin_expect(last - position >= FAST_FIELD_LENGTH, 0))
			return -1;
		frame[i] =
			varint_window_value(bytes_load_64(cursor + position), last - position, features & FAST_EXTRACT);
		all |= frame[i];
		position = last + 1;
		ends &= ends - 1;
	}
	if (__builtin_expect(all > UINT32_MAX, 0))
		return -1;
	details->section->detail_index = (uint32_t)(details->detail - details->first_detail);
	details->section->kept = (uint32_t)event->value;
	details->section++;
	event_store_section(event, details->detail++, frame, (uint32_t)count);
	details->frame += count;
	return (int)(cursor - start) + (int)position;
}

/* Returns the object size of a class if the dense array of the map contains it, otherwise 0; also 0 for class 0. */
static inline uint32_t dense_object_size(const id_map *sizes, uint32_t class_id)
{
	return __builtin_expect(class_id < sizes->dense_count, 1) ? sizes->dense[class_id] : 0;
}

/*
 * Stores an event that is not packed or has optional fields, from its first two varints. Returns 0 to leave the event
 * to the slow path.
 */
static inline int decode_fast_other(const event_decode_table *table, const event_decode_entry *entry,
				    uint64_t main_number, uint64_t second, fast_features features, uint64_t *counter,
				    mprof_event *event)
{
	uint64_t size = 0;

	main_number = main_number << entry->main_shift | entry->main_low;
	if (entry->is_slow || (main_number & event_mask(entry->main_id_mask)) > UINT32_MAX)
		return 0;
	if ((features & FAST_SIZES) != 0) {
		/* No branch on whether the allocation has a size of its own: it would be unpredictable. */
		const uint64_t is_fixed = event_mask(entry->class_size_mask);

		size = is_fixed & table->unsized_mask;
		size |= dense_object_size(table->object_sizes, (uint32_t)(main_number & is_fixed & ~size));
		if (__builtin_expect((is_fixed & (size == 0)) != 0, 0))
			return 0;
	}
	*counter = event_store_any(event, entry, main_number, second, size, *counter);
	return 1;
}

/*
 * Stores an event that is not packed or has optional fields. Its first two varints end before \p rest; the lowest bit
 * of \p ends belongs to the byte at \p rest. Returns the length of the optional fields or frames, or -1 to leave the
 * event to the slow path.
 */
static inline __attribute__((always_inline)) int
decode_fast_unpacked(const event_decode_table *table, const event_decode_entry *entry, const uint8_t *rest,
		     uint64_t ends, uint64_t main_number, uint64_t second, fast_features features, uint64_t *counter,
		     mprof_event *event, fast_details *details)
{
	uint32_t length;

	if ((features & FAST_FRAMES) != 0 && entry->layout == EVENT_LAYOUT_STACK_SECTION) {
		event_store(event, entry->event_template, 0, *counter, main_number);
		return decode_fast_frames(rest, ends, second, features, details, event);
	}
	if (!decode_fast_other(table, entry, main_number, second, features, counter, event))
		return -1;
	if ((features & FAST_FIELDS) == 0 || entry->fields == 0)
		return 0;
	if (details->detail == details->detail_end)
		return -1;
	length = decode_fast_fields(rest, ends, entry->fields, features, event, details->detail);
	if (length == 0)
		return -1;
	details->detail++;
	return (int)length;
}

/*
 * Decodes the event at the cursor without a branch on its length, or on whether it is an enter, a leave or an
 * allocation: these branches are unpredictable, and one misprediction costs more than decoding an event. The end of the
 * event is computed from the window marks alone, without a load, because it is on the critical path: each event starts
 * at the end of the previous one. The remaining work on several events overlaps. Both varints are decoded from one word
 * of eight bytes.
 *
 * Returns the length of the event, or 0 to leave it to the slow path, which handles events that exceed the word or the
 * window, and possible damage. An event with optional fields uses the next detail of \p details.
 */
static inline __attribute__((always_inline)) uint32_t decode_fast(const event_decode_table *table,
								  const uint8_t *cursor, window_marks *marks,
								  fast_features features, uint64_t *counter,
								  mprof_event *event, fast_details *details)
{
	uint32_t byte = *cursor;
	uint32_t event_template = table->packed_templates[byte];
	uint32_t fields_length = 0;
	uint64_t main_end = marks->last >> 1;
	uint64_t paired = (features & FAST_SINGLE) != 0 ? marks->paired & 1 : 1;
	/* If there is a second varint, the lowest mark is cleared: the lowest one left is then the end of the event. */
	uint64_t event_end = main_end & (main_end - paired);

	if (__builtin_expect((event_end & 255) == 0, 0))
		return 0;

	uint32_t main_last = (uint32_t)__builtin_ctzll(main_end);
	uint32_t event_last = (uint32_t)__builtin_ctzll(event_end);
	uint64_t main_number;
	uint64_t second;

	varint_window_two_values(bytes_load_64(cursor + 1), main_last, event_last, features & FAST_EXTRACT,
				 &main_number, &second);
	if (__builtin_expect(event_template != 0, 1)) {
		/* An ID if there is a second varint, otherwise a time. */
		uint64_t id_mask = 0 - paired;
		/* Among the packed kinds, only allocations have this bit set. */
		uint64_t sized = 0 - (uint64_t)(byte / EVENT_GROUP_ALLOCATION % 2);
		uint64_t size = second & sized;
		uint64_t id;

		main_number = main_number << EVENT_PACKED_BITS | byte >> EVENT_PACKED_SHIFT;
		id = main_number & id_mask;
		if (__builtin_expect(id > UINT32_MAX, 0))
			return 0;
		/* One of the differences is 0 or the time. */
		*counter += (main_number - id) + (second - size);
		event_store(event, event_template, id, *counter, size);
	} else {
		int length = decode_fast_unpacked(table, &table->entries[byte], cursor + event_last + 2,
						  main_end >> event_last >> 1, main_number, second, features, counter,
						  event, details);

		if (length < 0)
			return 0;
		fields_length = (uint32_t)length;
	}
	/* Frames may end after the window, where there are no marks; a shift by 64 or more would be undefined. */
	marks->last = marks->last >> 2 >> event_last >> (fields_length < 63 ? fields_length : 63);
	if ((features & FAST_SINGLE) != 0)
		marks->paired = marks->paired >> 2 >> event_last >> fields_length;
	return event_last + 2 + fields_length;
}

/* Decodes events window by window. Returns the position of the first event that was not decoded. */
static inline __attribute__((always_inline)) const uint8_t *
decode_windows(const event_decode_table *table, const uint8_t *cursor, const events_decode_state *state,
	       uint64_t *last_counter, events_decode_batch *batch, fast_features features)
{
	const int has_details = (features & FAST_FIELDS) != 0;
	const uint32_t longest = FAST_LENGTH + (has_details ? FAST_MAX_FIELDS * FAST_FIELD_LENGTH : 0);
	/* Where stack sections are possible, most events are sections, calls or other short events. */
	const int has_long_events = has_details && (features & FAST_FRAMES) == 0;
	const ptrdiff_t most = has_long_events ? WINDOW_LONG_EVENTS : WINDOW_EVENTS;
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *readable = state->bytes + state->readable;
	mprof_event *event = batch->events + batch->count;
	mprof_event *end = batch->events + batch->capacity;
	fast_details details = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
	uint64_t counter = *last_counter;

	if (has_details && batch->details != NULL) {
		details.first_detail = batch->details;
		details.detail = batch->details + batch->detail_count;
		details.detail_end = batch->details + batch->detail_capacity;
	}
	if ((features & FAST_FRAMES) != 0)
		details.section = batch->sections + batch->section_count;
	if ((features & FAST_FRAMES) != 0 && batch->frames != NULL) {
		details.frame = batch->frames + batch->frame_count;
		details.frame_end = batch->frames + batch->frame_capacity;
		details.window_limit = readable - limit < WINDOW_SLACK ? readable - WINDOW_SLACK : limit;
	}
	while (event < end && readable - cursor >= WINDOW_LENGTH + WINDOW_SLACK) {
		mprof_event *window_end = end - event > most ? event + most : end;
		const uint8_t *last_start = cursor + WINDOW_LENGTH - longest;
		window_marks marks;

		window_mark(&marks, cursor, table, features);
		/* Marks after the limit are cleared, so that no event ends there. */
		if (__builtin_expect(limit - cursor < WINDOW_LENGTH, 0))
			marks.last &= (UINT64_C(1) << (limit - cursor)) - 1;
		for (; event < window_end; event++) {
			uint32_t length = decode_fast(table, cursor, &marks, features, &counter, event, &details);

			if (__builtin_expect(length == 0, 0))
				break;
			cursor += length;
		}
		/* Even the longest event would have ended inside the window, so this one needs the slow path. */
		if (event < window_end && cursor <= last_start)
			break;
	}
	batch->count = (size_t)(event - batch->events);
	if (details.detail != NULL)
		batch->detail_count = (size_t)(details.detail - batch->details);
	if ((features & FAST_FRAMES) != 0)
		batch->section_count = (size_t)(details.section - batch->sections);
	if (details.frame != NULL)
		batch->frame_count = (size_t)(details.frame - batch->frames);
	*last_counter = counter;
	return cursor;
}

/*
 * Decodes an event by the slow path, and the native memory events after it, which need the slow path too: they come in
 * long runs, for which window marks would be computed without a use.
 */
static events_decode_result decode_slow_path(const event_decode_table *table, const uint8_t **cursor,
					     const uint8_t *limit, events_decode_state *state,
					     events_decode_batch *batch)
{
	events_decode_result result;

	do
		result = event_decode_one(table, cursor, limit, state, batch);
	while (result == EVENTS_DECODE_DONE && *cursor < limit && batch->count < batch->capacity &&
	       event_layout_is_memory(table->entries[**cursor].layout));
	return result;
}

/*
 * Decodes events by the fast path and, where it stops, by the slow path. \p machine is FAST_EXTRACT or 0. The features
 * must be constants, so each combination that event_decode_table_build() can select is a call of its own.
 */
static inline __attribute__((always_inline)) events_decode_result decode_list(const event_decode_table *table,
									      events_decode_state *state,
									      events_decode_batch *batch,
									      fast_features machine)
{
	const uint8_t *cursor = state->bytes + state->position;
	const uint8_t *limit = state->bytes + state->length;
	events_decode_result result = EVENTS_DECODE_DONE;

	while (result == EVENTS_DECODE_DONE && cursor < limit) {
		if (table->has_frames)
			cursor = decode_windows(table, cursor, state, &state->counter, batch,
						FAST_FIELDS | FAST_FRAMES | machine);
		else if (table->has_fields)
			cursor = decode_windows(table, cursor, state, &state->counter, batch,
						FAST_SINGLE | FAST_SIZES | FAST_FIELDS | machine);
		else if (table->has_sizes)
			cursor = decode_windows(table, cursor, state, &state->counter, batch,
						FAST_SINGLE | FAST_SIZES | machine);
		else if (table->has_single)
			cursor = decode_windows(table, cursor, state, &state->counter, batch, FAST_SINGLE | machine);
		else
			cursor = decode_windows(table, cursor, state, &state->counter, batch, FAST_PLAIN | machine);
		if (batch->count == batch->capacity)
			result = EVENTS_DECODE_FULL;
		else if (cursor < limit)
			result = decode_slow_path(table, &cursor, limit, state, batch);
	}
	state->position = (size_t)(cursor - state->bytes);
	/* If the last event filled the batch, another batch would be empty. */
	return result == EVENTS_DECODE_FULL && cursor == limit ? EVENTS_DECODE_DONE : result;
}

#if VARINT_WORD_CAN_EXTRACT

__attribute__((target("bmi,bmi2"))) static events_decode_result
decode_by_extracting(const event_decode_table *table, events_decode_state *state, events_decode_batch *batch)
{
	return decode_list(table, state, batch, FAST_EXTRACT);
}

#endif

events_decode_result events_decode(const event_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch)
{
#if VARINT_WORD_CAN_EXTRACT
	if (table->extracts)
		return decode_by_extracting(table, state, batch);
#endif
	return decode_list(table, state, batch, FAST_PLAIN);
}
