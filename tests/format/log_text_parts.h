/* SPDX-License-Identifier: MIT */
/**
 * \file log_text_parts.h
 * \brief Functions that the implementation files of log_text.h share.
 */
#ifndef FORMAT_LOG_TEXT_PARTS_H
#define FORMAT_LOG_TEXT_PARTS_H

#include "log_text.h"

#include "logs/log_fixture.h"

typedef unsigned long long number;

/** Adds text, like printf(). */
void log_text_add(log_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds a line for the error of a block or a list, with its offset. */
void log_text_render_error(log_text *out, const log_input *input);

/** Handles the status that a list ended with. */
void log_text_expect_end(log_text *out, const log_input *input, mprof_status status);

/** Adds the lists of a loaded block. */
void log_text_render_events(log_text *out, const log_input *input, uint64_t directives, uint32_t block);
void log_text_render_mappings(log_text *out, const log_input *input, uint64_t directives);
void log_text_render_records(log_text *out, const log_input *input);
void log_text_render_properties(log_text *out, const log_input *input);

#endif
