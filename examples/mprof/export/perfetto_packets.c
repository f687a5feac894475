/* SPDX-License-Identifier: MIT */
/* Encodes the packets of a Perfetto trace. */
#include "export/perfetto_packets.h"

#include "common/elements.h"
#include "export/walk_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS UINT64_C(1000000000)

typedef struct clock_value {
	uint64_t time;   /* Nanoseconds from the start of the log. */
	uint64_t number; /* In the order of the log. */
	uint64_t value;
	uint64_t unit; /* Nanoseconds of a tick. */
	uint32_t clock;
} clock_value;

/*
 * States a value in ticks if these are whole nanoseconds, the only units of a trace, or of unknown length; else in
 * nanoseconds. Returns 0 if these do not fit 64 bits.
 */
static int convert(clock_value *value, const mprof_clock_record *clock, uint64_t ticks)
{
	const uint64_t numerator = clock->numerator;
	const uint64_t denominator = clock->denominator;
	double nanoseconds;

	value->value = ticks;
	value->unit = 1;
	if (numerator == 0 || denominator == 0)
		return 1;
	if (denominator <= UINT64_MAX / NANOSECONDS && denominator * NANOSECONDS % numerator == 0) {
		value->unit = denominator * NANOSECONDS / numerator;
		return 1;
	}
	/* A double has 53 bits: whole seconds and the rest are converted apart. */
	if (denominator == 1) {
		if (ticks / numerator >= UINT64_MAX / NANOSECONDS)
			return 0;
		value->value = ticks / numerator * NANOSECONDS +
			       (uint64_t)((double)(ticks % numerator) * 1e9 / (double)numerator + 0.5);
		return 1;
	}
	nanoseconds = (double)ticks * 1e9 * (double)denominator / (double)numerator;
	value->value = nanoseconds < 1e19 ? (uint64_t)nanoseconds : 0;
	return nanoseconds < 1e19;
}

void perfetto_clocks_add(perfetto_clocks *clocks, perfetto_writer *writer, const event_walk *walk,
			 const mprof_record *pair)
{
	const mprof_clock_pair_record *read = &pair->as.clock_pair;
	clock_value value = {
		.time = walk_time(walk, read->counter), .number = clocks->count, .unit = 1, .clock = pair->id};
	mprof_record clock;

	if (pair->id == MPROF_CLOCK_LOG || (int64_t)(read->counter - walk->origin) < 0 ||
	    mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_CLOCK, pair->id, &clock, sizeof(clock)) !=
		    MPROF_OK ||
	    !convert(&value, &clock.as.clock, read->value)) {
		clocks->left_out++;
		return;
	}
	if (!elements_reserve((void **)&clocks->values, &clocks->capacity, clocks->count, sizeof(*clocks->values))) {
		writer->has_failed = 1;
		return;
	}
	clocks->values[clocks->count++] = value;
}

static int compare_values(const void *one, const void *other)
{
	const clock_value *left = one;
	const clock_value *right = other;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

void perfetto_clocks_write(perfetto_clocks *clocks, perfetto_writer *writer)
{
	if (clocks->count > 0)
		qsort(clocks->values, clocks->count, sizeof(*clocks->values), compare_values);
	for (size_t i = 0; i < clocks->count; i++) {
		const clock_value *value = &clocks->values[i];

		perfetto_relate_clock(writer, value->time, value->clock, value->value, value->unit);
	}
	if (clocks->left_out > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " values of clocks were left out\n", clocks->left_out);
}

void perfetto_clocks_release(perfetto_clocks *clocks)
{
	free(clocks->values);
}

/* Trace */
enum { TRACE_PACKET = 1 };

/* TracePacket */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACE_STATS = 35,
	PACKET_PREVIOUS_DROPPED = 42,
	PACKET_DEFAULTS = 59,
	PACKET_FIRST_ON_SEQUENCE = 87,
	PACKET_ATTRIBUTES = 126
};

enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58, DEFAULTS_STACK_SAMPLE = 100 };

/* StackSampleDefaults */
enum { STACK_SAMPLE_SOURCE = 1 };

/* TraceAttributes and Attribute */
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTE_KEY = 1, ATTRIBUTE_TEXT = 3 };

/* TraceStats */
enum { STATS_BUFFER = 1, STATS_WRITER = 18, WRITER_SEQUENCE = 1, WRITER_BUFFER = 4 };

/* Values of TracePacket.sequence_flags. Without the first, the reader ignores what refers to definitions. */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

/* ClockSnapshot */
enum {
	SNAPSHOT_CLOCK = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_NUMBER = 1,
	CLOCK_TIME = 2,
	CLOCK_IS_INCREMENTAL = 3,
	CLOCK_UNIT = 4
};

/*
 * The times are those of clocks of the sequence, from 64 on. A snapshot relates them to clocks of the system. By the
 * one that counts from the start of the system, the reader relates the files that it merges; it merges no file without.
 */
enum { CLOCK_WALL = 1, CLOCK_MONOTONIC_TIME = 3, CLOCK_BOOT = 6, CLOCK_SINCE_PREVIOUS = 64, CLOCK_SINCE_START = 65 };

/* Clocks of all sequences that are not of the system are above: the ID of a clock of the log is added. */
enum { CLOCK_OF_LOG = 128 };

/* TrackDescriptor */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
	TRACK_DESCRIPTION = 14
};

/* Values of TrackDescriptor.child_ordering. */
enum { ORDER_EXPLICIT = 3 };

enum {
	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_NAME = 6
};

/* TrackEvent */
enum {
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY_NAME = 22,
	EVENT_NAME = 23,
	EVENT_VALUE = 30,
	EVENT_DOUBLE = 44,
	EVENT_FLOW = 47
};

enum { ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };

/* InternedData */
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_ID = 1, INTERNED_NAME = 2 };

/* The ID of the only category, of calls that continue. */
#define CATEGORY_RESUMED 1

#define TYPE_LENGTH 2
#define KEY(field, type) ((field) << 3 | (type))

static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= UINT64_C(0xff51afd7ed558ccd);
	value ^= value >> 33;
	value *= UINT64_C(0xc4ceb9fe1a85ec53);
	return value ^ value >> 33;
}

uint64_t perfetto_track_id(const perfetto_writer *writer, perfetto_track track, uint64_t number)
{
	/* 0 is the default track. */
	/* Kinds after the first 16 have numbers of their own, too. */
	return mix(writer->base + mix(number * 16 + track % 16) + track / 16) | 1;
}

const char *perfetto_text(perfetto_writer *writer, const char *text)
{
	const char *plain = plain_text(&writer->plain, text);

	writer->has_failed |= plain == NULL;
	return plain != NULL ? plain : "";
}

/* Writes perfetto_writer::packet, whose number of the sequence is still missing. */
static void write_packet(perfetto_writer *writer, uint64_t sequence, uint64_t flags)
{
	protobuf_number(&writer->packet, PACKET_SEQUENCE, sequence);
	protobuf_number(&writer->packet, PACKET_SEQUENCE_FLAGS, flags);
	writer->has_failed |= writer->packet.has_failed;
	protobuf_write(writer->stream, TRACE_PACKET, &writer->packet);
}

void perfetto_begin_packet(perfetto_writer *writer, uint64_t time)
{
	protobuf_clear(&writer->packet);
	/* A packet with the timestamp 0 has one, so it must not be left out. */
	protobuf_value(&writer->packet, KEY(PACKET_TIMESTAMP, 0));
	protobuf_value(&writer->packet, time);
}

void perfetto_end_packet(perfetto_writer *writer)
{
	write_packet(writer, PERFETTO_MAIN_SEQUENCE, NEEDS_STATE);
}

/* unit: nanoseconds of a tick. */
static void add_clock(perfetto_writer *writer, uint64_t number, uint64_t time, int is_incremental, uint64_t unit)
{
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, CLOCK_NUMBER, number);
	protobuf_value(&writer->inner, KEY(CLOCK_TIME, 0));
	protobuf_value(&writer->inner, time);
	protobuf_number(&writer->inner, CLOCK_IS_INCREMENTAL, (uint64_t)is_incremental);
	protobuf_number(&writer->inner, CLOCK_UNIT, unit != 1 ? unit : 0);
	protobuf_add(&writer->part, SNAPSHOT_CLOCK, &writer->inner);
}

/* Adds the clocks of the system at a time. */
static void add_system_clocks(perfetto_writer *writer, uint64_t time)
{
	protobuf_clear(&writer->part);
	add_clock(writer, CLOCK_WALL, writer->start_time + time, 0, 1);
	add_clock(writer, CLOCK_BOOT, writer->boot_start + time, 0, 1);
	if (writer->monotonic_start != 0)
		add_clock(writer, CLOCK_MONOTONIC_TIME, writer->monotonic_start + time, 0, 1);
}

static void end_snapshot(perfetto_writer *writer)
{
	protobuf_number(&writer->part, SNAPSHOT_PRIMARY, CLOCK_WALL);
	protobuf_add(&writer->packet, PACKET_CLOCK_SNAPSHOT, &writer->part);
}

/*
 * Relates the clocks of a sequence, always at the start of the log: the reader counts an error if the primary clock
 * goes back from one snapshot of the file to the next, whichever sequences they belong to.
 */
static void add_clocks(perfetto_writer *writer)
{
	add_system_clocks(writer, 0);
	add_clock(writer, CLOCK_SINCE_PREVIOUS, 0, 1, 1);
	add_clock(writer, CLOCK_SINCE_START, 0, 0, 1);
	end_snapshot(writer);
}

void perfetto_relate_clock(perfetto_writer *writer, uint64_t time, uint32_t clock, uint64_t value, uint64_t unit)
{
	protobuf_clear(&writer->packet);
	add_system_clocks(writer, time);
	add_clock(writer, CLOCK_OF_LOG + clock, value, 0, unit);
	end_snapshot(writer);
	perfetto_end_packet(writer);
}

/* The defaults of the packets of a sequence: their clock, and the track of their events. */
static void add_defaults(perfetto_writer *writer, uint64_t clock, uint64_t track)
{
	protobuf_clear(&writer->part);
	if (track != 0) {
		protobuf_clear(&writer->inner);
		protobuf_number(&writer->inner, EVENT_TRACK, track);
		protobuf_add(&writer->part, DEFAULTS_TRACK_EVENT, &writer->inner);
	}
	protobuf_number(&writer->part, DEFAULTS_CLOCK, clock);
	/* The viewer shows only samples that state where they are from. */
	if (clock == CLOCK_SINCE_START) {
		protobuf_clear(&writer->inner);
		protobuf_text(&writer->inner, STACK_SAMPLE_SOURCE, "mprof");
		protobuf_add(&writer->part, DEFAULTS_STACK_SAMPLE, &writer->inner);
	}
	protobuf_add(&writer->packet, PACKET_DEFAULTS, &writer->part);
}

void perfetto_begin_main(perfetto_writer *writer)
{
	protobuf_clear(&writer->packet);
	add_clocks(writer);
	add_defaults(writer, CLOCK_SINCE_START, 0);
	protobuf_number(&writer->packet, PACKET_FIRST_ON_SEQUENCE, 1);
	write_packet(writer, PERFETTO_MAIN_SEQUENCE, STATE_CLEARED);
}

void perfetto_drop(perfetto_writer *writer)
{
	protobuf_clear(&writer->packet);
	protobuf_number(&writer->packet, PACKET_PREVIOUS_DROPPED, 1);
	write_packet(writer, PERFETTO_LOSS_SEQUENCE, STATE_CLEARED);
}

void perfetto_begin_stats(perfetto_writer *writer)
{
	protobuf_clear(&writer->part);
	protobuf_clear(&writer->inner);
	protobuf_add(&writer->part, STATS_BUFFER, &writer->inner);
}

void perfetto_add_stats(perfetto_writer *writer, uint64_t sequence)
{
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, WRITER_SEQUENCE, sequence);
	/* The number of the buffer is 0, but has to be there. */
	protobuf_value(&writer->inner, KEY(WRITER_BUFFER, 0));
	protobuf_value(&writer->inner, 0);
	protobuf_add(&writer->part, STATS_WRITER, &writer->inner);
}

void perfetto_end_stats(perfetto_writer *writer)
{
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_TRACE_STATS, &writer->part);
	perfetto_end_packet(writer);
}

static void add_interned(perfetto_writer *writer, uint32_t field, uint64_t id, const char *name)
{
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, id);
	protobuf_text(&writer->inner, INTERNED_NAME, name);
	protobuf_clear(&writer->part);
	protobuf_add(&writer->part, field, &writer->inner);
	protobuf_add(&writer->packet, PACKET_INTERNED_DATA, &writer->part);
}

void perfetto_begin_sequence(perfetto_writer *writer, perfetto_sequence *sequence, int has_loss)
{
	sequence->time = 0;
	protobuf_clear(&writer->packet);
	add_clocks(writer);
	add_defaults(writer, CLOCK_SINCE_PREVIOUS, sequence->track);
	add_interned(writer, INTERNED_CATEGORIES, CATEGORY_RESUMED, "resumed");
	protobuf_number(&writer->packet, has_loss ? PACKET_PREVIOUS_DROPPED : PACKET_FIRST_ON_SEQUENCE, 1);
	write_packet(writer, sequence->number, STATE_CLEARED | NEEDS_STATE);
	id_set_clear(&sequence->methods);
}

/* Writes the descriptor of a track from its parts in perfetto_writer::part. */
static void write_descriptor(perfetto_writer *writer)
{
	perfetto_begin_packet(writer, 0);
	protobuf_add(&writer->packet, PACKET_TRACK_DESCRIPTOR, &writer->part);
	perfetto_end_packet(writer);
}

static void add_order(perfetto_writer *writer)
{
	if (writer->has_ranks)
		protobuf_number(&writer->part, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
}

void perfetto_begin_attributes(perfetto_writer *writer)
{
	protobuf_clear(&writer->part);
}

void perfetto_add_attribute(perfetto_writer *writer, const char *key, const char *value)
{
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, ATTRIBUTE_KEY, perfetto_text(writer, key));
	protobuf_text(&writer->inner, ATTRIBUTE_TEXT, perfetto_text(writer, value));
	protobuf_add(&writer->part, ATTRIBUTES_ATTRIBUTE, &writer->inner);
}

void perfetto_end_attributes(perfetto_writer *writer)
{
	if (writer->part.length == 0)
		return;
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_ATTRIBUTES, &writer->part);
	perfetto_end_packet(writer);
}

void perfetto_describe_process(perfetto_writer *writer, uint64_t track, uint64_t pid, const char *name,
			       const char *arguments)
{
	protobuf_clear(&writer->part);
	protobuf_number(&writer->part, TRACK_UUID, track);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, PROCESS_PID, pid);
	if (arguments != NULL) {
		protobuf_text(&writer->inner, PROCESS_COMMAND, perfetto_text(writer, name));
		if (*arguments != '\0')
			protobuf_text(&writer->inner, PROCESS_COMMAND, perfetto_text(writer, arguments));
	}
	protobuf_text(&writer->inner, PROCESS_NAME, perfetto_text(writer, name));
	protobuf_add(&writer->part, TRACK_PROCESS, &writer->inner);
	add_order(writer);
	write_descriptor(writer);
}

void perfetto_describe_thread(perfetto_writer *writer, uint64_t track, uint64_t pid, uint64_t tid, const char *name,
			      const char *description)
{
	protobuf_clear(&writer->part);
	protobuf_number(&writer->part, TRACK_UUID, track);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, THREAD_PID, pid);
	protobuf_number(&writer->inner, THREAD_TID, tid);
	protobuf_text(&writer->inner, THREAD_NAME, perfetto_text(writer, name));
	protobuf_add(&writer->part, TRACK_THREAD, &writer->inner);
	add_order(writer);
	if (*description != '\0')
		protobuf_text(&writer->part, TRACK_DESCRIPTION, description);
	write_descriptor(writer);
}

static void begin_descriptor(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name)
{
	protobuf_clear(&writer->part);
	protobuf_number(&writer->part, TRACK_UUID, track);
	protobuf_text(&writer->part, TRACK_NAME, perfetto_text(writer, name));
	protobuf_number(&writer->part, TRACK_PARENT, parent);
}

void perfetto_describe_track(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name)
{
	begin_descriptor(writer, track, parent, name);
	write_descriptor(writer);
}

void perfetto_describe_ranked(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name, uint64_t rank,
			      const char *description)
{
	begin_descriptor(writer, track, parent, name);
	protobuf_number(&writer->part, TRACK_RANK, rank);
	add_order(writer);
	if (*description != '\0')
		protobuf_text(&writer->part, TRACK_DESCRIPTION, description);
	write_descriptor(writer);
}

void perfetto_describe_counter(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name,
			       uint64_t unit, const char *unit_name)
{
	begin_descriptor(writer, track, parent, name);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, COUNTER_UNIT, unit);
	if (unit_name != NULL)
		protobuf_text(&writer->inner, COUNTER_UNIT_NAME, perfetto_text(writer, unit_name));
	protobuf_add(&writer->part, TRACK_COUNTER, &writer->inner);
	write_descriptor(writer);
}

void perfetto_begin_event(perfetto_writer *writer, uint64_t type, uint64_t track, const char *name)
{
	protobuf_clear(&writer->part);
	protobuf_number(&writer->part, EVENT_TYPE, type);
	protobuf_number(&writer->part, EVENT_TRACK, track);
	if (name != NULL)
		protobuf_text(&writer->part, EVENT_NAME, perfetto_text(writer, name));
}

void perfetto_annotate(perfetto_writer *writer, const char *name, perfetto_value type, uint64_t value)
{
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, ANNOTATION_NAME, perfetto_text(writer, name));
	if (type == PERFETTO_DOUBLE) {
		protobuf_fixed64(&writer->inner, type, value);
	} else {
		protobuf_value(&writer->inner, KEY((uint64_t)type, 0));
		protobuf_value(&writer->inner, value);
	}
	protobuf_add(&writer->part, EVENT_ANNOTATION, &writer->inner);
}

void perfetto_annotate_number(perfetto_writer *writer, const char *name, uint64_t number)
{
	perfetto_annotate(writer, name, PERFETTO_UNSIGNED, number);
}

void perfetto_add_category(perfetto_writer *writer, const char *category)
{
	if (*category != '\0')
		protobuf_text(&writer->part, EVENT_CATEGORY_NAME, perfetto_text(writer, category));
}

void perfetto_add_flow(perfetto_writer *writer, uint64_t flow)
{
	protobuf_fixed64(&writer->part, EVENT_FLOW, perfetto_track_id(writer, PERFETTO_FLOWS, flow));
}

void perfetto_add_link(perfetto_writer *writer, uint64_t link)
{
	protobuf_fixed64(&writer->part, EVENT_FLOW, perfetto_track_id(writer, PERFETTO_LINKS, link));
}

void perfetto_annotate_text(perfetto_writer *writer, const char *name, const char *text)
{
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, ANNOTATION_NAME, perfetto_text(writer, name));
	protobuf_text(&writer->inner, ANNOTATION_TEXT, perfetto_text(writer, text));
	protobuf_add(&writer->part, EVENT_ANNOTATION, &writer->inner);
}

void perfetto_note(perfetto_writer *writer, uint64_t track, const char *name, uint64_t time)
{
	perfetto_event(writer, TRACK_EVENT_INSTANT, track, name, time);
	writer->contents--;
}

void perfetto_end_event(perfetto_writer *writer, uint64_t time)
{
	writer->contents++;
	perfetto_begin_packet(writer, time);
	protobuf_add(&writer->packet, PACKET_TRACK_EVENT, &writer->part);
	perfetto_end_packet(writer);
}

void perfetto_event(perfetto_writer *writer, uint64_t type, uint64_t track, const char *name, uint64_t time)
{
	perfetto_begin_event(writer, type, track, name);
	perfetto_end_event(writer, time);
}

void perfetto_count(perfetto_writer *writer, uint64_t track, uint64_t time, int64_t value)
{
	perfetto_begin_event(writer, TRACK_EVENT_COUNTER, track, NULL);
	protobuf_value(&writer->part, KEY(EVENT_VALUE, 0));
	protobuf_value(&writer->part, (uint64_t)value);
	perfetto_end_event(writer, time);
}

void perfetto_count_double(perfetto_writer *writer, uint64_t track, uint64_t time, double value)
{
	perfetto_begin_event(writer, TRACK_EVENT_COUNTER, track, NULL);
	protobuf_double(&writer->part, EVENT_DOUBLE, value);
	perfetto_end_event(writer, time);
}

void perfetto_define_name(perfetto_writer *writer, const perfetto_sequence *sequence, uint32_t method, const char *name)
{
	const char *text = perfetto_text(writer, name);

	protobuf_clear(&writer->packet);
	/* An ID of 0 means none. */
	add_interned(writer, INTERNED_NAMES, (uint64_t)method + 1, text);
	write_packet(writer, sequence->number, NEEDS_STATE);
}

static inline unsigned char *put_varint(unsigned char *out, uint64_t value)
{
	while (value >= 0x80) {
		*out++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*out++ = (unsigned char)value;
	return out;
}

/*
 * Writes a packet of a call, most of which have less than 20 bytes: encoded in one pass, because all lengths fit one
 * byte. \p event is the TrackEvent.
 */
static inline void write_call(perfetto_writer *writer, perfetto_sequence *sequence, const unsigned char *event,
			      size_t length, uint64_t time)
{
	unsigned char packet[128];
	unsigned char *out = packet + 2;

	*out++ = KEY(PACKET_TIMESTAMP, 0);
	out = put_varint(out, time - sequence->time);
	*out++ = KEY(PACKET_SEQUENCE, 0);
	out = put_varint(out, sequence->number);
	*out++ = KEY(PACKET_SEQUENCE_FLAGS, 0);
	*out++ = NEEDS_STATE;
	*out++ = KEY(PACKET_TRACK_EVENT, 2);
	*out++ = (unsigned char)length;
	memcpy(out, event, length);
	out += length;
	packet[0] = KEY(TRACE_PACKET, 2);
	packet[1] = (unsigned char)(out - (packet + 2));
	fwrite_unlocked(packet, 1, (size_t)(out - packet), writer->stream);
	sequence->time = time;
	writer->contents++;
}

void perfetto_begin_call(perfetto_writer *writer, perfetto_sequence *sequence, uint32_t method, uint64_t time,
			 int is_resumed)
{
	unsigned char event[32] = {KEY(EVENT_TYPE, 0), TRACK_EVENT_BEGIN, KEY(EVENT_NAME_ID, 0)};
	unsigned char *out = put_varint(event + TYPE_LENGTH + 1, (uint64_t)method + 1);

	if (is_resumed) {
		*out++ = KEY(EVENT_CATEGORY, 0);
		*out++ = CATEGORY_RESUMED;
	}
	write_call(writer, sequence, event, (size_t)(out - event), time);
}

void perfetto_end_call(perfetto_writer *writer, perfetto_sequence *sequence, uint64_t time)
{
	static const unsigned char event[TYPE_LENGTH] = {KEY(EVENT_TYPE, 0), TRACK_EVENT_END};

	write_call(writer, sequence, event, TYPE_LENGTH, time);
}

void perfetto_release(perfetto_writer *writer)
{
	protobuf_release(&writer->packet);
	protobuf_release(&writer->part);
	protobuf_release(&writer->inner);
	plain_text_release(&writer->plain);
}
