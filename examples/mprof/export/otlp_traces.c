/* SPDX-License-Identifier: MIT */
/*
 * Writes the spans that a program describes as a trace of OpenTelemetry, in its binary form: with their arguments as
 * attributes, and their causes as links.
 */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/event_walk.h"
#include "export/protobuf.h"
#include "export/span_walk.h"
#include "export/text_stream.h"
#include "export/thread_table.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <string.h>

/* Field numbers of opentelemetry-proto 1.11.0, trace v1. */
enum { DATA_RESOURCES = 1, RESOURCE_RESOURCE = 1, RESOURCE_SCOPES = 2, RESOURCE_ATTRIBUTES = 1 };
enum { SCOPES_SCOPE = 1, SCOPES_SPANS = 2, SCOPE_NAME = 1, SCOPE_VERSION = 2 };
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
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };
enum { VALUE_TEXT = 1, VALUE_BOOLEAN = 2, VALUE_INTEGER = 3, VALUE_DOUBLE = 4 };

enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8, KEY_SIZE = 256 };

/* Spans of a message: receivers and readers hold one in memory. */
#define BATCH_BYTES ((size_t)1 << 20)

typedef struct trace_writer {
	const log_report *report;
	FILE *stream;
	event_walk walk;
	uint8_t trace_id[TRACE_ID_SIZE];
	uint64_t start_time;    /* Of the log: nanoseconds since 1970. */
	protobuf_message spans; /* The spans of the next message. */
	protobuf_message span;
	protobuf_message part;
	protobuf_message value;
	plain_buffer plain;
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

static const char *plain_of(trace_writer *writer, const char *text)
{
	const char *plain = plain_text(&writer->plain, text);

	writer->has_failed |= plain == NULL;
	return plain != NULL ? plain : "";
}

static void add_text(trace_writer *writer, protobuf_message *to, uint32_t field, const char *key, const char *text)
{
	protobuf_clear(&writer->value);
	protobuf_text(&writer->value, VALUE_TEXT, plain_of(writer, text));
	protobuf_clear(&writer->part);
	protobuf_text(&writer->part, ATTRIBUTE_KEY, plain_of(writer, key));
	protobuf_add(&writer->part, ATTRIBUTE_VALUE, &writer->value);
	protobuf_add(to, field, &writer->part);
}

/* A value of zero has to be there, because its field states what the value is. */
static void add_varint(trace_writer *writer, const char *key, uint32_t kind, uint64_t number)
{
	protobuf_clear(&writer->value);
	protobuf_value(&writer->value, (uint64_t)kind << 3);
	protobuf_value(&writer->value, number);
	protobuf_clear(&writer->part);
	protobuf_text(&writer->part, ATTRIBUTE_KEY, plain_of(writer, key));
	protobuf_add(&writer->part, ATTRIBUTE_VALUE, &writer->value);
	protobuf_add(&writer->span, SPAN_ATTRIBUTES, &writer->part);
}

static void add_double(trace_writer *writer, const char *key, uint64_t bits)
{
	protobuf_clear(&writer->value);
	protobuf_double(&writer->value, VALUE_DOUBLE, kind_double_value(bits));
	protobuf_clear(&writer->part);
	protobuf_text(&writer->part, ATTRIBUTE_KEY, plain_of(writer, key));
	protobuf_add(&writer->part, ATTRIBUTE_VALUE, &writer->value);
	protobuf_add(&writer->span, SPAN_ATTRIBUTES, &writer->part);
}

/* Integers of the protocol are signed: greater ones are texts. */
static void add_argument(trace_writer *writer, const typed_argument *argument)
{
	const char *key = argument->definition.name;
	const uint64_t number = argument->value.number;

	switch (typed_class_of(&argument->definition)) {
	case TYPED_BOOLEAN:
		add_varint(writer, key, VALUE_BOOLEAN, number != 0);
		return;
	case TYPED_DOUBLE:
		add_double(writer, key, number);
		return;
	case TYPED_SIGNED:
		add_varint(writer, key, VALUE_INTEGER, number);
		return;
	case TYPED_UNSIGNED:
		if (number <= INT64_MAX) {
			add_varint(writer, key, VALUE_INTEGER, number);
			return;
		}
		break;
	default:
		break;
	}
	add_text(writer, &writer->span, SPAN_ATTRIBUTES, key, typed_value_text(writer->walk.input.reader, argument));
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
			facts->parent = number;
			break;
		case MPROF_ROLE_CAUSE:
			if (number != 0)
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

/* Writes the spans that are collected. Messages that follow each other are one, whose lists are those of all. */
static void write_batch(trace_writer *writer)
{
	protobuf_message scope = {0};
	protobuf_message scopes = {0};
	protobuf_message resource = {0};
	protobuf_message resources = {0};

	if (writer->spans.length == 0)
		return;
	add_text(writer, &resource, RESOURCE_ATTRIBUTES, "service.name", thread_names_table_process(writer->report));
	protobuf_text(&scope, SCOPE_NAME, "mprof");
	protobuf_text(&scope, SCOPE_VERSION, MPROF_VERSION_STRING);
	protobuf_add(&scopes, SCOPES_SCOPE, &scope);
	protobuf_append(&scopes, &writer->spans);
	protobuf_add(&resources, RESOURCE_RESOURCE, &resource);
	protobuf_add(&resources, RESOURCE_SCOPES, &scopes);
	protobuf_write(writer->stream, DATA_RESOURCES, &resources);
	writer->has_failed |= resources.has_failed;
	protobuf_clear(&writer->spans);
	protobuf_release(&scope);
	protobuf_release(&scopes);
	protobuf_release(&resource);
	protobuf_release(&resources);
}

static void add_facts(trace_writer *writer, const walk_thread *thread, const walk_span *span)
{
	char text[32];

	if (span->category[0] != '\0')
		add_text(writer, &writer->span, SPAN_ATTRIBUTES, "category", span->category);
	snprintf(text, sizeof(text), "0x%" PRIx64, thread->id);
	add_text(writer, &writer->span, SPAN_ATTRIBUTES, "thread.id", text);
	if (span->is_unfinished)
		add_varint(writer, "mprof.unfinished", VALUE_BOOLEAN, 1);
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
	protobuf_text(&writer->span, SPAN_NAME, plain_of(writer, span->name));
	protobuf_number(&writer->span, SPAN_KIND, KIND_INTERNAL);
	protobuf_fixed64(&writer->span, SPAN_START, writer->start_time + span->start);
	protobuf_fixed64(&writer->span, SPAN_END, writer->start_time + span->end);
	if (facts.is_error) {
		protobuf_clear(&writer->part);
		protobuf_number(&writer->part, STATUS_CODE, STATUS_CODE_ERROR);
		protobuf_add(&writer->span, SPAN_STATUS, &writer->part);
	}
	protobuf_add(&writer->spans, SCOPES_SPANS, &writer->span);
	if (writer->spans.length >= BATCH_BYTES)
		write_batch(writer);
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
	protobuf_release(&writer->spans);
	protobuf_release(&writer->span);
	protobuf_release(&writer->part);
	protobuf_release(&writer->value);
	plain_text_release(&writer->plain);
	event_walk_release(&writer->walk);
}

static int finish(trace_writer *writer)
{
	write_batch(writer);
	event_walk_print_left_out(&writer->walk);
	if (writer->instants > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " events without a duration were left out\n",
			writer->instants);
	if (writer->has_failed) {
		text_begin_message(writer->report->input.name);
		fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		return STATUS_NOTHING;
	}
	return writer->count > 0 ? STATUS_OK : export_value_note_empty(writer->report, "otlp-traces");
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {
		.begin_row = begin_row,
		.end_span = end_span,
		.described = add_described,
	};
	trace_writer writer = {.report = report, .stream = file->stream};
	int status;
	int finished;

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
