/* SPDX-License-Identifier: MIT */
/**
 * \file export/otlp_resource.h
 * \brief What the signals of OpenTelemetry have in common: attributes, and the resource and the scope around the
 * contents of a message.
 */
#ifndef EXPORT_OTLP_RESOURCE_H
#define EXPORT_OTLP_RESOURCE_H

#include "export/protobuf.h"
#include "export/text_stream.h"
#include "report/report.h"

/** Spans or metrics of a message: receivers and readers hold one in memory. */
#define OTLP_BATCH_BYTES ((size_t)1 << 20)

/** Kinds of values: fields of AnyValue. */
enum { OTLP_BOOLEAN = 2, OTLP_INTEGER = 3 };

/** Memory for attributes. Initialized with 0. */
typedef struct otlp_attributes {
	protobuf_message attribute;
	protobuf_message value;
	plain_buffer plain;
	int has_failed; /**< Out of memory. */
} otlp_attributes;

/** Text that is valid UTF-8. */
const char *otlp_plain(otlp_attributes *attributes, const char *text);

/** Adds an attribute as a field of a message. */
void otlp_add_text(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key,
		   const char *text);

/** \p kind: #OTLP_BOOLEAN or #OTLP_INTEGER. */
void otlp_add_varint(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key, uint32_t kind,
		     uint64_t number);

/** \p bits: those of a double. */
void otlp_add_double(otlp_attributes *attributes, protobuf_message *to, uint32_t field, const char *key, uint64_t bits);

/** Adds what is known of the process with a number of the log to a resource. */
void otlp_add_process(otlp_attributes *attributes, protobuf_message *resource, const mprof_process_stats *process);

void otlp_attributes_release(otlp_attributes *attributes);

/** What is collected of a process. */
typedef struct otlp_batch {
	uint64_t process; /**< Its number in the log; 0 if that does not state it. */
	protobuf_message contents;
	struct otlp_batch *next;
} otlp_batch;

/** Collects the contents of messages, apart for each process. Initialized with 0, apart from the report. */
typedef struct otlp_messages {
	const log_report *report;
	FILE *stream;
	otlp_batch *first;
	otlp_attributes attributes;
} otlp_messages;

/**
 * Adds fields of ScopeSpans or ScopeMetrics, and writes the message of the process when it is large. Messages that
 * follow each other are one, whose lists are those of all.
 */
void otlp_messages_add(otlp_messages *messages, uint64_t process, uint32_t field, const protobuf_message *added);

/** Writes what is left. */
void otlp_messages_finish(otlp_messages *messages);
void otlp_messages_release(otlp_messages *messages);

#endif
