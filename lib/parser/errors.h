/* SPDX-License-Identifier: MIT */
/**
 * \file parser/errors.h
 * \brief Records errors of the parser, and the other statuses that end a call.
 */
#ifndef PARSER_ERRORS_H
#define PARSER_ERRORS_H

#include <mprof/parser.h>

/**
 * Records an error at an offset in the block at the start of the buffer and returns its status. An error of severity
 * #MPROF_SEVERITY_FATAL is permanent.
 */
mprof_status parser_fail(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t offset_in_block,
			 const char *what);

/**
 * Records an error at a position in the content of the block, in bytes. If the content was decompressed, the
 * position has no offset in the log: the offset of the error is that of the block.
 */
mprof_status parser_fail_content(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t position,
				 const char *what);

/**
 * Records that an allocation failed. The error is permanent: the state collected from the log may be incomplete, so
 * nothing more is read. Returns #MPROF_ERR_MEMORY.
 */
mprof_status parser_fail_memory(mprof_parser *parser, const char *what);

/** Whether an allocation failed before. If so, that error becomes the last error again. */
int parser_is_out_of_memory(mprof_parser *parser);

/** Records an error without an offset in the log and returns its status. Nothing else changes. */
mprof_status parser_refuse(mprof_parser *parser, mprof_status status, const char *what);

/** Refuses a call whose parser or other required pointer is NULL. Returns #MPROF_OK if neither is. */
mprof_status parser_check(mprof_parser *parser, const void *needed);

/** Records that \p length bytes from the start of the buffer are needed. Returns #MPROF_AGAIN. */
mprof_status parser_wait(mprof_parser *parser, uint64_t length);

/** Counts the block at the start of the buffer as valid. */
void parser_block_is_valid(mprof_parser *parser);

#endif
