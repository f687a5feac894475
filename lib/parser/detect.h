/* SPDX-License-Identifier: MIT */
/**
 * \file parser/detect.h
 * \brief The dialect of a log, from its first bytes and blocks.
 */
#ifndef PARSER_DETECT_H
#define PARSER_DETECT_H

#include <mprof/parser.h>

#include "format/block_decode.h"

/** Takes the dialect from the first bytes of the log, as far as they decide it. */
mprof_status parser_detect(mprof_parser *parser);

/**
 * Decides between mail and drop, whose INTROs are the same, by the block whose header is at the start of the buffer:
 * kinds of blocks that both have differ in their codes. A block that is the same in both leaves the decision to the
 * next one; until then mail is assumed.
 */
mprof_status parser_decide_mail_or_drop(mprof_parser *parser, const block_header *header);

/** Notes that call stacks of samples start with their length, which makes a log that began like mono one of unity. */
void parser_set_unity_dialect(mprof_parser *parser);

#endif
