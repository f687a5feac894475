/* SPDX-License-Identifier: MIT */
/**
 * \file format/hits_encode.h
 * \brief The tokens of STATISTICAL blocks as bytes: the reverse of hits_decode.h.
 */
#ifndef FORMAT_HITS_ENCODE_H
#define FORMAT_HITS_ENCODE_H

#include "format/block_encode.h"
#include "format/hits_tokens.h"

/** Where tokens are appended, and their bits. */
typedef struct hits_encoder {
	encode_buffer *buffer; /**< Borrowed. Keeps the first failure. */
	uint8_t bits;
	uint8_t values[HIT_TOKEN_COUNT]; /**< Of the kind's bits, by #hit_token. */
} hits_encoder;

/** Prepares an encoder for the form that a dialect is written in, which has tokens. */
void hits_encoder_init(hits_encoder *hits, encode_buffer *buffer, const dialect_rules *rules);

/** Begins a STATISTICAL block. */
void hits_encode_begin(hits_encoder *hits, const block_encoding *encoding, const mprof_clock *start);

/** Ends the list of tokens. The block ends with \p end. */
void hits_encode_end(hits_encoder *hits, const mprof_clock *end);

/** A frame in a method; 0: managed code, not known. */
void hits_encode_method(hits_encoder *hits, uint32_t method);

/** A frame in a function that was defined before. */
void hits_encode_function(hits_encoder *hits, uint32_t function);

/** A frame in a function that is defined here; \p module is #HITS_NO_MODULE if there is none. */
void hits_encode_new_function(hits_encoder *hits, uint32_t module, uint32_t function, const char *name);

/** \p samples samples in a function. \p name is NULL unless the function is defined here. */
void hits_encode_counted(hits_encoder *hits, uint32_t function, const char *name, uint64_t samples);

/** A frame at an offset in a module; without a module (0) at an address. */
void hits_encode_place(hits_encoder *hits, uint32_t module, uint64_t value);

/** \p callers callers follow, or precede if dialect_rules::is_chain_first. */
void hits_encode_chain(hits_encoder *hits, size_t callers);

/** Begins a list of modules, none of which is removed. */
void hits_encode_modules_begin(hits_encoder *hits);

/** A module of the list. */
void hits_encode_module(hits_encoder *hits, const mprof_record *module);

/** Ends the list. */
void hits_encode_modules_end(hits_encoder *hits);

#endif
