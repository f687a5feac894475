/* SPDX-License-Identifier: MIT */
/* Detects the dialect of a log from its first bytes and blocks. */
#include "parser/detect.h"

#include "format/varint.h"
#include "parser/errors.h"
#include "parser/parser_internal.h"

#include <string.h>

/* Upper bound for an INTRO, which contains the name of a runtime and a few numbers. */
#define MAX_INTRO_LENGTH 4096

static mprof_status fail_detection(mprof_parser *parser, mprof_status status, uint64_t offset, const char *what)
{
	return parser_fail(parser, status, MPROF_SEVERITY_FATAL, offset, what);
}

static mprof_status fail_foreign(mprof_parser *parser)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);

	if (length > 0 && dialect_guess_from(bytes, length) == DIALECT_GUESS_MORE_BYTES)
		return fail_detection(parser, MPROF_ERR_NOT_MPROF, 0, "the file is too short to be an mprof log");
	return fail_detection(parser, MPROF_ERR_NOT_MPROF, 0, dialect_foreign_name(bytes, length));
}

/*
 * Whether the content of a block follows the grammar of a dialect for a block kind. The decoded values are discarded.
 */
static int content_fits(const mprof_parser *parser, mprof_dialect dialect, mprof_block_kind kind,
			const uint8_t *content, size_t length)
{
	block_decoding decoding = parser->decoding;
	mprof_block block = {.kind = kind};
	content_cursor cursor;
	block_body body;

	decoding.rules = dialect_get(dialect);
	return block_decode(&decoding, content, length, &block, &body, &cursor) == MPROF_OK;
}

/* Whether the log begins with a complete INTRO of a dialect. */
static int intro_fits(const mprof_parser *parser, mprof_dialect dialect)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);
	size_t header_length = dialect_get(dialect)->header_length;
	block_header header;

	block_header_decode(bytes, &header);
	return length >= header_length && header.length <= length - header_length &&
	       content_fits(parser, dialect, MPROF_BLOCK_INTRO, bytes + header_length, header.length);
}

/*
 * In all logs that Mono wrote, the counters in the header of the first block are 0. Another writer may set them, and
 * the header then looks like the start of a log of another dialect. In that case the whole INTRO is needed to
 * distinguish the two dialects.
 */
static mprof_status detect_counters_in_header(mprof_parser *parser, dialect_guess *guess)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);
	block_header header;

	if (*guess == DIALECT_GUESS_LONG_HEADER || length < 2 || bytes_load_16(bytes) != 1)
		return MPROF_OK;
	if (length < DIALECT_GUESS_LONG_LENGTH)
		return parser->is_finished ? MPROF_OK : parser_wait(parser, DIALECT_GUESS_LONG_LENGTH);
	block_header_decode(bytes, &header);
	if (!dialect_guess_is_long(bytes) || header.length > MAX_INTRO_LENGTH || intro_fits(parser, MPROF_DIALECT_MAIL))
		return MPROF_OK;
	if (length - 10 < header.length && !parser->is_finished)
		return parser_wait(parser, 10 + (uint64_t)header.length);
	if (intro_fits(parser, MPROF_DIALECT_MONO))
		*guess = DIALECT_GUESS_LONG_HEADER;
	return MPROF_OK;
}

static mprof_status apply_guess(mprof_parser *parser, dialect_guess guess)
{
	mprof_dialect dialect;

	switch (guess) {
	case DIALECT_GUESS_MPROF2:
		dialect = MPROF_DIALECT_MPROF2;
		break;
	case DIALECT_GUESS_SHORT_HEADER:
		dialect = MPROF_DIALECT_MAIL;
		break;
	case DIALECT_GUESS_LONG_HEADER:
		dialect = MPROF_DIALECT_MONO;
		break;
	case DIALECT_GUESS_FIXED_INTS:
		dialect = MPROF_DIALECT_UNITY_FIXED;
		break;
	case DIALECT_GUESS_NEWER:
		return fail_detection(
			parser, MPROF_ERR_UNSUPPORTED, 6,
			"this log has a later version of the format, which this version of the library cannot read");
	default:
		return fail_foreign(parser);
	}
	parser->decoding.rules = dialect_get(dialect);
	parser->log_phase = PARSER_LOG_AT_INTRO;
	return MPROF_OK;
}

mprof_status parser_detect(mprof_parser *parser)
{
	size_t length = parser_buffer_length(&parser->buffer);
	dialect_guess guess = DIALECT_GUESS_MORE_BYTES;
	mprof_status status;

	if (length > 0)
		guess = dialect_guess_from(parser_buffer_bytes(&parser->buffer), length);
	/* A few more bytes identify the format of a foreign file. */
	if (!parser->is_finished && length < DIALECT_GUESS_LENGTH &&
	    (guess == DIALECT_GUESS_MORE_BYTES || guess == DIALECT_GUESS_NONE))
		return parser_wait(parser, guess == DIALECT_GUESS_NONE || length >= 7 ? DIALECT_GUESS_LENGTH : 7);
	status = detect_counters_in_header(parser, &guess);
	return status == MPROF_OK ? apply_guess(parser, guess) : status;
}

/* Which of the two dialects a block proves for a log that begins like mail. */
typedef enum verdict { VERDICT_NONE, VERDICT_MAIL, VERDICT_DROP } verdict;

/*
 * For a block that is too long to wait for: with codes 4 and 5, mail has MAPPING and EVENTS, drop has blocks for code
 * units, which are short.
 */
static verdict verdict_by_length(uint32_t code)
{
	return code == 4 || code == 5 ? VERDICT_MAIL : VERDICT_DROP;
}

/*
 * Blocks for loaded and unloaded code units end with a name, and so with a byte 0. All other blocks end with a varint,
 * whose last byte has the high bit set.
 */
static verdict verdict_by_last_byte(uint32_t code, uint8_t last)
{
	if (last > 0 && last < VARINT_LAST_BIT)
		return VERDICT_NONE;
	return (last == 0) == (code <= 3) ? VERDICT_MAIL : VERDICT_DROP;
}

/* END of mail has three varints. STATISTICAL of drop has at least five, because it contains two CLOCKs. */
static verdict verdict_by_varint_count(const uint8_t *content, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length && count <= 3; i++)
		count += content[i] >= VARINT_LAST_BIT;
	return count == 3 ? VERDICT_MAIL : VERDICT_DROP;
}

static verdict verdict_by_content(const mprof_parser *parser, uint32_t code, const uint8_t *content, size_t length)
{
	switch (code) {
	case 6:
		if (content_fits(parser, MPROF_DIALECT_DROP, MPROF_BLOCK_EVENTS, content, length))
			return VERDICT_DROP;
		return content_fits(parser, MPROF_DIALECT_MAIL, MPROF_BLOCK_STATISTICAL, content, length)
			       ? VERDICT_MAIL
			       : VERDICT_NONE;
	case 7:
		return verdict_by_varint_count(content, length);
	case 8:
		return VERDICT_DROP;
	default:
		return verdict_by_last_byte(code, content[length - 1]);
	}
}

int parser_may_be_mail_or_drop(const mprof_parser *parser)
{
	return parser->log_phase == PARSER_LOG_MAIL_OR_DROP ||
	       (parser->log_phase == PARSER_LOG_AT_INTRO && parser->decoding.rules->dialect == MPROF_DIALECT_MAIL);
}

void parser_intro_done(mprof_parser *parser)
{
	if (parser->log_phase == PARSER_LOG_AT_INTRO)
		parser->log_phase =
			parser_may_be_mail_or_drop(parser) ? PARSER_LOG_MAIL_OR_DROP : PARSER_LOG_IDENTIFIED;
}

mprof_status parser_decide_mail_or_drop(mprof_parser *parser, const block_header *header)
{
	size_t available = parser_buffer_length(&parser->buffer);
	verdict verdict = VERDICT_NONE;

	if (header->code < 2 || header->code > 8 || header->length == 0)
		return MPROF_OK;
	if (header->length > parser->max_block_length)
		verdict = verdict_by_length(header->code);
	else if (available >= parser->span)
		verdict = verdict_by_content(parser, header->code, parser_content(parser), header->length);
	else if (!parser->is_finished)
		return parser_wait(parser, parser->span);
	if (verdict != VERDICT_NONE)
		parser->log_phase = PARSER_LOG_IDENTIFIED;
	if (verdict == VERDICT_DROP)
		parser->decoding.rules = dialect_get(MPROF_DIALECT_DROP);
	return MPROF_OK;
}

void parser_set_unity_dialect(mprof_parser *parser)
{
	parser->decoding.rules = dialect_get(MPROF_DIALECT_UNITY);
}
