/* SPDX-License-Identifier: MIT */
/**
 * \file parser/errors.h
 * \brief Errors of the parser, and the other answers that end a call.
 */
#ifndef PARSER_ERRORS_H
#define PARSER_ERRORS_H

#include <mprof/parser.h>

/**
 * Notes an error at an offset in the block at the start of the buffer, and returns its status. One of severity
 * #MPROF_SEVERITY_FATAL sticks.
 */
mprof_status parser_fail(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t offset_in_block,
			 const char *what);

/**
 * Notes that memory was refused. That is final: what was learnt from the log so far may be incomplete, so nothing more
 * is read. Returns #MPROF_ERR_MEMORY.
 */
mprof_status parser_fail_memory(mprof_parser *parser, const char *what);

/** Whether memory was refused before. If so, that error becomes the last error again. */
int parser_is_out_of_memory(mprof_parser *parser);

/** Notes an error without an offset in the log; nothing else changes. Returns its status. */
mprof_status parser_refuse(mprof_parser *parser, mprof_status status, const char *what);

/** Refuses a call without the parser, or without a pointer that it needs. Returns #MPROF_OK if both are there. */
mprof_status parser_check(mprof_parser *parser, const void *needed);

/** Notes that so many bytes from the start of the buffer are needed. Returns #MPROF_AGAIN. */
mprof_status parser_wait(mprof_parser *parser, uint64_t length);

/** Counts the block at the start of the buffer as valid. */
void parser_block_is_valid(mprof_parser *parser);

#endif
