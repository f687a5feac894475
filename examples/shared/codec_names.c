/* SPDX-License-Identifier: MIT */
/* Parses the codecs that --compress names. */
#include "shared/codec_names.h"

#include <mprof/writer.h>

#include <string.h>

typedef struct codec_name {
	const char *name;
	uint32_t codec;
	uint32_t max_level;
} codec_name;

/* Returns 0 unless the text is a number from 1 to \p most. */
static uint32_t parse_level(const char *text, uint32_t most)
{
	uint32_t level = 0;

	for (; *text >= '0' && *text <= '9' && level <= most; text++)
		level = level * 10 + (uint32_t)(*text - '0');
	return *text == '\0' && level <= most ? level : 0;
}

int codec_names_parse(const char *text, uint32_t *codec, uint32_t *level)
{
	static const codec_name codecs[] = {{"zstd", MPROF_CODEC_ZSTD, 19}, {"deflate", MPROF_CODEC_DEFLATE, 9}};

	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		const size_t length = strlen(codecs[i].name);
		uint32_t chosen = 0;

		if (strncmp(text, codecs[i].name, length) != 0 || (text[length] != '\0' && text[length] != ':'))
			continue;
		if (text[length] == ':')
			chosen = parse_level(text + length + 1, codecs[i].max_level);
		if (text[length] == ':' && chosen == 0)
			return 0;
		*codec = codecs[i].codec;
		*level = chosen;
		return 1;
	}
	return 0;
}

int codec_names_is_supported(uint32_t codec)
{
	mprof_writer_options options;
	mprof_writer *writer = NULL;
	mprof_status status;

	mprof_writer_options_init(&options, sizeof(options));
	options.codec = codec;
	status = mprof_writer_open_memory(&options, &writer);
	mprof_writer_destroy(writer);
	return status != MPROF_ERR_UNSUPPORTED;
}
