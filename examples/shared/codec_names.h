/* SPDX-License-Identifier: MIT */
/**
 * \file shared/codec_names.h
 * \brief Parses the codecs that --compress names.
 */
#ifndef SHARED_CODEC_NAMES_H
#define SHARED_CODEC_NAMES_H

#include <stdint.h>

/** The values that codec_names_parse() accepts, for messages. */
#define CODEC_VALUES "zstd or deflate, or one of them with a level, such as zstd:1 (up to 19) or deflate:1 (up to 9)"

/**
 * Parses the name of a codec, alone or followed by a colon and a level. \p codec receives the #mprof_codec_number,
 * \p level 0 if there is none. Returns 0, changing nothing, if the text is neither.
 */
int codec_names_parse(const char *text, uint32_t *codec, uint32_t *level);

/** Whether the library can compress with a codec. */
int codec_names_is_supported(uint32_t codec);

#endif
