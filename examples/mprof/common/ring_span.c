/* SPDX-License-Identifier: MIT */
/* Reads and prints which part of a recording is covered by a log that was written from a ring buffer. */
#include "common/ring_span.h"

#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

void ring_span_read(ring_span *span, const char *key, const char *value)
{
	int count;
	uint64_t seconds;
	unsigned milliseconds;

	if (strcmp(key, "ring") != 0)
		return;
	span->is_partial = 1;
	snprintf(span->text, sizeof(span->text), "%s", value);
	/*
	 * Seconds and milliseconds are two integers: the decimal point of a floating-point number depends on the
	 * locale.
	 */
	count = sscanf(value,
		       "the last %" SCNu64 ".%3u s; overwritten before: %" SCNu64 " bytes in %" SCNu64
		       " blocks with %" SCNu64 " events",
		       &seconds, &milliseconds, &span->overwritten_bytes, &span->overwritten_blocks,
		       &span->overwritten_events);
	span->is_known = count >= 4;
	span->has_events = count == 5;
	span->covered_seconds = span->is_known ? (double)seconds + milliseconds / 1000.0 : 0;
}

void ring_span_print(const ring_span *span, FILE *file)
{
	if (!span->is_partial)
		return;
	fprintf(file, "%-12s ", "ring");
	text_name(file, span->text);
	fputc('\n', file);
}

void ring_span_print_json(const ring_span *span, json_writer *json)
{
	if (!span->is_partial) {
		json_null(json, "ring");
		return;
	}
	json_begin_object(json, "ring");
	if (span->is_known) {
		json_double(json, "covered_s", span->covered_seconds);
		json_unsigned(json, "overwritten_bytes", span->overwritten_bytes);
		json_unsigned(json, "overwritten_blocks", span->overwritten_blocks);
	} else {
		json_null(json, "covered_s");
		json_null(json, "overwritten_bytes");
		json_null(json, "overwritten_blocks");
	}
	if (span->has_events)
		json_unsigned(json, "overwritten_events", span->overwritten_events);
	else
		json_null(json, "overwritten_events");
	json_end_object(json);
}
