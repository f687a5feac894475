/* SPDX-License-Identifier: MIT */
/**
 * \file format/hits_tokens.h
 * \brief The tokens of STATISTICAL blocks (doc/dialects.md), for both directions.
 */
#ifndef FORMAT_HITS_TOKENS_H
#define FORMAT_HITS_TOKENS_H

#include "format/dialect.h"

/**
 * The module of functions that have none, where a dialect demands one: it has no name, and is never given out. The
 * largest that fits a token of 32 bits, as which Mono's own reader takes it.
 */
#define HITS_NO_MODULE ((UINT32_C(1) << 29) - 1)

/** What the bits of tokens mean. */
typedef enum hits_form {
	HITS_FORM_NONE,
	HITS_FORM_TWO_BITS, /**< January to March 2008: methods and modules. */
	HITS_FORM_COUNTED,  /**< To May 2008: functions, each with the number of its hits. */
	HITS_FORM_CHAINED   /**< Since: functions are named when first hit; call stacks. */
} hits_form;

/** The kind of a token. Its argument is the bits above those of the kind. */
typedef enum hit_token {
	HIT_TOKEN_NONE,
	HIT_TOKEN_METHOD,       /**< A method; 0: managed code, not known. */
	HIT_TOKEN_FUNCTION,     /**< A function defined before. */
	HIT_TOKEN_NEW_FUNCTION, /**< The module of a function, whose definition follows: varint id, STRING name. */
	HIT_TOKEN_COUNTED,      /**< A function. Varint hits follows; or varint 0, STRING name, varint hits. */
	HIT_TOKEN_PLACE,        /**< A module. Varint offset follows; without a module varint address. */
	HIT_TOKEN_CHAIN,        /**< How many callers follow. */
	HIT_TOKEN_MODULES,      /**< Two lists of modules follow: IDs of those removed, and new ones. */
	HIT_TOKEN_COUNT
} hit_token;

#define HIT_TOKENS_MOST 8

typedef struct hit_token_form {
	uint8_t bits;                    /**< Of the kind. */
	uint8_t tokens[HIT_TOKENS_MOST]; /**< A #hit_token for each value of the bits. The varint 0 ends the list. */
} hit_token_form;

/** The tokens of a form other than #HITS_FORM_NONE. */
const hit_token_form *hit_token_form_get(hits_form form);

#endif
