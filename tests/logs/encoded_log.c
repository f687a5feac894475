/* SPDX-License-Identifier: MIT */
#include "encoded_log.h"
#include "logs/begin_copy.h"

#include <mprof/convert.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

int log_has_codec(uint32_t codec)
{
	mprof_writer_options options;
	mprof_writer *writer = NULL;
	int opens;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.codec = codec;
	opens = mprof_writer_open_memory(&options, &writer) == MPROF_OK;
	(void)mprof_writer_destroy(writer);
	return opens;
}

log_bytes log_encode(const log_bytes *log, uint32_t codec)
{
	mprof_writer_options options;
	mprof_converter *converter;
	mprof_reader *reader;
	mprof_writer *writer;
	const uint8_t *bytes;
	log_bytes created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.has_columns = 1;
	options.has_index = 1;
	options.codec = codec;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, writer, NULL, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &created.length), MPROF_OK);
	created.bytes = malloc(created.length);
	cr_assert_not_null(created.bytes);
	memcpy(created.bytes, bytes, created.length);
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return created;
}
