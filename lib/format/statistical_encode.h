/* SPDX-License-Identifier: MIT */
/**
 * \file format/statistical_encode.h
 * \brief Encodes STATISTICAL blocks of drop, mono and unity.
 */
#ifndef FORMAT_STATISTICAL_ENCODE_H
#define FORMAT_STATISTICAL_ENCODE_H

#include "format/block_encode.h"
#include "format/statistical_tokens.h"

/** Appends tokens to a buffer. */
typedef struct statistical_encoder {
	encode_buffer *buffer;                 /**< Borrowed. Keeps the first failure. */
	uint8_t bits;                          /**< Length of a tag in bits. */
	uint8_t tags[STATISTICAL_TOKEN_COUNT]; /**< Indexed by #statistical_token. */
} statistical_encoder;

/** Prepares an encoder for the layout in which this library writes a dialect. The dialect must have tokens. */
void statistical_encoder_init(statistical_encoder *encoder, encode_buffer *buffer, const dialect_rules *rules);

/** Starts a STATISTICAL block. */
void statistical_encode_begin(statistical_encoder *encoder, const block_encoding *encoding, const mprof_clock *start);

/** Ends the list of tokens and the content of the block. */
void statistical_encode_end(statistical_encoder *encoder, const mprof_clock *end);

/** A frame in a method; 0 stands for unknown managed code. */
void statistical_encode_method(statistical_encoder *encoder, uint32_t method);

/** A frame in a function that is already defined. */
void statistical_encode_function(statistical_encoder *encoder, uint32_t function);

/** Defines a function, with a frame in it. \p module is #STATISTICAL_NO_MODULE if the function has none. */
void statistical_encode_new_function(statistical_encoder *encoder, uint32_t module, uint32_t function,
				     const char *name);

/** The number of samples in a function. \p name defines the function; it is NULL if the function is defined. */
void statistical_encode_counted(statistical_encoder *encoder, uint32_t function, const char *name, uint64_t samples);

/** A frame at an offset in a module, or at an address if \p module is 0. */
void statistical_encode_location(statistical_encoder *encoder, uint32_t module, uint64_t value);

/** The number of callers in a call stack; see dialect_rules::is_caller_count_first. */
void statistical_encode_callers(statistical_encoder *encoder, size_t callers);

/** Starts a list of new modules, after an empty list of removed modules. */
void statistical_encode_modules_begin(statistical_encoder *encoder);

/** A module of the list. */
void statistical_encode_module(statistical_encoder *encoder, const mprof_record *module);

/** Ends the list. */
void statistical_encode_modules_end(statistical_encoder *encoder);

#endif
