/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_codes.h
 * \brief The event byte as data (doc/format.md, section 4), for both directions.
 */
#ifndef FORMAT_EVENT_CODES_H
#define FORMAT_EVENT_CODES_H

#include <mprof/format.h>

#include "format/dialect.h"

/** What stands behind an event byte. */
typedef enum event_form {
	EVENT_FORM_INVALID,    /**< The byte is damage. */
	EVENT_FORM_END,        /**< Byte 0: the list of events ends. */
	EVENT_FORM_PACKED_ID,  /**< Five low id bits in the byte; INT id >> 5, INT time. */
	EVENT_FORM_ALLOCATION, /**< Five low id bits in the byte; INT id >> 5, INT size, extras (directives 1, 3). */
	EVENT_FORM_ID,         /**< INT id, INT time. */
	EVENT_FORM_VALUE,      /**< INT value, INT time. */
	EVENT_FORM_IMPLICIT_LEAVE, /**< Five low time bits in the byte; INT time >> 5. */
	EVENT_FORM_UNKNOWN         /**< Reserved: INT value, INT time. */
} event_form;

typedef struct event_code {
	uint8_t kind;  /**< An #mprof_event_kind; #MPROF_EVENT_UNKNOWN for a byte without one. */
	uint8_t flags; /**< Bits of #mprof_event_flag. */
	uint8_t form;  /**< An #event_form. */
} event_code;

/** Bits 3 to 7 of the byte hold this many bits of an id or of a time. */
#define EVENT_PACKED_BITS 5
#define EVENT_PACKED_MASK 31
#define EVENT_PACKED_SHIFT 3

/** Bits 0 to 2 of the byte: what the event is about, or how it is packed. */
typedef enum event_group {
	EVENT_GROUP_NONE = 0,
	EVENT_GROUP_ENTER = 1,
	EVENT_GROUP_IMPLICIT_LEAVE = 2,
	EVENT_GROUP_LEAVE = 3,
	EVENT_GROUP_ALLOCATION = 4,
	EVENT_GROUP_METHOD = 5,
	EVENT_GROUP_CLASS = 6,
	EVENT_GROUP_OTHER = 7,
	EVENT_GROUP_MASK = 7
} event_group;

/** Fills the meaning of all bytes. \p directives are those in force, as #MPROF_DIRECTIVE_BIT. */
void event_codes_build(event_code table[256], const dialect_rules *rules, uint64_t directives);

/**
 * The byte of a kind with its flags; of a packed kind the byte with bits 3 to 7 clear. -1 if no dialect of this shape
 * has it. Whether a dialect with its directives has it is told by event_codes_build().
 */
int event_codes_byte(uint32_t kind, uint32_t flags);

#endif
