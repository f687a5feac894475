/* SPDX-License-Identifier: MIT */
/**
 * \file common/ring_span.h
 * \brief The part of a recording that is covered by a log that was written from a ring buffer.
 */
#ifndef RING_SPAN_H
#define RING_SPAN_H

#include "common/json.h"

#include <stdio.h>

#define RING_SPAN_TEXT_SIZE 192

typedef struct ring_span {
	int is_partial; /**< Older events were overwritten; otherwise the other fields are not valid. */
	int is_known;   /**< The numbers below are valid; otherwise only the text is. */
	double covered_seconds;
	uint64_t overwritten_bytes;
	uint64_t overwritten_blocks;
	int has_events; /**< The next number is valid: logs of earlier versions do not contain it. */
	uint64_t overwritten_events;
	char text[RING_SPAN_TEXT_SIZE];
} ring_span;

/** Reads the property of a SESSION block if it is that of a ring buffer. */
void ring_span_read(ring_span *span, const char *key, const char *value);

/** Prints a line if older events were overwritten. */
void ring_span_print(const ring_span *span, FILE *file);

/** Prints an object, null if nothing was overwritten. */
void ring_span_print_json(const ring_span *span, json_writer *json);

#endif
