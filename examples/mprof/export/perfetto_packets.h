/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_packets.h
 * \brief Packets of a Perfetto trace: sequences, tracks, slices, instants, counters, and values of the clocks of a log,
 * by which the reader relates the traces of other programs that have times of these clocks.
 *
 * Times are nanoseconds from the start of the log. The packets of a sequence share the definitions of names. The calls
 * of each thread are a sequence of their own, with a clock that contains the time since the previous packet, so that a
 * packet is short; all other packets are in one further sequence.
 */
#ifndef EXPORT_PERFETTO_PACKETS_H
#define EXPORT_PERFETTO_PACKETS_H

#include "export/event_walk.h"
#include "export/intern.h"
#include "export/protobuf.h"
#include "export/text_stream.h"

#include <stdint.h>

/** Field numbers that more than one file uses. */
enum {
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_HEAP_GRAPH = 56,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_STACK_SAMPLE = 135
};

/** Values of TrackEvent.type. */
enum { TRACK_EVENT_BEGIN = 1, TRACK_EVENT_END = 2, TRACK_EVENT_INSTANT = 3, TRACK_EVENT_COUNTER = 4 };

/** What a track shows. With a number, such as that of a row, it makes the identifier of the track. */
typedef enum perfetto_track {
	PERFETTO_PROCESS,
	PERFETTO_THREAD,
	PERFETTO_COMPILATIONS,
	PERFETTO_CLASS_LOADS,
	PERFETTO_FINALIZERS,
	PERFETTO_METRIC,
	PERFETTO_HEAP_SIZE,
	PERFETTO_MARKS,
	PERFETTO_ALLOCATIONS,
	PERFETTO_DEEP,
	PERFETTO_SECTION,
	PERFETTO_INTERVALS, /**< Collections, pauses and waits. */
	PERFETTO_SPANS,
	PERFETTO_TASKS,     /**< Spans that any thread may end. */
	PERFETTO_FLOWS,     /**< Not a track: flows. */
	PERFETTO_PROCESSES, /**< Other processes than the recorded one. */
	PERFETTO_LIVE,      /**< Counters of what is alive. */
	PERFETTO_LINKS      /**< Not a track: links from a span to those of which it is the parent or the cause. */
} perfetto_track;

/** The sequence of the calls of a row. */
typedef struct perfetto_sequence {
	uint64_t number;
	uint64_t track;
	uint64_t time;  /**< Of the latest packet. */
	id_set methods; /**< Those whose names are defined. */
} perfetto_sequence;

typedef struct perfetto_writer {
	FILE *stream;
	uint64_t base;       /**< Distinguishes the tracks of this log from those of others. */
	uint64_t start_time; /**< Of the log: nanoseconds since 1970. */
	uint64_t boot_start; /**< Of the log on the clock that counts from the start of the system, in nanoseconds. */
	uint64_t monotonic_start; /**< The same on the monotonic clock; 0 if unknown. */
	protobuf_message packet;
	protobuf_message part;
	protobuf_message inner;
	plain_buffer plain;
	uint64_t contents; /**< Number of samples and events, without those about the log itself. */
	int has_ranks;     /**< Tracks have ranks among those of the same parent. */
	int has_failed;    /**< Out of memory. */
} perfetto_writer;

/** The sequence of all packets that are not calls. */
#define PERFETTO_MAIN_SEQUENCE 1

/** A sequence for losses that belong to no thread. Those of threads follow the main one. */
#define PERFETTO_LOSS_SEQUENCE UINT32_MAX

uint64_t perfetto_track_id(const perfetto_writer *writer, perfetto_track track, uint64_t number);

/** Text that is valid UTF-8. */
const char *perfetto_text(perfetto_writer *writer, const char *text);

/** Begins the main sequence. */
void perfetto_begin_main(perfetto_writer *writer);

/**
 * Begins a sequence, or begins it again after events of its thread were lost: then all names must be defined again.
 */
void perfetto_begin_sequence(perfetto_writer *writer, perfetto_sequence *sequence, int has_loss);

/**
 * States the value of a clock of the log at a time, which is not less than that of the call before. No sequence may
 * begin after it. \p unit: nanoseconds of a tick.
 */
void perfetto_relate_clock(perfetto_writer *writer, uint64_t time, uint32_t clock, uint64_t value, uint64_t unit);

/** Begins a packet of the main sequence in perfetto_writer::packet; perfetto_end_packet() writes it. */
void perfetto_begin_packet(perfetto_writer *writer, uint64_t time);
void perfetto_end_packet(perfetto_writer *writer);

/** Notes that packets were lost that belong to no sequence. */
void perfetto_drop(perfetto_writer *writer);

/** Writes which sequences lack packets: the reader counts losses only of sequences that are listed. */
void perfetto_begin_stats(perfetto_writer *writer);
void perfetto_add_stats(perfetto_writer *writer, uint64_t sequence);
void perfetto_end_stats(perfetto_writer *writer);

/** Adds an attribute of the trace to perfetto_writer::part; perfetto_end_attributes() writes all, if there are any. */
void perfetto_begin_attributes(perfetto_writer *writer);
void perfetto_add_attribute(perfetto_writer *writer, const char *key, const char *value);
void perfetto_end_attributes(perfetto_writer *writer);

/** Describes a process or a thread. \p arguments: NULL if the name is not that of a program. */
void perfetto_describe_process(perfetto_writer *writer, uint64_t track, uint64_t pid, const char *name,
			       const char *arguments);
void perfetto_describe_thread(perfetto_writer *writer, uint64_t track, uint64_t pid, uint64_t tid, const char *name,
			      const char *description);

/** Describes a track below another one. */
void perfetto_describe_track(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name);

/** The same for one that has a place among the tracks of its parent. */
void perfetto_describe_ranked(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name, uint64_t rank,
			      const char *description);

/** Describes a track of a counter. \p unit is a CounterDescriptor.Unit; \p unit_name may be NULL. */
void perfetto_describe_counter(perfetto_writer *writer, uint64_t track, uint64_t parent, const char *name,
			       uint64_t unit, const char *unit_name);

/** Begins an event of a track in perfetto_writer::part; perfetto_end_event() writes it. */
void perfetto_begin_event(perfetto_writer *writer, uint64_t type, uint64_t track, const char *name);
void perfetto_annotate_number(perfetto_writer *writer, const char *name, uint64_t number);
/** Types of values. */
typedef enum perfetto_value {
	PERFETTO_BOOLEAN = 2,
	PERFETTO_UNSIGNED = 3,
	PERFETTO_SIGNED = 4, /**< In two's complement. */
	PERFETTO_DOUBLE = 5, /**< The bits of a double. */
	PERFETTO_POINTER = 7
} perfetto_value;

/** Adds an argument with a name that need not be valid UTF-8, like those of the next two. */
void perfetto_annotate(perfetto_writer *writer, const char *name, perfetto_value type, uint64_t value);

/** Adds a category; none if it is "". */
void perfetto_add_category(perfetto_writer *writer, const char *category);

/** Connects the event with others of the same flow. */
void perfetto_add_flow(perfetto_writer *writer, uint64_t flow);

/** Connects the event with the other end of a link. */
void perfetto_add_link(perfetto_writer *writer, uint64_t link);
void perfetto_annotate_text(perfetto_writer *writer, const char *name, const char *text);
void perfetto_end_event(perfetto_writer *writer, uint64_t time);

/** Writes an instant of a track that is about the log, not about the program. */
void perfetto_note(perfetto_writer *writer, uint64_t track, const char *name, uint64_t time);

/** Writes an event of a track without anything else. */
void perfetto_event(perfetto_writer *writer, uint64_t type, uint64_t track, const char *name, uint64_t time);

/** Writes the value of a counter. */
void perfetto_count(perfetto_writer *writer, uint64_t track, uint64_t time, int64_t value);
void perfetto_count_double(perfetto_writer *writer, uint64_t track, uint64_t time, double value);

/** Defines the name of a method for a sequence. */
void perfetto_define_name(perfetto_writer *writer, const perfetto_sequence *sequence, uint32_t method,
			  const char *name);

/** Writes the beginning or the end of a call. */
void perfetto_begin_call(perfetto_writer *writer, perfetto_sequence *sequence, uint32_t method, uint64_t time,
			 int is_resumed);
void perfetto_end_call(perfetto_writer *writer, perfetto_sequence *sequence, uint64_t time);

void perfetto_release(perfetto_writer *writer);

/** Initialized with 0. */
typedef struct perfetto_clocks {
	struct clock_value *values;
	size_t count;
	size_t capacity;
	uint64_t left_out; /**< Values from before the start of the log, or that exceed 64 bits. */
} perfetto_clocks;

/** Keeps the value of a clock. */
void perfetto_clocks_add(perfetto_clocks *clocks, perfetto_writer *writer, const event_walk *walk,
			 const mprof_record *pair);

/** Writes all values, in the order of their times, after all sequences have begun. */
void perfetto_clocks_write(perfetto_clocks *clocks, perfetto_writer *writer);
void perfetto_clocks_release(perfetto_clocks *clocks);

#endif
