/* SPDX-License-Identifier: MIT */
/*
 * Writes spans as a trace of Perfetto, as small as it can be without compression: names and texts are interned, and
 * times are differences to the previous packet.
 */
#include "spans.h"

#include "spans_file.h"

#include <string.h>

/* Trace and TracePacket */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60
};

enum { STATE_CLEARED = 1, NEEDS_STATE = 2, SLICE_BEGIN = 1, SLICE_END = 2, TRACK = 1, SEQUENCE = 1 };

/* Clocks: of the system since 1970 and since its start, and the time since the previous packet. */
enum { CLOCK_WALL = 1, CLOCK_BOOT = 6, CLOCK_PREVIOUS = 64 };

typedef struct message {
	unsigned char bytes[FILE_ROOM];
	size_t length;
} message;

static uint64_t previous;
static unsigned char has_type[SPAN_TYPES];
static unsigned char has_text[SPAN_TEXTS];

static void put_varint(message *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		to->bytes[to->length++] = (unsigned char)(value | 0x80);
	to->bytes[to->length++] = (unsigned char)value;
}

static void put_number(message *to, uint32_t field, uint64_t value)
{
	put_varint(to, (uint64_t)field << 3);
	put_varint(to, value);
}

static void put_bytes(message *to, uint32_t field, const void *bytes, size_t length)
{
	put_varint(to, (uint64_t)field << 3 | 2);
	put_varint(to, length);
	memcpy(to->bytes + to->length, bytes, length);
	to->length += length;
}

static void put_message(message *to, uint32_t field, const message *from)
{
	put_bytes(to, field, from->bytes, from->length);
}

/* Writes a packet of the sequence. */
static void write_packet(message *packet, uint64_t flags)
{
	message trace = {.length = 0};

	put_number(packet, PACKET_SEQUENCE, SEQUENCE);
	put_number(packet, PACKET_FLAGS, flags);
	put_message(&trace, TRACE_PACKET, packet);
	memcpy(file_reserve(), trace.bytes, trace.length);
	file_used += trace.length;
}

/* Defines a text with a number from 1, in a field of InternedData. */
static void define(uint32_t field, uint64_t number, const char *text)
{
	message packet = {.length = 0};
	message interned = {.length = 0};
	message entry = {.length = 0};

	put_number(&entry, 1, number);
	put_bytes(&entry, 2, text, strlen(text));
	put_message(&interned, field, &entry);
	put_message(&packet, PACKET_INTERNED, &interned);
	write_packet(&packet, NEEDS_STATE);
}

static void put_clock(message *snapshot, uint64_t clock, uint64_t time)
{
	message entry = {.length = 0};

	put_number(&entry, 1, clock);
	put_number(&entry, 2, time);
	if (clock == CLOCK_PREVIOUS)
		put_number(&entry, 3, 1);
	put_message(snapshot, 1, &entry);
}

/* InternedData: names of events, names of arguments, texts. */
enum { INTERNED_NAMES = 2, INTERNED_ARGUMENTS = 3, INTERNED_TEXTS = 29 };

enum { ARGUMENT_NUMBER = 1, ARGUMENT_TEXT = 2 };

void spans_open(const char *path)
{
	message packet = {.length = 0};
	message part = {.length = 0};
	message inner = {.length = 0};

	file_open(path);
	previous = file_time();
	put_clock(&part, CLOCK_WALL, previous);
	put_clock(&part, CLOCK_BOOT, previous);
	put_clock(&part, CLOCK_PREVIOUS, 0);
	put_number(&part, 2, CLOCK_WALL);
	put_message(&packet, PACKET_CLOCKS, &part);
	part.length = 0;
	put_number(&inner, 11, TRACK);
	put_message(&part, 11, &inner);
	put_number(&part, 58, CLOCK_PREVIOUS);
	put_message(&packet, PACKET_DEFAULTS, &part);
	write_packet(&packet, STATE_CLEARED);
	packet.length = part.length = 0;
	put_number(&part, 1, TRACK);
	put_bytes(&part, 2, "spans", 5);
	put_message(&packet, PACKET_TRACK, &part);
	write_packet(&packet, NEEDS_STATE);
	define(INTERNED_ARGUMENTS, ARGUMENT_NUMBER, "number");
	define(INTERNED_ARGUMENTS, ARGUMENT_TEXT, "text");
}

static void begin_packet(message *packet)
{
	const uint64_t now = file_time();

	put_number(packet, PACKET_TIME, now - previous);
	previous = now;
}

void span_begin(uint32_t type)
{
	message packet = {.length = 0};
	message event = {.length = 0};

	if (!has_type[type])
		define(INTERNED_NAMES, type + 1, span_types[type]);
	has_type[type] = 1;
	begin_packet(&packet);
	put_number(&event, 9, SLICE_BEGIN);
	put_number(&event, 10, type + 1);
	put_message(&packet, PACKET_EVENT, &event);
	write_packet(&packet, NEEDS_STATE);
}

void span_end(uint32_t type, uint64_t number, uint32_t text)
{
	message packet = {.length = 0};
	message event = {.length = 0};
	message argument = {.length = 0};

	(void)type;
	if (!has_text[text])
		define(INTERNED_TEXTS, text + 1, span_texts[text]);
	has_text[text] = 1;
	begin_packet(&packet);
	put_number(&event, 9, SLICE_END);
	put_number(&argument, 1, ARGUMENT_NUMBER);
	put_number(&argument, 3, number);
	put_message(&event, 4, &argument);
	argument.length = 0;
	put_number(&argument, 1, ARGUMENT_TEXT);
	put_number(&argument, 17, text + 1);
	put_message(&event, 4, &argument);
	put_message(&packet, PACKET_EVENT, &event);
	write_packet(&packet, NEEDS_STATE);
}

void spans_close(void)
{
	file_close();
}
