/* SPDX-License-Identifier: MIT */
/* Writes attributes, and the resources of messages of OpenTelemetry. */
#include "export/otlp_resource.h"

#include "export/thread_table.h"
#include "shared/kinds.h"

#include <mprof/base.h>

#include <stdlib.h>

/* Field numbers of opentelemetry-proto 1.11.0, which the messages of traces and of metrics share. */
enum { DATA_RESOURCES = 1, RESOURCE_RESOURCE = 1, RESOURCE_SCOPES = 2, RESOURCE_ATTRIBUTES = 1 };
enum { SCOPES_SCOPE = 1, SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, VALUE_TEXT = 1, VALUE_DOUBLE = 4 };

const char *otlp_plain(otlp_attributes *attributes, const char *text)
{
	const char *plain = plain_text(&attributes->plain, text);

	attributes->has_failed |= plain == NULL;
	return plain != NULL ? plain : "";
}

/* Adds the attribute whose value is in otlp_attributes::value. */
static void add_attribute(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key)
{
	protobuf_clear(&attributes->attribute);
	protobuf_text(&attributes->attribute, ATTRIBUTE_KEY, otlp_plain(attributes, key));
	protobuf_add(&attributes->attribute, ATTRIBUTE_VALUE, &attributes->value);
	protobuf_add(to, field, &attributes->attribute);
}

void otlp_add_text(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key, const char *text)
{
	protobuf_clear(&attributes->value);
	protobuf_text(&attributes->value, VALUE_TEXT, otlp_plain(attributes, text));
	add_attribute(attributes, to, field, key);
}

void otlp_add_varint(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key, uint32_t kind,
		     uint64_t number)
{
	protobuf_clear(&attributes->value);
	/* A value of zero has to be there, because its field states what the value is. */
	protobuf_value(&attributes->value, (uint64_t)kind << 3);
	protobuf_value(&attributes->value, number);
	add_attribute(attributes, to, field, key);
}

void otlp_add_double(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key, uint64_t bits)
{
	protobuf_clear(&attributes->value);
	protobuf_double(&attributes->value, VALUE_DOUBLE, kind_double_value(bits));
	add_attribute(attributes, to, field, key);
}

void otlp_add_process(otlp_attributes *attributes, protobuf_message *resource, const mprof_process_stats *process)
{
	if (process->system_id != 0)
		otlp_add_varint(attributes, resource, RESOURCE_ATTRIBUTES, "process.pid", OTLP_INTEGER,
				process->system_id);
	if (process->name != NULL && process->name[0] != '\0')
		otlp_add_text(attributes, resource, RESOURCE_ATTRIBUTES, "process.executable.name", process->name);
	if (process->command != NULL && process->command[0] != '\0')
		otlp_add_text(attributes, resource, RESOURCE_ATTRIBUTES, "process.command_line", process->command);
}

void otlp_attributes_release(otlp_attributes *attributes)
{
	protobuf_release(&attributes->attribute);
	protobuf_release(&attributes->value);
	plain_text_release(&attributes->plain);
}

/* Adds the process with a number, if the log describes it. */
static void add_described(otlp_messages *messages, protobuf_message *resource, uint64_t number)
{
	mprof_process_stats process = {.struct_size = sizeof(process)};

	for (size_t i = 0; number != 0 && mprof_profile_get_row(messages->report->profile, MPROF_TABLE_PROCESSES, i,
								&process) == MPROF_OK;
	     i++) {
		if (process.number == number) {
			otlp_add_process(&messages->attributes, resource, &process);
			return;
		}
	}
}

static void write_batch(otlp_messages *messages, otlp_batch *batch)
{
	protobuf_message scope = {0};
	protobuf_message scopes = {0};
	protobuf_message resource = {0};
	protobuf_message resources = {0};

	messages->attributes.has_failed |= batch->contents.has_failed;
	if (batch->contents.length == 0)
		return;
	otlp_add_text(&messages->attributes, &resource, RESOURCE_ATTRIBUTES, "service.name",
		      thread_names_table_process(messages->report));
	add_described(messages, &resource, batch->process);
	protobuf_text(&scope, SCOPE_NAME, "mprof");
	protobuf_text(&scope, SCOPE_VERSION, MPROF_VERSION_STRING);
	protobuf_add(&scopes, SCOPES_SCOPE, &scope);
	protobuf_append(&scopes, &batch->contents);
	protobuf_add(&resources, RESOURCE_RESOURCE, &resource);
	protobuf_add(&resources, RESOURCE_SCOPES, &scopes);
	protobuf_write(messages->stream, DATA_RESOURCES, &resources);
	messages->attributes.has_failed |= resources.has_failed;
	protobuf_clear(&batch->contents);
	protobuf_release(&scope);
	protobuf_release(&scopes);
	protobuf_release(&resource);
	protobuf_release(&resources);
}

void otlp_messages_add(otlp_messages *messages, uint64_t process, uint32_t field, const protobuf_message *added)
{
	otlp_batch **at = &messages->first;

	/* There are few processes. */
	while (*at != NULL && (*at)->process != process)
		at = &(*at)->next;
	if (*at == NULL) {
		*at = calloc(1, sizeof(**at));
		if (*at == NULL) {
			messages->attributes.has_failed = 1;
			return;
		}
		(*at)->process = process;
	}
	protobuf_add(&(*at)->contents, field, added);
	if ((*at)->contents.length >= OTLP_BATCH_BYTES)
		write_batch(messages, *at);
}

void otlp_messages_finish(otlp_messages *messages)
{
	for (otlp_batch *batch = messages->first; batch != NULL; batch = batch->next)
		write_batch(messages, batch);
}

void otlp_messages_release(otlp_messages *messages)
{
	while (messages->first != NULL) {
		otlp_batch *batch = messages->first;

		messages->first = batch->next;
		protobuf_release(&batch->contents);
		free(batch);
	}
	otlp_attributes_release(&messages->attributes);
}
