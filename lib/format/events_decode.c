/* SPDX-License-Identifier: MIT */
#include "format/events_decode.h"

#include "format/int.h"

#include <string.h>

/* What the numbers of a form are. Allocations and the forms that are no events are completed by the caller. */
static void entry_set_numbers(event_decode_entry *entry, event_form form, uint32_t byte)
{
	entry->has_second = form != EVENT_FORM_IMPLICIT_LEAVE;
	if (form == EVENT_FORM_PACKED_ID || form == EVENT_FORM_ALLOCATION || form == EVENT_FORM_IMPLICIT_LEAVE) {
		entry->main_shift = EVENT_PACKED_BITS;
		entry->main_low = byte >> EVENT_PACKED_SHIFT & EVENT_PACKED_MASK;
	}
	if (form == EVENT_FORM_IMPLICIT_LEAVE)
		entry->main_is_time = -1;
	else if (form == EVENT_FORM_VALUE || form == EVENT_FORM_UNKNOWN)
		entry->main_is_value = -1;
	else
		entry->main_is_id = -1;
	if (form == EVENT_FORM_ALLOCATION)
		entry->second_is_value = -1;
	else
		entry->second_is_time = -1;
}

static void entry_build(event_decode_entry *entry, const event_code *code, uint32_t byte, uint64_t directives)
{
	mprof_event event = {.kind = code->kind, .flags = code->flags, .code = (uint8_t)byte};

	memset(entry, 0, sizeof(*entry));
	memcpy(&entry->head, &event, sizeof(entry->head));
	entry->form = code->form;
	entry_set_numbers(entry, (event_form)code->form, byte);
	if (code->form == EVENT_FORM_ALLOCATION) {
		entry->has_caller = (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0;
		entry->has_object = (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0;
		entry->is_slow = entry->has_caller | entry->has_object;
	} else {
		entry->is_slow = code->form == EVENT_FORM_END || code->form == EVENT_FORM_INVALID;
	}
}

void events_decode_table_build(events_decode_table *table, const dialect_rules *rules, uint64_t directives)
{
	event_code codes[256];

	event_codes_build(codes, rules, directives);
	memset(table, 0, sizeof(*table));
	for (uint32_t byte = 0; byte < 256; byte++) {
		event_decode_entry *entry = &table->entries[byte];

		entry_build(entry, &codes[byte], byte, directives);
		if (entry->form == EVENT_FORM_PACKED_ID || entry->form == EVENT_FORM_IMPLICIT_LEAVE)
			table->packed_heads[byte] = entry->head;
		if (entry->form == EVENT_FORM_IMPLICIT_LEAVE)
			table->has_single = 1;
	}
}

/* Spreads a mask of the table, 0 or -1, over 64 bits. */
static inline uint64_t mask_of(int8_t mask)
{
	return (uint64_t)(int64_t)mask;
}

/* All fields are written, so that the caller's array need not be cleared. */
static inline void event_store(mprof_event *event, uint32_t head, uint64_t id, uint64_t counter, uint64_t value)
{
	memcpy(event, &head, sizeof(head));
	event->id = (uint32_t)id;
	event->counter = counter;
	event->value = value;
	event->more.detail_bits = 0;
}

/* Stores an event of any form but the slow ones. Returns its counter. */
static inline uint64_t event_store_any(mprof_event *event, const event_decode_entry *entry, uint64_t main_number,
				       uint64_t second, uint64_t counter)
{
	counter += (main_number & mask_of(entry->main_is_time)) | (second & mask_of(entry->second_is_time));
	event_store(event, entry->head, main_number & mask_of(entry->main_is_id), counter,
		    (main_number & mask_of(entry->main_is_value)) | (second & mask_of(entry->second_is_value)));
	return counter;
}

/* Puts the groups of seven bits of eight bytes side by side: pairs, then pairs of pairs, then both halves. */
static inline uint64_t groups_join(uint64_t word)
{
	word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
	word -= (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word -= 3 * ((word & UINT64_C(0x3fff00003fff0000)) >> 2);
	return (uint32_t)word | word >> 32 << 28;
}

/* Masks of joined groups: as many as the index says, and one. */
static const uint64_t group_masks[8] = {
	(UINT64_C(1) << 7) - 1,  (UINT64_C(1) << 14) - 1, (UINT64_C(1) << 21) - 1, (UINT64_C(1) << 28) - 1,
	(UINT64_C(1) << 35) - 1, (UINT64_C(1) << 42) - 1, (UINT64_C(1) << 49) - 1, (UINT64_C(1) << 56) - 1,
};

/* The fast path takes an event of a byte, and INTs of eight bytes in all. */
#define FAST_LENGTH 9

/*
 * Events are found in windows of so many bytes. A window holds WINDOW_EVENTS events of five bytes; to stop there
 * however long they are is cheaper than to stop where it ends, which cannot be foretold. Behind a window there must
 * be room to look at what could be an event.
 */
#define WINDOW_LENGTH 64
#define WINDOW_EVENTS 12
#define WINDOW_SLACK FAST_LENGTH

/* What matters of a window's bytes, one bit for each, the first byte in the lowest bit. */
typedef struct window_marks {
	uint64_t last;   /* The byte ends an INT, if it is part of one. */
	uint64_t single; /* The byte is an implicit leave, if it is an event's first; no second INT follows. */
} window_marks;

#if defined(__SSE2__)

#include <emmintrin.h>

static inline uint64_t sixteen_last(const uint8_t *bytes)
{
	return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

static inline uint64_t sixteen_single(const uint8_t *bytes)
{
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)bytes);
	__m128i group = _mm_and_si128(all, _mm_set1_epi8(EVENT_GROUP_MASK));

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8(EVENT_GROUP_IMPLICIT_LEAVE)));
}

#else

/* One byte's value in each of eight bytes. */
#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* The highest bits of eight bytes side by side: the product brings them together in its own highest byte. */
static inline uint64_t highest_bits(uint64_t bytes)
{
	return ((bytes & EACH_BYTE(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t sixteen_last(const uint8_t *bytes)
{
	return highest_bits(bytes_load_64(bytes)) | highest_bits(bytes_load_64(bytes + 8)) << 8;
}

static inline uint64_t eight_single(uint64_t bytes)
{
	/* 0 where it is one; any other value, with 127 added, has its highest bit set. */
	uint64_t other = (bytes ^ EACH_BYTE(EVENT_GROUP_IMPLICIT_LEAVE)) & EACH_BYTE(EVENT_GROUP_MASK);

	return highest_bits(~(other + EACH_BYTE(127)));
}

static inline uint64_t sixteen_single(const uint8_t *bytes)
{
	return eight_single(bytes_load_64(bytes)) | eight_single(bytes_load_64(bytes + 8)) << 8;
}

#endif

static inline void window_mark(window_marks *marks, const uint8_t *window, int with_single)
{
	marks->last = sixteen_last(window) | sixteen_last(window + 16) << 16 | sixteen_last(window + 32) << 32 |
		      sixteen_last(window + 48) << 48;
	marks->single = 0;
	if (with_single)
		marks->single = sixteen_single(window) | sixteen_single(window + 16) << 16 |
				sixteen_single(window + 32) << 32 | sixteen_single(window + 48) << 48;
}

/*
 * Decodes the event at the cursor with no branch that depends on its length, nor on whether it enters or leaves: these
 * follow no pattern, and each wrong guess of the processor costs more than a whole event. Where the event ends is found
 * from the window's marks alone, with no load in between, since each event has to wait for that of the one before; the
 * rest of the work on several events overlaps. Both INTs are taken from one word of eight bytes.
 *
 * Returns the length of the event, or 0 for one that is left to the careful path: whatever does not fit in the word
 * or in the window, and all that may be damage.
 */
static inline __attribute__((always_inline)) uint32_t decode_fast(const events_decode_table *table,
								  const uint8_t *cursor, window_marks *marks,
								  int with_single, uint64_t *counter,
								  mprof_event *event)
{
	uint32_t byte = *cursor;
	uint32_t head = table->packed_heads[byte];
	uint64_t joined = groups_join(bytes_load_64(cursor + 1));
	uint64_t main_end = marks->last >> 1;
	/* Without the lowest mark if there is a second INT, so that the lowest is that of the event's end. */
	uint64_t event_end = main_end & (main_end - (with_single ? ~marks->single & 1 : 1));

	if (__builtin_expect((event_end & 255) == 0, 0))
		return 0;

	uint32_t main_last = (uint32_t)__builtin_ctzll(main_end);
	uint32_t event_last = (uint32_t)__builtin_ctzll(event_end);
	uint64_t main_number = joined & group_masks[main_last];
	uint64_t second = (joined & group_masks[event_last]) >> (7 * main_last + 7);

	if (__builtin_expect(head != 0, 1)) {
		uint64_t single = with_single ? 0 - (marks->single & 1) : 0;
		uint64_t id;

		main_number = main_number << EVENT_PACKED_BITS | byte >> EVENT_PACKED_SHIFT;
		id = main_number & ~single;
		if (__builtin_expect(id > UINT32_MAX, 0))
			return 0;
		*counter += (main_number & single) + second;
		event_store(event, head, id, *counter, 0);
	} else {
		const event_decode_entry *entry = &table->entries[byte];

		main_number = main_number << entry->main_shift | entry->main_low;
		if (entry->is_slow || (main_number & mask_of(entry->main_is_id)) > UINT32_MAX)
			return 0;
		*counter = event_store_any(event, entry, main_number, second, *counter);
	}
	marks->last = main_end >> event_last >> 1;
	if (with_single)
		marks->single = marks->single >> 2 >> event_last;
	return event_last + 2;
}

/* Decodes events by windows. Returns the place of the first one that is left. */
static inline __attribute__((always_inline)) const uint8_t *
decode_windows(const events_decode_table *table, const uint8_t *cursor, const events_decode_state *state,
	       uint64_t *last_counter, events_decode_batch *batch, int with_single)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *readable = state->bytes + state->readable;
	mprof_event *event = batch->events + batch->count;
	mprof_event *end = batch->events + batch->capacity;
	uint64_t counter = *last_counter;

	while (event < end && readable - cursor >= WINDOW_LENGTH + WINDOW_SLACK) {
		mprof_event *window_end = end - event > WINDOW_EVENTS ? event + WINDOW_EVENTS : end;
		const uint8_t *last_start = cursor + WINDOW_LENGTH - FAST_LENGTH;
		window_marks marks;

		window_mark(&marks, cursor, with_single);
		/* No event ends behind the limit. */
		if (__builtin_expect(limit - cursor < WINDOW_LENGTH, 0))
			marks.last &= (UINT64_C(1) << (limit - cursor)) - 1;
		for (; event < window_end; event++) {
			uint32_t length = decode_fast(table, cursor, &marks, with_single, &counter, event);

			if (__builtin_expect(length == 0, 0))
				break;
			cursor += length;
		}
		/* Was it not left for the window's end? */
		if (event < window_end && cursor <= last_start)
			break;
	}
	batch->count = (size_t)(event - batch->events);
	*last_counter = counter;
	return cursor;
}

/* Reads an INT at the cursor and moves it. Returns EVENTS_DECODE_DONE or what is wrong. */
static events_decode_result int_take(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	int length = mprof_int_decode(*cursor, (size_t)(limit - *cursor), value);

	if (length <= 0)
		return length == 0 ? EVENTS_DECODE_CUT : EVENTS_DECODE_BAD_INT;
	*cursor += length;
	return EVENTS_DECODE_DONE;
}

static events_decode_result main_take(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
				      uint64_t *value)
{
	events_decode_result result = int_take(cursor, limit, value);

	if (result != EVENTS_DECODE_DONE)
		return result;
	if (*value > UINT64_MAX >> entry->main_shift)
		return entry->main_is_id ? EVENTS_DECODE_BAD_ID : EVENTS_DECODE_BAD_INT;
	*value = *value << entry->main_shift | entry->main_low;
	return entry->main_is_id && *value > UINT32_MAX ? EVENTS_DECODE_BAD_ID : EVENTS_DECODE_DONE;
}

/* The extras of an allocation. The batch has room for them. */
static events_decode_result detail_take(const event_decode_entry *entry, const uint8_t **cursor, const uint8_t *limit,
					mprof_event_detail *detail)
{
	events_decode_result result = EVENTS_DECODE_DONE;
	uint64_t caller = 0;

	memset(detail, 0, sizeof(*detail));
	if (entry->has_caller)
		result = int_take(cursor, limit, &caller);
	if (result == EVENTS_DECODE_DONE && caller > UINT32_MAX)
		result = EVENTS_DECODE_BAD_ID;
	if (result == EVENTS_DECODE_DONE && entry->has_object)
		result = int_take(cursor, limit, &detail->object);
	detail->caller = (uint32_t)caller;
	return result;
}

/* Decodes the event at the place, of whatever form, and moves the place behind it. */
static events_decode_result decode_one(const events_decode_table *table, const uint8_t **place, const uint8_t *limit,
				       uint64_t *counter, events_decode_batch *batch)
{
	const uint8_t *cursor = *place;
	const event_decode_entry *entry = &table->entries[*cursor++];
	mprof_event *event = &batch->events[batch->count];
	mprof_event_detail *detail = NULL;
	uint64_t main_number;
	uint64_t second = 0;
	events_decode_result result;

	if (entry->form == EVENT_FORM_END)
		return EVENTS_DECODE_LIST_END;
	if (entry->form == EVENT_FORM_INVALID)
		return EVENTS_DECODE_BAD_CODE;
	if (entry->is_slow && batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	result = main_take(entry, &cursor, limit, &main_number);
	if (result == EVENTS_DECODE_DONE && entry->has_second)
		result = int_take(&cursor, limit, &second);
	if (result == EVENTS_DECODE_DONE && entry->is_slow) {
		detail = &batch->details[batch->detail_count];
		result = detail_take(entry, &cursor, limit, detail);
	}
	if (result != EVENTS_DECODE_DONE)
		return result;
	*counter = event_store_any(event, entry, main_number, second, *counter);
	if (detail != NULL) {
		event->more.detail = detail;
		batch->detail_count++;
	}
	batch->count++;
	*place = cursor;
	return EVENTS_DECODE_DONE;
}

events_decode_result events_decode(const events_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch)
{
	const uint8_t *cursor = state->bytes + state->position;
	const uint8_t *limit = state->bytes + state->length;
	events_decode_result result = EVENTS_DECODE_DONE;

	while (result == EVENTS_DECODE_DONE && cursor < limit) {
		if (table->has_single)
			cursor = decode_windows(table, cursor, state, &state->counter, batch, 1);
		else
			cursor = decode_windows(table, cursor, state, &state->counter, batch, 0);
		if (batch->count == batch->capacity)
			result = EVENTS_DECODE_FULL;
		else if (cursor < limit)
			result = decode_one(table, &cursor, limit, &state->counter, batch);
	}
	state->position = (size_t)(cursor - state->bytes);
	/* A batch that was filled by the very last event is full, but nothing is left to be fetched with another. */
	return result == EVENTS_DECODE_FULL && cursor == limit ? EVENTS_DECODE_DONE : result;
}
