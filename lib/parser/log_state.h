/* SPDX-License-Identifier: MIT */
/**
 * \file parser/log_state.h
 * \brief Stores what blocks specify for the blocks after them.
 */
#ifndef PARSER_LOG_STATE_H
#define PARSER_LOG_STATE_H

#include <mprof/parser.h>

#include "format/blocks/block_decode.h"

/**
 * Detects the dialect from the first bytes of the log, as far as they determine it. Returns #MPROF_OK, #MPROF_AGAIN, or
 * the error for a file that is not a readable log.
 */
mprof_status parser_detect(mprof_parser *parser);

/** Whether the log begins like mail, and no block has shown yet whether it is mail or drop. */
int parser_may_be_mail_or_drop(const mprof_parser *parser);

/** Advances parser::log_phase after INTRO was read or found to be unreadable. Has no effect when called again. */
void parser_intro_done(mprof_parser *parser);

/**
 * Distinguishes mail and drop, whose INTROs are the same, by the block whose header is at the start of the buffer: they
 * have different codes for the same kinds of blocks. If the block is valid in both, the next one decides; until then
 * mail is assumed.
 */
mprof_status parser_decide_mail_or_drop(mprof_parser *parser, const block_header *header);

/**
 * Sets the directives in force to those of the DIRECTIVES blocks before an offset of the log, as far as these were
 * read.
 */
void parser_directives_restore(mprof_parser *parser, uint64_t offset);

/** Makes room for one more change of the directives. Returns 0 if out of memory. */
int parser_directives_reserve(mprof_parser *parser);

/** Adds what the DIRECTIVES block at the start of the buffer declares. Call parser_directives_reserve() before. */
void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost);

/** Stores the object sizes from the decoded MAPPING block at the start of the buffer. Returns 0 if out of memory. */
int parser_store_object_sizes(mprof_parser *parser);

/**
 * Infers from the decoded block at the start of the buffer how to decode blocks of older logs, which do not specify
 * their layout.
 */
void parser_infer_layouts(mprof_parser *parser);

#endif
