/* SPDX-License-Identifier: MIT */
/*
 * Writes the spans that a program describes as a trace of OpenTelemetry, in its binary form: with their arguments as
 * attributes, and their causes as links.
 */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/event_walk.h"
#include "export/otlp_resource.h"
#include "export/protobuf.h"
#include "export/span_walk.h"
#include "export/thread_table.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

/* Field numbers of opentelemetry-proto 1.11.0, trace v1. */
enum { SCOPES_SPANS = 2 };
enum {
	SPAN_TRACE = 1,
	SPAN_ID = 2,
	SPAN_PARENT = 4,
	SPAN_NAME = 5,
	SPAN_KIND = 6,
	SPAN_START = 7,
	SPAN_END = 8,
	SPAN_ATTRIBUTES = 9,
	SPAN_LINKS = 13,
	SPAN_STATUS = 15
};
enum { LINK_TRACE = 1, LINK_SPAN = 2, STATUS_CODE = 3, STATUS_CODE_ERROR = 2, KIND_INTERNAL = 1 };

enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8 };

typedef struct trace_writer {
	const log_report *report;
	otlp_messages messages;
	thread_table threads;
	event_walk walk;
	uint8_t trace_id[TRACE_ID_SIZE];
	uint64_t start_time; /* Of the log: nanoseconds since 1970. */
	protobuf_message span;
	protobuf_message part;
	uint64_t count;
	uint64_t instants;
	int has_failed;
} trace_writer;

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static void store_id(uint8_t *id, uint64_t number)
{
	for (int i = 0; i < SPAN_ID_SIZE; i++)
		id[i] = (uint8_t)(number >> (8 * i));
}

/* The ID of a span with a number of its own, or of the span that is written now. An ID of zeros is not valid. */
static void span_id_of(const trace_writer *writer, uint64_t number, uint8_t id[SPAN_ID_SIZE])
{
	const uint64_t created = mix(mix(writer->start_time) + (number != 0 ? 2 * number : 2 * writer->count + 1));

	store_id(id, created != 0 ? created : 1);
}

static void add_text(trace_writer *writer, const char *key, const char *text)
{
	otlp_add_text(&writer->messages.attributes, &writer->span, SPAN_ATTRIBUTES, key, text);
}

static void add_varint(trace_writer *writer, const char *key, uint32_t kind, uint64_t number)
{
	otlp_add_varint(&writer->messages.attributes, &writer->span, SPAN_ATTRIBUTES, key, kind, number);
}

/* Integers of the protocol are signed: greater ones are texts. */
static void add_argument(trace_writer *writer, const typed_argument *argument)
{
	const char *key = argument->definition.name;
	const uint64_t number = argument->value.number;

	switch (typed_class_of(&argument->definition)) {
	case TYPED_BOOLEAN:
		add_varint(writer, key, OTLP_BOOLEAN, number != 0);
		return;
	case TYPED_DOUBLE:
		otlp_add_double(&writer->messages.attributes, &writer->span, SPAN_ATTRIBUTES, key, number);
		return;
	case TYPED_SIGNED:
		add_varint(writer, key, OTLP_INTEGER, number);
		return;
	case TYPED_UNSIGNED:
		if (number <= INT64_MAX) {
			add_varint(writer, key, OTLP_INTEGER, number);
			return;
		}
		break;
	default:
		break;
	}
	add_text(writer, key, typed_value_text(writer->walk.input.reader, argument));
}

static void add_link(trace_writer *writer, uint64_t number)
{
	uint8_t id[SPAN_ID_SIZE];

	span_id_of(writer, number, id);
	protobuf_clear(&writer->part);
	protobuf_bytes(&writer->part, LINK_TRACE, writer->trace_id, sizeof(writer->trace_id));
	protobuf_bytes(&writer->part, LINK_SPAN, id, sizeof(id));
	protobuf_add(&writer->span, SPAN_LINKS, &writer->part);
}

/* What the arguments of a span state about it. */
typedef struct span_facts {
	uint64_t number;
	uint64_t parent;
	int is_error;
} span_facts;

/* Whether a parent or a cause is a span of the log; else it is counted as left out. */
static int has_span(trace_writer *writer, uint64_t number)
{
	if (number == 0)
		return 0;
	if (span_walk_has_number(&writer->walk, number))
		return 1;
	writer->walk.spans.unresolved++;
	return 0;
}

/* Adds the arguments of an event as attributes, and its causes as links. */
static void add_arguments(trace_writer *writer, const mprof_event *event, span_facts *facts)
{
	typed_arguments arguments;
	typed_argument argument;

	if (event == NULL || !typed_begin(&arguments, writer->walk.input.reader, event))
		return;
	while (span_walk_next_argument(&writer->walk, &arguments, &argument)) {
		const uint64_t number = argument.value.number;

		switch (argument.definition.role) {
		case MPROF_ROLE_SPAN:
			facts->number = number;
			break;
		case MPROF_ROLE_PARENT:
			if (has_span(writer, number))
				facts->parent = number;
			break;
		case MPROF_ROLE_CAUSE:
			if (has_span(writer, number))
				add_link(writer, number);
			break;
		case MPROF_ROLE_STATUS:
			facts->is_error = number != 0 || argument.value.length > 0;
			break;
		default:
			break;
		}
		add_argument(writer, &argument);
	}
}

static void add_facts(trace_writer *writer, const walk_thread *thread, const walk_span *span)
{
	char text[32];

	if (span->category[0] != '\0')
		add_text(writer, "category", span->category);
	snprintf(text, sizeof(text), "0x%" PRIx64, thread->id);
	add_text(writer, "thread.id", text);
	if (span->is_unfinished)
		add_varint(writer, "mprof.unfinished", OTLP_BOOLEAN, 1);
}

static void end_span(void *user, const walk_thread *thread, const walk_span *span)
{
	trace_writer *writer = user;
	span_facts facts = {span->number, 0, 0};
	uint8_t id[SPAN_ID_SIZE];

	protobuf_clear(&writer->span);
	add_arguments(writer, span->first, &facts);
	add_arguments(writer, span->last, &facts);
	add_facts(writer, thread, span);
	writer->count++;
	span_id_of(writer, facts.number, id);
	protobuf_bytes(&writer->span, SPAN_TRACE, writer->trace_id, sizeof(writer->trace_id));
	protobuf_bytes(&writer->span, SPAN_ID, id, sizeof(id));
	if (facts.parent != 0) {
		span_id_of(writer, facts.parent, id);
		protobuf_bytes(&writer->span, SPAN_PARENT, id, sizeof(id));
	}
	protobuf_text(&writer->span, SPAN_NAME, otlp_plain(&writer->messages.attributes, span->name));
	protobuf_number(&writer->span, SPAN_KIND, KIND_INTERNAL);
	protobuf_fixed64(&writer->span, SPAN_START, writer->start_time + span->start);
	protobuf_fixed64(&writer->span, SPAN_END, writer->start_time + span->end);
	if (facts.is_error) {
		protobuf_clear(&writer->part);
		protobuf_number(&writer->part, STATUS_CODE, STATUS_CODE_ERROR);
		protobuf_add(&writer->span, SPAN_STATUS, &writer->part);
	}
	otlp_messages_add(&writer->messages, thread_names_table_process_of(&writer->threads, thread->id), SCOPES_SPANS,
			  &writer->span);
}

static void add_described(void *user, const walk_thread *thread, const walk_span *event)
{
	trace_writer *writer = user;

	(void)thread;
	(void)event;
	writer->instants++;
}

static void *begin_row(void *user, const walk_thread *thread)
{
	(void)thread;
	return user;
}

static void release_writer(trace_writer *writer)
{
	protobuf_release(&writer->span);
	protobuf_release(&writer->part);
	otlp_messages_release(&writer->messages);
	thread_names_table_release(&writer->threads);
	event_walk_release(&writer->walk);
}

static int finish(trace_writer *writer)
{
	otlp_messages_finish(&writer->messages);
	event_walk_print_left_out(&writer->walk);
	if (writer->instants > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " events without a duration were left out\n",
			writer->instants);
	if (writer->has_failed || writer->messages.attributes.has_failed || writer->span.has_failed) {
		text_begin_message(writer->report->input.name);
		fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		return STATUS_NOTHING;
	}
	return writer->count > 0 ? STATUS_OK : export_value_note_empty(writer->report, "otlp-traces");
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {
		.has_links = 1,
		.begin_row = begin_row,
		.end_span = end_span,
		.described = add_described,
	};
	trace_writer writer = {.report = report, .messages = {.report = report, .stream = file->stream}};
	int status;
	int finished;

	writer.has_failed = !thread_names_table_init(&writer.threads, report);
	writer.start_time = report->summary.session.start.time * 1000;
	store_id(writer.trace_id, mix(writer.start_time));
	store_id(writer.trace_id + SPAN_ID_SIZE, mix(mix(writer.start_time) + report->summary.session.start.counter));
	status = event_walk_run(&writer.walk, job, report, &sink, &writer);
	if (status != STATUS_NOTHING) {
		finished = finish(&writer);
		status = finished > status ? finished : status;
	}
	release_writer(&writer);
	return status;
}

const export_target export_otlp_traces = {
	.name = "otlp-traces",
	.extension = ".traces.otlp",
	.description = "traces of OpenTelemetry: the spans that the program describes, with attributes and links",
	.lacks = "spans have a parent only where the program states it; calls, samples and events without a duration "
		 "are left out",
	.kind = EXPORT_EVENTS,
	.has_spans = 1,
	.options = EXPORT_HAS_WINDOW,
	.write_report = write_report,
};
