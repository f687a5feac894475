/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_store.h
 * \brief Builds mprof_event from decoded numbers, for the fast path and the slow path.
 */
#ifndef FORMAT_EVENT_STORE_H
#define FORMAT_EVENT_STORE_H

#include "format/event_codes.h"
#include "format/event_decode_table.h"

#include <stddef.h>
#include <string.h>

/** Sign-extends a mask of the table, 0 or -1, to 64 bits. */
static inline uint64_t event_mask(int8_t mask)
{
	return (uint64_t)(int64_t)mask;
}

/** Stores an event. All fields are written, so the caller's array need not be cleared. */
static inline void event_store(mprof_event *event, uint32_t event_template, uint64_t id, uint64_t counter,
			       uint64_t value)
{
	memcpy(event, &event_template, sizeof(event_template));
	event->id = (uint32_t)id;
	event->counter = counter;
	event->value = value;
	event->more.detail_bits = 0;
}

/** As event_store() with a value of 0, in as few stores as possible. */
static inline void event_store_start(mprof_event *event, uint32_t event_template, uint32_t id, uint64_t counter)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t start = event_template | (uint64_t)id << 32;

	memcpy(event, &start, sizeof(start));
	event->counter = counter;
	memset((uint8_t *)event + offsetof(mprof_event, value), 0, sizeof(*event) - offsetof(mprof_event, value));
#else
	event_store(event, event_template, id, counter, 0);
#endif
}

/**
 * Stores an event of any layout, without its optional fields. \p size is the object size of the class, or 0. Returns
 * the counter of the event.
 */
static inline uint64_t event_store_any(mprof_event *event, const event_decode_entry *entry, uint64_t main_number,
				       uint64_t second, uint64_t size, uint64_t counter)
{
	counter += (main_number & event_mask(entry->main_time_mask)) | (second & event_mask(entry->second_time_mask));
	event_store(event, entry->event_template, main_number & event_mask(entry->main_id_mask), counter,
		    (main_number & event_mask(entry->main_value_mask)) |
			    (second & event_mask(entry->second_value_mask)) | size);
	return counter;
}

/** The values of the optional fields of an event, indexed by #event_field. */
typedef struct event_field_values {
	uint64_t of[EVENT_FIELD_COUNT];
} event_field_values;

/** Stores the optional fields in the detail of an event. Returns 0 without a change if an ID exceeds 32 bits. */
static inline int event_store_detail(mprof_event *event, mprof_event_detail *detail, const event_field_values *numbers)
{
	uint64_t handle = numbers->of[EVENT_FIELD_HANDLE];

	if ((numbers->of[EVENT_FIELD_CALLER] | numbers->of[EVENT_FIELD_STACK]) > UINT32_MAX)
		return 0;
	detail->struct_size = sizeof(*detail);
	detail->object = numbers->of[EVENT_FIELD_OBJECT];
	detail->caller = (uint32_t)numbers->of[EVENT_FIELD_CALLER];
	detail->stack = (uint32_t)numbers->of[EVENT_FIELD_STACK];
	detail->handle_type = handle & EVENT_HANDLE_TYPE_MASK;
	detail->reference_count = 0;
	detail->references = NULL;
	detail->samples = 0;
	detail->size = 0;
	detail->started = 0;
	detail->offsets = NULL;
	event->value |= numbers->of[EVENT_FIELD_VALUE] | handle >> EVENT_HANDLE_TYPE_BITS;
	event->more.detail = detail;
	return 1;
}

/** Stores the detail of a stack section event. The \p count frames are borrowed. */
static inline void event_store_section(mprof_event *event, mprof_event_detail *detail, const uint64_t *frames,
				       uint32_t count)
{
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->reference_count = count;
	detail->references = frames;
	event->more.detail = detail;
}

#endif
