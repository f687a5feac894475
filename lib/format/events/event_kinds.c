/* SPDX-License-Identifier: MIT */
/* The kinds of events. */
#include "format/events/event_kinds.h"

#include "base/options.h"

_Static_assert(EVENT_KIND_COUNT <= 64, "a bit for each kind");

#define EVENT_KIND_ROW(kind, name, id, value, time, category, has_section)                                             \
	[MPROF_EVENT_##kind] = {MPROF_EVENT_ID_##id, MPROF_EVENT_VALUE_##value, MPROF_EVENT_TIME_##time,               \
				MPROF_EVENT_CATEGORY_##category, has_section},

const event_kind_row event_kind_rows[256] = {EVENT_KINDS(EVENT_KIND_ROW)};

#define NAME(kind, name, id, value, time, category, has_section) [MPROF_EVENT_##kind] = (name),

static const char *const names[EVENT_KIND_COUNT] = {EVENT_KINDS(NAME)};

const char *mprof_event_get_name(uint32_t kind)
{
	return (size_t)kind < EVENT_KIND_COUNT && names[kind] != NULL ? names[kind] : "unknown";
}

mprof_status mprof_event_get_info(uint32_t kind, mprof_event_info *info)
{
	mprof_event_info copy = {.struct_size = sizeof(copy)};
	const event_kind_row *row;

	if (info == NULL || (size_t)kind >= EVENT_KIND_COUNT)
		return MPROF_ERR_ARGUMENT;
	row = &event_kind_rows[kind];
	copy.name = mprof_event_get_name(kind);
	copy.id = row->id;
	copy.value = row->value;
	copy.time = row->time;
	copy.category = row->category;
	return struct_copy_out(info, &copy, sizeof(copy));
}
