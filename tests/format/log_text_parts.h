/* SPDX-License-Identifier: MIT */
/**
 * \file log_text_parts.h
 * \brief What the parts of log_text.h share.
 */
#ifndef LOG_TEXT_PARTS_H
#define LOG_TEXT_PARTS_H

#include "log_text.h"

#include "logs/log_fixture.h"

typedef unsigned long long number;

/** Adds text, as printf. */
void log_text_add(log_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Says what is wrong with a block or a list, and where. */
void log_text_render_error(log_text *out, const log_input *input);

/** A list has given all that it had, and then this. */
void log_text_expect_end(log_text *out, const log_input *input, mprof_status status);

/** The lists of a loaded block. */
void log_text_render_events(log_text *out, const log_input *input, uint64_t directives, uint32_t block);
void log_text_render_mappings(log_text *out, const log_input *input, uint64_t directives);
void log_text_render_records(log_text *out, const log_input *input);
void log_text_render_properties(log_text *out, const log_input *input);

#endif
