/* SPDX-License-Identifier: MIT */
/**
 * \file spans.h
 * \brief What spans.c calls to record spans with a number and a text: each tool of the comparison implements it.
 */
#ifndef BENCH_PEERS_SPANS_H
#define BENCH_PEERS_SPANS_H

#include <stdint.h>

/** Types of spans, and texts, of about 35 bytes each. */
enum { SPAN_TYPES = 40, SPAN_TEXTS = 300, SPAN_TEXT_SIZE = 48 };

extern char span_types[SPAN_TYPES][SPAN_TEXT_SIZE];
extern char span_texts[SPAN_TEXTS][SPAN_TEXT_SIZE];

/** Begins to record to a file. The program ends if it cannot. */
void spans_open(const char *path);

/** A span begins, and ends: it is the only one that is open. */
void span_begin(uint32_t type);
void span_end(uint32_t type, uint64_t number, uint32_t text);

/** All spans are in the file, or with the process that writes it. */
void spans_close(void);

#endif
