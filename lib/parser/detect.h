/* SPDX-License-Identifier: MIT */
/**
 * \file parser/detect.h
 * \brief Detects the dialect of a log from its first bytes and blocks.
 */
#ifndef PARSER_DETECT_H
#define PARSER_DETECT_H

#include <mprof/parser.h>

#include "format/block_decode.h"

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

/** Changes the dialect from mono to unity. Called when call stacks of samples were found to start with their length. */
void parser_set_unity_dialect(mprof_parser *parser);

#endif
