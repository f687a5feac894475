/* SPDX-License-Identifier: MIT */
/* What each event code means to the decoder, and how a decoded event is stored. */
#include "format/events/event_decode_table.h"

#include "format/values/varint.h"

/* Sets the packed bits and the fields that the numbers of a layout are stored in. */
static void entry_set_numbers(event_decode_entry *entry, event_layout layout, uint32_t byte)
{
	if (layout == EVENT_LAYOUT_PACKED_ID || layout == EVENT_LAYOUT_ALLOCATION ||
	    layout == EVENT_LAYOUT_ALLOCATION_FIXED || layout == EVENT_LAYOUT_IMPLICIT_LEAVE) {
		entry->main_shift = EVENT_PACKED_BITS;
		entry->main_low = byte >> EVENT_PACKED_SHIFT & EVENT_PACKED_MASK;
	}
	if (layout == EVENT_LAYOUT_IMPLICIT_LEAVE)
		entry->main_time_mask = -1;
	else if (layout == EVENT_LAYOUT_VALUE || layout == EVENT_LAYOUT_UNKNOWN)
		entry->main_value_mask = -1;
	else
		entry->main_id_mask = -1;
	if (layout == EVENT_LAYOUT_ALLOCATION_FIXED)
		entry->class_size_mask = -1;
	else if (layout == EVENT_LAYOUT_ALLOCATION || layout == EVENT_LAYOUT_ALLOCATION_UNPACKED)
		entry->second_value_mask = -1;
	else if (layout != EVENT_LAYOUT_IMPLICIT_LEAVE)
		entry->second_time_mask = -1;
}

/*
 * Whether a layout is left to the slow path: it is rare or invalid, or consists of more than two varints and the fields
 * of an allocation.
 */
static int layout_is_slow(event_layout layout)
{
	switch (layout) {
	case EVENT_LAYOUT_PACKED_ID:
	case EVENT_LAYOUT_ALLOCATION:
	case EVENT_LAYOUT_ALLOCATION_FIXED:
	case EVENT_LAYOUT_ALLOCATION_UNPACKED:
	case EVENT_LAYOUT_ID:
	case EVENT_LAYOUT_VALUE:
	case EVENT_LAYOUT_IMPLICIT_LEAVE:
	case EVENT_LAYOUT_UNKNOWN:
		return 0;
	default:
		return 1;
	}
}

/* Whether events of a layout have a detail even without optional fields. */
static int layout_has_detail(event_layout layout)
{
	return event_layout_is_memory(layout) || event_layout_is_object(layout) || layout == EVENT_LAYOUT_SIZED ||
	       layout == EVENT_LAYOUT_STACK_SECTION;
}

static void entry_build(event_decode_entry *entry, const event_code *code, uint32_t byte)
{
	mprof_event event = {.kind = code->kind, .flags = code->flags, .code = (uint8_t)byte};

	memset(entry, 0, sizeof(*entry));
	memcpy(&entry->event_template, &event, sizeof(entry->event_template));
	entry->layout = code->layout;
	entry->fields = code->fields;
	entry->is_slow = layout_is_slow((event_layout)code->layout);
	entry_set_numbers(entry, (event_layout)code->layout, byte);
}

/*
 * Events without a second varint are recognized by bits of the code that all of them share and no other event has. If
 * the log has no such events, the mask matches the codes of allocations of fixed size: these are then invalid, and the
 * slow path reports them.
 */
static void table_set_single(event_decode_table *table)
{
	table->has_single = table->entries[EVENT_GROUP_IMPLICIT_LEAVE].layout == EVENT_LAYOUT_IMPLICIT_LEAVE;
	table->has_sizes = table->entries[1 << EVENT_PACKED_SHIFT].layout == EVENT_LAYOUT_ALLOCATION_FIXED;
	table->single_mask = EVENT_GROUP_MASK;
	if (table->has_single && table->has_sizes)
		table->single_mask &= ~(EVENT_GROUP_IMPLICIT_LEAVE ^ EVENT_GROUP_ALLOCATION_FIXED);
	table->single_value = table->has_single ? EVENT_GROUP_IMPLICIT_LEAVE : EVENT_GROUP_ALLOCATION_FIXED;
	table->single_value &= table->single_mask;
}

void event_decode_table_build(event_decode_table *table, const dialect_rules *rules, uint64_t directives,
			      const id_map *object_sizes)
{
	event_code codes[256];
	int has_sections = 0;

	event_codes_build(codes, rules, directives);
	memset(table, 0, sizeof(*table));
	for (uint32_t byte = 0; byte < 256; byte++) {
		event_decode_entry *entry = &table->entries[byte];

		entry_build(entry, &codes[byte], byte);
		if (entry->layout == EVENT_LAYOUT_PACKED_ID || entry->layout == EVENT_LAYOUT_IMPLICIT_LEAVE ||
		    (entry->layout == EVENT_LAYOUT_ALLOCATION && entry->fields == 0))
			table->packed_templates[byte] = entry->event_template;
		has_sections |= entry->layout == EVENT_LAYOUT_STACK_SECTION;
		table->has_details |= entry->fields != 0 || layout_has_detail((event_layout)entry->layout);
	}
	table_set_single(table);
	table->has_fields = table->entries[EVENT_GROUP_ALLOCATION].fields != 0;
	table->has_frames = has_sections && (table->has_fields ||
					     (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0);
	table->extracts = (uint8_t)varint_word_machine_extracts();
	table->has_bad_monitor_times = rules->has_bad_monitor_times;
	table->object_sizes = object_sizes;
}
