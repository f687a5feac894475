/* SPDX-License-Identifier: MIT */
/* Events of Mono's profiler "log". */
#include "import/mlpd_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_ID UINT32_C(0x4d505a01)
#define BUFFER_ID UINT32_C(0x4d504c01)

enum { BUFFER_HEADER = 48, TRAMPOLINE_WITH_NAME = 5, PERFORMANCE_COUNTERS = 1 << 15 };
enum { LIST, FRAMES };

/* Storage of lists, which grows. */
static struct {
	uint64_t *values;
	size_t capacity;
} lists[2];

static uint64_t read_fixed(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

/* Takes a fixed number, if the file is long enough. */
static uint64_t take_fixed(mlpd_file *file, size_t size, int *is_cut)
{
	uint64_t value;

	if ((size_t)(file->end - file->at) < size) {
		*is_cut = 1;
		return 0;
	}
	value = read_fixed(file->at, size);
	file->at += size;
	return value;
}

static void take_text(mlpd_file *file, char *out, size_t out_size, int *is_cut)
{
	uint64_t length = take_fixed(file, 4, is_cut);

	if (*is_cut || length > (uint64_t)(file->end - file->at)) {
		*is_cut = 1;
		return;
	}
	if (out != NULL)
		snprintf(out, out_size, "%.*s", (int)(length < out_size ? length : out_size), (const char *)file->at);
	file->at += length;
}

const char *mlpd_open(mlpd_file *file, const uint8_t *bytes, size_t size)
{
	int is_cut = 0;
	uint64_t major;

	memset(file, 0, sizeof(*file));
	file->bytes = file->at = bytes;
	file->end = bytes + size;
	if (take_fixed(file, 4, &is_cut) != FILE_ID || is_cut)
		return "not a file of Mono's profiler log";
	major = take_fixed(file, 1, &is_cut);
	take_fixed(file, 1, &is_cut);
	file->version = (uint32_t)take_fixed(file, 1, &is_cut);
	take_fixed(file, 1, &is_cut);
	if (!is_cut && (major != 3 || file->version < 16 || file->version > 17))
		return "not of data version 16 or 17, which Mono 6 writes";
	file->start_ms = take_fixed(file, 8, &is_cut);
	file->start_ns = take_fixed(file, 8, &is_cut);
	take_fixed(file, 8, &is_cut);
	file->pid = (uint32_t)take_fixed(file, 4, &is_cut);
	take_fixed(file, 2, &is_cut);
	take_text(file, file->arguments, sizeof(file->arguments), &is_cut);
	take_text(file, NULL, 0, &is_cut);
	take_text(file, NULL, 0, &is_cut);
	return is_cut ? "the header is not complete" : NULL;
}

int mlpd_next_buffer(mlpd_file *file, mlpd_buffer *buffer)
{
	const uint8_t *start = file->at;
	uint64_t length;

	while (file->at < file->end && (file->end - file->at < BUFFER_HEADER || read_fixed(file->at, 4) != BUFFER_ID))
		file->at++;
	file->skipped = file->at > start ? start : NULL;
	if (file->at == file->end)
		return 0;
	length = read_fixed(file->at + 4, 4);
	buffer->time = read_fixed(file->at + 8, 8);
	buffer->pointer_base = read_fixed(file->at + 16, 8);
	buffer->object_base = read_fixed(file->at + 24, 8);
	buffer->thread = read_fixed(file->at + 32, 8);
	buffer->method = read_fixed(file->at + 40, 8);
	buffer->at = file->at + BUFFER_HEADER;
	buffer->is_cut = length > (uint64_t)(file->end - buffer->at);
	buffer->end = buffer->is_cut ? file->end : buffer->at + length;
	file->at = buffer->end;
	return 1;
}

void mlpd_skip(mlpd_file *file, const mlpd_buffer *buffer)
{
	size_t rest = (size_t)(file->end - buffer->end);

	if (buffer->is_cut || (rest > 0 && (rest < 4 || read_fixed(buffer->end, 4) != BUFFER_ID)))
		file->at = buffer->at;
}

static int take_byte(mlpd_buffer *buffer, uint64_t *value)
{
	if (buffer->at == buffer->end)
		return 0;
	*value = *buffer->at++;
	return 1;
}

/* Takes a LEB128 number of at most 64 bits. */
static int take_number(mlpd_buffer *buffer, int is_signed, uint64_t *value)
{
	unsigned shift = 0;
	uint64_t byte;

	*value = 0;
	do {
		if (shift > 63 || !take_byte(buffer, &byte))
			return 0;
		*value |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) != 0);
	if (is_signed && shift < 64 && (byte & 0x40) != 0)
		*value |= ~UINT64_C(0) << shift;
	return 1;
}

static int take_relative(mlpd_buffer *buffer, uint64_t base, uint64_t *value)
{
	if (!take_number(buffer, 1, value))
		return 0;
	*value += base;
	return 1;
}

static int take_method(mlpd_buffer *buffer, uint64_t *value)
{
	if (!take_relative(buffer, buffer->method, value))
		return 0;
	buffer->method = *value;
	return 1;
}

static int take_string(mlpd_buffer *buffer, const char **text)
{
	const uint8_t *end = memchr(buffer->at, '\0', (size_t)(buffer->end - buffer->at));

	if (end == NULL)
		return 0;
	*text = (const char *)buffer->at;
	buffer->at = end + 1;
	return 1;
}

/* Takes the number of elements of a list. An element has at least one byte. */
static int take_count(mlpd_buffer *buffer, uint64_t *count)
{
	return take_number(buffer, 0, count) && *count <= (uint64_t)(buffer->end - buffer->at);
}

/* Adds a value to the list or the frames of an event. */
static void push(mlpd_event *event, int which, uint64_t value)
{
	size_t *count = which == LIST ? &event->list_count : &event->frame_count;
	uint64_t *values = lists[which].values;

	if (*count == lists[which].capacity) {
		uint64_t *larger = realloc(values, (2 * *count + 64) * sizeof(*values));

		if (larger == NULL) {
			event->lacks_memory = 1;
			return;
		}
		lists[which].values = values = larger;
		lists[which].capacity = 2 * *count + 64;
	}
	values[(*count)++] = value;
	event->list = lists[LIST].values;
	event->frames = lists[FRAMES].values;
}

static int take_frames(mlpd_buffer *buffer, mlpd_event *event)
{
	uint64_t count, method;

	if (!take_count(buffer, &count))
		return 0;
	while (count-- > 0) {
		if (!take_method(buffer, &method))
			return 0;
		push(event, FRAMES, method);
	}
	return 1;
}

/* Takes a list of addresses (a), moved objects (v), references with offsets (r), or roots (t). */
static int take_list(mlpd_buffer *buffer, mlpd_event *event, char kind)
{
	uint64_t base = kind == 'a' ? buffer->pointer_base : buffer->object_base;
	uint64_t count, value, offset = 0;

	if (!take_count(buffer, &count) || (kind == 'v' && count % 2 != 0))
		return 0;
	while (count-- > 0) {
		if (kind == 'r') {
			if (!take_number(buffer, 0, &value))
				return 0;
			push(event, LIST, offset += value);
		} else if (kind == 't') {
			if (!take_relative(buffer, buffer->pointer_base, &value))
				return 0;
			push(event, LIST, value);
		}
		if (!take_relative(buffer, base, &value))
			return 0;
		push(event, LIST, value);
	}
	return 1;
}

/* Takes the definitions of counters. */
static int take_counters(mlpd_buffer *buffer, mlpd_event *event)
{
	uint64_t count, section, number;
	const char *name, *section_name;

	if (!take_count(buffer, &count))
		return 0;
	while (count-- > 0) {
		section_name = NULL;
		if (!take_number(buffer, 0, &section) ||
		    (section == PERFORMANCE_COUNTERS && !take_string(buffer, &section_name)) ||
		    !take_string(buffer, &name))
			return 0;
		push(event, LIST, section);
		push(event, LIST, (uintptr_t)section_name);
		push(event, LIST, (uintptr_t)name);
		for (int i = 0; i < 4; i++) {
			if (!take_number(buffer, 0, &number))
				return 0;
			push(event, LIST, number);
		}
	}
	return 1;
}

static int take_counter_values(mlpd_buffer *buffer, mlpd_event *event)
{
	uint64_t index, type, value;
	const char *text;

	for (;;) {
		if (!take_number(buffer, 0, &index))
			return 0;
		if (index == 0)
			return 1;
		if (!take_number(buffer, 0, &type))
			return 0;
		if (type == MLPD_COUNTER_DOUBLE) {
			if (buffer->end - buffer->at < 8)
				return 0;
			value = read_fixed(buffer->at, 8);
			buffer->at += 8;
		} else if (type == MLPD_COUNTER_TEXT) {
			if (!take_byte(buffer, &value) || (value != 0 && !take_string(buffer, &text)))
				return 0;
		} else {
			int is_signed = type != MLPD_COUNTER_UNSIGNED && type != MLPD_COUNTER_UNSIGNED_LONG;

			if (type > MLPD_COUNTER_INTERVAL || !take_number(buffer, is_signed, &value))
				return 0;
		}
		push(event, LIST, index);
		push(event, LIST, type);
		push(event, LIST, value);
	}
}

/* What metadata contains after its kind. */
static const char *metadata_layout(uint8_t type, uint64_t kind)
{
	switch (kind) {
	case MLPD_CLASS:
	case MLPD_ASSEMBLY:
		return "pps";
	case MLPD_IMAGE:
		return "pss";
	case MLPD_DOMAIN:
	case MLPD_THREAD:
		return type == MLPD_METADATA ? "ps" : "p";
	case MLPD_CONTEXT:
		return "pp";
	case MLPD_VTABLE:
		return "ppp";
	default:
		return NULL;
	}
}

/*
 * What an event contains: b a byte, u a number, p an address, o that of an object, m a method, s a text, S the call
 * stack, a, v, r and t lists, d counters, c their values, x a text if the byte before requires it, and * metadata.
 */
static const char *const layouts[256] = {
	[MLPD_ALLOC] = "pou",
	[MLPD_ALLOC_STACK] = "pouS",
	[MLPD_GC_EVENT] = "bb",
	[MLPD_GC_RESIZE] = "u",
	[MLPD_GC_MOVES] = "v",
	[MLPD_HANDLE_CREATED] = "uuo",
	[MLPD_HANDLE_DELETED] = "uu",
	[MLPD_HANDLE_CREATED_STACK] = "uuoS",
	[MLPD_HANDLE_DELETED_STACK] = "uuS",
	[MLPD_FINALIZE_START] = "",
	[MLPD_FINALIZE_END] = "",
	[MLPD_FINALIZE_OBJECT_START] = "o",
	[MLPD_FINALIZE_OBJECT_END] = "o",
	[MLPD_METADATA] = "b*",
	[MLPD_METADATA_LOAD] = "b*",
	[MLPD_METADATA_UNLOAD] = "b*",
	[MLPD_LEAVE] = "m",
	[MLPD_ENTER] = "m",
	[MLPD_LEAVE_EXCEPTION] = "m",
	[MLPD_JIT] = "mpus",
	[MLPD_THROW] = "o",
	[MLPD_CLAUSE] = "bumo",
	[MLPD_THROW_STACK] = "oS",
	[MLPD_MONITOR] = "bo",
	[MLPD_MONITOR_STACK] = "boS",
	[MLPD_HEAP_START] = "",
	[MLPD_HEAP_END] = "",
	[MLPD_HEAP_OBJECT] = "opubr",
	[MLPD_HEAP_ROOTS] = "t",
	[MLPD_ROOT_ADDED] = "pubps",
	[MLPD_ROOT_REMOVED] = "p",
	[MLPD_HIT] = "paS",
	[MLPD_SYMBOL] = "pus",
	[MLPD_COUNTERS] = "d",
	[MLPD_COUNTER_VALUES] = "c",
	[MLPD_HELPER] = "bpux",
	[MLPD_SYNC] = "b",
	[MLPD_AOT_ID] = "s",
};

static int take_field(mlpd_buffer *buffer, mlpd_event *event, char kind)
{
	uint64_t *field = &event->fields[event->field_count];
	const char *text;

	event->field_count += strchr("buopm", kind) != NULL;
	switch (kind) {
	case 'b':
		return take_byte(buffer, field);
	case 'u':
		return take_number(buffer, 0, field);
	case 'p':
		return take_relative(buffer, buffer->pointer_base, field);
	case 'o':
		return take_relative(buffer, buffer->object_base, field);
	case 'm':
		return take_method(buffer, field);
	case 'x':
		return event->fields[0] != TRAMPOLINE_WITH_NAME || take_string(buffer, &event->text);
	case 's':
		return take_string(buffer, event->text[0] == '\0' ? &event->text : &text);
	case 'S':
		return take_frames(buffer, event);
	case 'd':
		return take_counters(buffer, event);
	case 'c':
		return take_counter_values(buffer, event);
	default:
		return take_list(buffer, event, kind);
	}
}

int mlpd_next_event(mlpd_buffer *buffer, mlpd_event *event)
{
	uint64_t byte, difference;
	const char *layout;

	memset(event, 0, sizeof(*event));
	event->text = "";
	if (!take_byte(buffer, &byte))
		return buffer->is_cut ? -1 : 0;
	event->type = (uint8_t)byte;
	layout = layouts[byte];
	if (layout == NULL || !take_number(buffer, 0, &difference))
		return -1;
	buffer->time += difference;
	event->time = buffer->time;
	for (; layout != NULL && *layout != '\0'; layout++) {
		if (*layout == '*') {
			layout = metadata_layout(event->type, event->fields[0]);
			if (layout == NULL)
				return -1;
		}
		if (!take_field(buffer, event, *layout))
			return -1;
	}
	return 1;
}
