/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/statistical.h
 * \brief Decodes and encodes STATISTICAL blocks, decodes the list of a SAMPLES block (doc/format.md, 3.12) to arrays
 * of mprof_event, and decodes and encodes that of a TYPED block (3.33), which has events of types in no order of time.
 */
#ifndef FORMAT_BLOCKS_STATISTICAL_H
#define FORMAT_BLOCKS_STATISTICAL_H

#include <mprof/format.h>

#include "format/blocks/block_encode.h"
#include "format/values/content_cursor.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"
#include "format/values/known_ids.h"

#include <stddef.h>
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

/** The layout of a block. */
typedef struct statistical_result {
	statistical_layout layout;
	int is_caller_count_first; /**< The number of callers precedes the innermost frame, as in unity. */
	int is_sure;     /**< No other layout fits the block. Also 0 if a known layout fits, since no other is tried. */
	int is_likely;   /**< Another layout fits, but refers to IDs that are not defined. */
	known_ids known; /**< Including those that the block defines. */
	size_t list_end; /**< Offset of the end of the tokens; of truncated content, of its last complete sample. */
} statistical_result;

/** The meaning of one or more tokens: a frame of a sample, or the definition of a module or a function. */
typedef struct statistical_item {
	int is_record;
	mprof_event event; /**< #MPROF_EVENT_SAMPLE, as mprof_parser_next_events() returns it, without its counter. */
	uint64_t samples;  /**< Number of samples that a frame stands for; 0 if the log does not specify it. */
	mprof_record record;
} statistical_item;

/** Iterates over the tokens of a block. */
typedef struct statistical_cursor {
	content_cursor content; /**< After the end of the tokens when at_end is set. */
	statistical_layout layout;
	const statistical_tags *tags; /**< The tags of the layout. */
	int is_caller_count_first;
	int is_truncated; /**< The log contained more tokens than the content. */
	int in_removed;   /**< Inside a list of removed modules. */
	int in_modules;   /**< Inside a list of new modules. */
	int has_pending;  /**< The previous item was the definition of a function; its sample is next. */
	uint32_t pending_function;
	uint64_t pending_samples;
	int has_leaf; /**< The next frame can be a caller, or the next token a number of callers. */
	uint64_t callers_left;
	int at_end;
} statistical_cursor;

/** Starts at the position of the content, which is the first token. */
void statistical_cursor_init(statistical_cursor *cursor, const content_cursor *content,
			     const statistical_result *result);

/** Decodes the next item. Returns 1, or 0 at the end of the tokens or on a fault. */
int statistical_cursor_next(statistical_cursor *cursor, statistical_item *item);

/**
 * Determines the layout of the tokens at the cursor, and decodes them and the CLOCK that follows, which must end the
 * content; if the content is truncated, decodes up to the last complete sample. \p known_layout is that of an earlier
 * block of the log, or #STATISTICAL_LAYOUT_NONE; it is preferred. If no layout fits, the cursor keeps the fault of the
 * likeliest layout.
 */
void statistical_decode(content_cursor *cursor, const dialect_rules *rules, statistical_layout known_layout,
			const known_ids *known, int is_truncated, statistical_result *result, mprof_clock *end);

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

/** The input and the progress of decoding. Kept between calls. */
typedef struct samples_decode_state {
	const uint8_t *bytes; /**< Start of the samples. May move between calls. */
	size_t length;        /**< Length of the samples, in bytes. */
	size_t position;      /**< Bytes decoded so far. */
	size_t fault;         /**< After a fault: its offset in the samples. */
	uint64_t counter;     /**< Counter of the last sample decoded; initially the base counter. */
} samples_decode_state;

/** Why decoding stopped. In each case the position is after the last sample that was stored. */
typedef enum samples_decode_result {
	SAMPLES_DECODE_FULL,       /**< The array is full. */
	SAMPLES_DECODE_DONE,       /**< All bytes are decoded. */
	SAMPLES_DECODE_TRUNCATED,  /**< The bytes end inside a sample. */
	SAMPLES_DECODE_LIST_END,   /**< The next varint is 0, which ends a list of samples. */
	SAMPLES_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	SAMPLES_DECODE_BAD_ID      /**< An ID exceeds 32 bits. */
} samples_decode_result;

/** Decodes samples. \p count receives the number of events stored. */
samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count);

/** The input and the progress of decoding. Kept between calls. */
typedef struct typed_decode_state {
	const uint8_t *bytes; /**< Start of the list. May move between calls. */
	size_t length;        /**< Length of the list, in bytes. */
	size_t position;      /**< Bytes decoded so far. */
	size_t fault;         /**< After a fault: its offset in the list. */
	uint64_t counter;     /**< Counter of the last event decoded; initially the base counter. */
} typed_decode_state;

/** Why decoding stopped. In each case the position is after the last event that was stored. */
typedef enum typed_decode_result {
	TYPED_DECODE_FULL,       /**< The array is full. */
	TYPED_DECODE_DONE,       /**< All bytes are decoded. */
	TYPED_DECODE_TRUNCATED,  /**< The bytes end inside an event. */
	TYPED_DECODE_LIST_END,   /**< The next varint is 0, which ends the list. */
	TYPED_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	TYPED_DECODE_TOO_LONG,   /**< The arguments exceed #MPROF_ARGUMENTS_MAX_SIZE. */
	TYPED_DECODE_BAD_ID      /**< An ID exceeds 32 bits. */
} typed_decode_result;

/**
 * Decodes events; \p details has room for as many as \p events. Their arguments point into the list. \p count receives
 * the number of events stored.
 */
typed_decode_result typed_decode(typed_decode_state *state, mprof_event *events, mprof_event_detail *details,
				 size_t capacity, size_t *count);

/** Appends an event, whose arguments are at most #MPROF_ARGUMENTS_MAX_SIZE bytes. \p last_counter is advanced to it. */
void typed_encode(encode_buffer *buffer, const mprof_event *event, const mprof_event_detail *detail,
		  uint64_t *last_counter);

#endif
