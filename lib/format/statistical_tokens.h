/* SPDX-License-Identifier: MIT */
/**
 * \file format/statistical_tokens.h
 * \brief The tokens of STATISTICAL blocks of drop, mono and unity (doc/dialects.md), for decoding and encoding.
 */
#ifndef FORMAT_STATISTICAL_TOKENS_H
#define FORMAT_STATISTICAL_TOKENS_H

#include <stdint.h>

/**
 * Stands for the module of a function without one, where a dialect requires a module. It is the largest ID that fits
 * in a token of 32 bits, the size in Mono's own reader. Readers of this library do not report it.
 */
#define STATISTICAL_NO_MODULE ((UINT32_C(1) << 29) - 1)

/** The layout of the tokens, which determines their tags. */
typedef enum statistical_layout {
	STATISTICAL_LAYOUT_NONE,
	STATISTICAL_LAYOUT_TWO_BITS, /**< January to March 2008: methods and modules. */
	STATISTICAL_LAYOUT_COUNTED,  /**< Until May 2008: functions, each with its number of samples. */
	STATISTICAL_LAYOUT_STACKS    /**< Later: functions are defined by their first sample; call stacks. */
} statistical_layout;

/** The type of a token. A token consists of a tag, which specifies the type, in its low bits, and an argument. */
typedef enum statistical_token {
	STATISTICAL_TOKEN_NONE,
	STATISTICAL_TOKEN_METHOD,       /**< A method; 0: unknown managed code. */
	STATISTICAL_TOKEN_FUNCTION,     /**< A function that is defined. */
	STATISTICAL_TOKEN_NEW_FUNCTION, /**< The module of a new function. Varint id and STRING name follow. */
	STATISTICAL_TOKEN_COUNTED,      /**< A function. Varint count follows; if it is 0, STRING name, varint count. */
	STATISTICAL_TOKEN_LOCATION,     /**< A module. Varint offset follows; if the module is 0, varint address. */
	STATISTICAL_TOKEN_CALLERS,      /**< The number of callers in a call stack. */
	STATISTICAL_TOKEN_MODULES,      /**< Two lists of modules follow: the IDs of removed ones, and new ones. */
	STATISTICAL_TOKEN_COUNT
} statistical_token;

#define STATISTICAL_MAX_TAGS 8

/** The tags of a layout. */
typedef struct statistical_tags {
	uint8_t bits;                         /**< Length of a tag in bits. */
	uint8_t tokens[STATISTICAL_MAX_TAGS]; /**< A #statistical_token for each tag. The varint 0 ends the list. */
} statistical_tags;

/** The tags of a layout other than #STATISTICAL_LAYOUT_NONE. */
const statistical_tags *statistical_tags_get(statistical_layout layout);

#endif
