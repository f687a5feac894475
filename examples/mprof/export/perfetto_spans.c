/* SPDX-License-Identifier: MIT */
/* Writes spans on tracks below those of their threads. */
#include "export/perfetto_spans.h"

#include "export/span_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 64

/* InternedData, and the fields of SourceLocation and LogMessageBody */
enum { INTERNED_SOURCES = 4, INTERNED_BODIES = 20, INTERNED_ID = 1, INTERNED_TEXT = 2 };

/* TrackEvent, and the fields of LogMessage */
enum { EVENT_MESSAGE = 21, MESSAGE_SOURCE = 1, MESSAGE_BODY = 2, MESSAGE_PRIORITY = 3 };

/* The values of LogMessage.Priority have the order of the severities; this is added to those. */
#define PRIORITY_OF_SEVERITY 1

/* A message. Texts are numbers of definitions; what is 0 is not known. */
typedef struct trace_message {
	uint64_t text;
	uint64_t source;
	uint64_t severity;
} trace_message;

/* The track of a span. Those that any thread may end have one each; the viewer merges tracks with the same name. */
static uint64_t track_of(const perfetto_spans *spans, const walk_span *span)
{
	return span->lane != NULL ? perfetto_track_id(spans->writer, PERFETTO_SPANS, span->lane->number)
				  : perfetto_track_id(spans->writer, PERFETTO_TASKS, span->number);
}

static void describe_track(perfetto_spans *spans, uint64_t track, uint64_t parent, const walk_span *span)
{
	const int added = key_map_add(&spans->tracks, track);
	char name[NAME_SIZE] = "Spans";

	spans->writer->has_failed |= added < 0;
	if (added <= 0)
		return;
	if (span->lane != NULL && span->lane->call_stack != 0)
		snprintf(name, sizeof(name), "Spans of stack 0x%" PRIx64, span->lane->call_stack);
	perfetto_describe_track(spans->writer, track, parent, span->lane != NULL ? name : span->name);
}

static void add_value(perfetto_spans *spans, const typed_argument *argument)
{
	const mprof_reader *reader = spans->walk->input.reader;
	perfetto_writer *writer = spans->writer;
	const char *name = argument->definition.name;
	const uint64_t number = argument->value.number;

	switch (typed_class_of(&argument->definition)) {
	case TYPED_BOOLEAN:
		perfetto_annotate(writer, name, PERFETTO_BOOLEAN, number != 0);
		break;
	case TYPED_ADDRESS:
		perfetto_annotate(writer, name, PERFETTO_POINTER, number);
		break;
	case TYPED_SIGNED:
		perfetto_annotate(writer, name, PERFETTO_SIGNED, number);
		break;
	case TYPED_UNSIGNED:
		perfetto_annotate(writer, name, PERFETTO_UNSIGNED, number);
		break;
	case TYPED_DOUBLE:
		perfetto_annotate(writer, name, PERFETTO_DOUBLE, number);
		break;
	default:
		perfetto_annotate_text(writer, name, typed_value_text(reader, argument));
		break;
	}
}

static void add_link(void *user, uint64_t link)
{
	perfetto_add_link(user, link);
}

/* Adds the arguments of an event; \p thread is that of the event at the start, 0 for the one at the end. */
static void add_arguments(perfetto_spans *spans, uint64_t thread, const mprof_event *event)
{
	uint64_t link;
	typed_arguments arguments;
	typed_argument argument;

	if (event == NULL || !typed_begin(&arguments, spans->walk->input.reader, event))
		return;
	while (span_walk_next_argument(spans->walk, &arguments, &argument)) {
		if (argument.definition.role == MPROF_ROLE_FLOW_OUT || argument.definition.role == MPROF_ROLE_FLOW_IN)
			perfetto_add_flow(spans->writer, argument.value.number);
		if (argument.definition.role == MPROF_ROLE_SPAN && thread != 0)
			span_walk_links_from(spans->walk, argument.value.number, add_link, spans->writer);
		link = thread != 0 ? span_walk_link_to(spans->walk, thread, event, &argument) : 0;
		if (link != 0)
			perfetto_add_link(spans->writer, link);
		add_value(spans, &argument);
	}
}

void perfetto_spans_begin(perfetto_spans *spans, const perfetto_span_position *position, const walk_span *span)
{
	const uint64_t track = track_of(spans, span);

	describe_track(spans, track,
		       span->lane != NULL && span->lane->call_stack == 0 ? position->track : position->process, span);
	perfetto_begin_event(spans->writer, TRACK_EVENT_BEGIN, track, span->name);
	perfetto_add_category(spans->writer, span->category);
	add_arguments(spans, position->thread, span->first);
	perfetto_end_event(spans->writer, span->start);
}

void perfetto_spans_end(perfetto_spans *spans, const walk_span *span)
{
	/* A slice without an end is shown as one that did not end. */
	if (span->is_open)
		return;
	perfetto_begin_event(spans->writer, TRACK_EVENT_END, track_of(spans, span), NULL);
	add_arguments(spans, 0, span->last);
	if (span->is_unfinished)
		perfetto_annotate(spans->writer, "unfinished", PERFETTO_BOOLEAN, 1);
	perfetto_end_event(spans->writer, span->end);
}

/* The number of a text, which is defined if it is new. */
static uint64_t define_text(perfetto_spans *spans, intern_table *table, uint32_t field, const char *text)
{
	perfetto_writer *writer = spans->writer;
	uint32_t index = 0;
	int added;

	if (*text == '\0')
		return 0;
	added = intern_add(table, text, strlen(text) + 1, &index);
	writer->has_failed |= added < 0;
	if (added <= 0)
		return (uint64_t)index + 1;
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, (uint64_t)index + 1);
	protobuf_text(&writer->inner, INTERNED_TEXT, perfetto_text(writer, text));
	protobuf_clear(&writer->part);
	protobuf_add(&writer->part, field, &writer->inner);
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_INTERNED_DATA, &writer->part);
	perfetto_end_packet(writer);
	return (uint64_t)index + 1;
}

/* Reads a message, and defines its texts. */
static trace_message read_message(perfetto_spans *spans, const mprof_event *event)
{
	const mprof_reader *reader = spans->walk->input.reader;
	trace_message message = {0};
	typed_arguments arguments;
	typed_argument argument;

	if (!span_walk_is_message(spans->walk, event) || !typed_begin(&arguments, reader, event))
		return message;
	while (typed_next(&arguments, &argument)) {
		switch (span_walk_message_part(&argument)) {
		case WALK_MESSAGE_SEVERITY:
			message.severity = argument.value.number;
			break;
		case WALK_MESSAGE_SOURCE:
			message.source = define_text(spans, &spans->sources, INTERNED_SOURCES,
						     typed_value_text(reader, &argument));
			break;
		case WALK_MESSAGE_TEXT:
			message.text =
				define_text(spans, &spans->texts, INTERNED_BODIES, typed_value_text(reader, &argument));
			break;
		default:
			break;
		}
	}
	return message;
}

static void add_message(perfetto_writer *writer, const trace_message *message)
{
	/* The reader counts a message without a text as an error. */
	if (message->text == 0)
		return;
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, MESSAGE_SOURCE, message->source);
	protobuf_number(&writer->inner, MESSAGE_BODY, message->text);
	if (message->severity != 0)
		protobuf_number(&writer->inner, MESSAGE_PRIORITY, message->severity + PRIORITY_OF_SEVERITY);
	protobuf_add(&writer->part, EVENT_MESSAGE, &writer->inner);
}

void perfetto_spans_instant(perfetto_spans *spans, const perfetto_span_position *position, const walk_span *event)
{
	const trace_message message = position->is_thread ? read_message(spans, event->first) : (trace_message){0};

	perfetto_begin_event(spans->writer, TRACK_EVENT_INSTANT, position->track, event->name);
	perfetto_add_category(spans->writer, event->category);
	add_message(spans->writer, &message);
	add_arguments(spans, position->thread, event->first);
	perfetto_end_event(spans->writer, event->start);
}

void perfetto_spans_release(perfetto_spans *spans)
{
	key_map_clear(&spans->tracks);
	intern_release(&spans->texts);
	intern_release(&spans->sources);
}
