/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_codes.h
 * \brief The event codes as a table (doc/format.md, section 4, and doc/dialects.md), for decoding and encoding.
 */
#ifndef FORMAT_EVENT_CODES_H
#define FORMAT_EVENT_CODES_H

#include <mprof/format.h>

#include "format/dialect.h"

/**
 * The fields that follow an event code. "Extras" are the optional fields of an event, see EVENT_EXTRAS(): they follow
 * the varints that each event of the form has.
 */
typedef enum event_form {
	EVENT_FORM_INVALID,          /**< The byte is not an event code. */
	EVENT_FORM_END,              /**< Byte 0: end of the list of events. */
	EVENT_FORM_PACKED_ID,        /**< Low five ID bits in the byte; varint id >> 5, varint time. */
	EVENT_FORM_ALLOCATION,       /**< Low five ID bits in the byte; varint id >> 5, varint size, extras. */
	EVENT_FORM_ALLOCATION_FIXED, /**< Low five ID bits in the byte; varint id >> 5, extras. Size of the class. */
	EVENT_FORM_ALLOCATION_WHOLE, /**< Varint id, varint size, extras. */
	EVENT_FORM_ID,               /**< Varint id, varint time. */
	EVENT_FORM_DETAILED,         /**< Varint id, varint time, extras. */
	EVENT_FORM_VALUE,            /**< Varint value, varint time. */
	EVENT_FORM_COLLECTION,       /**< Varint id << 8 | value, varint time. */
	EVENT_FORM_RESIZE, /**< Varint value, varint id; in logs without collection numbers the second is a time. */
	EVENT_FORM_RESIZE_TIMED,  /**< Varint value, varint time, varint id. */
	EVENT_FORM_STACK_SECTION, /**< Varint value, varint count, then count varints, each a frame. */
	EVENT_FORM_STRAY, /**< Varint time, varint without meaning: a leftover of the previous event, not an event. */
	EVENT_FORM_IMPLICIT_LEAVE,   /**< Low five time bits in the byte; varint time >> 5. */
	EVENT_FORM_MEMORY_ALLOCATED, /**< Varint time, PLACE value, varint size, varint stack. */
	EVENT_FORM_MEMORY_FREED,     /**< Varint time, PLACE value. */
	EVENT_FORM_MEMORY_FREED_AT,  /**< Varint time, PLACE value, varint stack. */
	/** Varint time, varint duration, PLACE object and value, varint size, varint stack. */
	EVENT_FORM_MEMORY_RESIZED,
	EVENT_FORM_UNKNOWN /**< Reserved: varint value, varint time. */
} event_form;

/** The meaning of an optional field. */
typedef enum event_extra {
	EVENT_EXTRA_NONE,
	EVENT_EXTRA_VALUE,  /**< mprof_event::value. */
	EVENT_EXTRA_HANDLE, /**< mprof_event::value << 2 | mprof_event_detail::handle_type. */
	EVENT_EXTRA_CALLER, /**< mprof_event_detail::caller. */
	EVENT_EXTRA_STACK,  /**< mprof_event_detail::stack. */
	EVENT_EXTRA_OBJECT, /**< mprof_event_detail::object. */
	EVENT_EXTRA_COUNT
} event_extra;

/**
 * The optional fields of an event in their order: four bits for each #event_extra, the first one in the lowest bits.
 * EVENT_EXTRAS_NEXT() removes the first one.
 */
#define EVENT_EXTRAS(first, second, third) ((first) | (second) << 4 | (third) << 8)
#define EVENT_EXTRAS_FIRST(extras) ((extras)&15)
#define EVENT_EXTRAS_NEXT(extras) ((extras) >> 4)

/** Number of bits of the handle type in EVENT_EXTRA_HANDLE. */
#define EVENT_HANDLE_TYPE_BITS 2
#define EVENT_HANDLE_TYPE_MASK 3

/** The bit that is set in the code of freed memory with a call stack, and clear in the code without one. */
#define EVENT_MEMORY_FREED_AT_BIT 0x10

/** Number of bits of the generation in EVENT_FORM_COLLECTION. The bits above hold the number of the collection. */
#define EVENT_GENERATION_BITS 8
#define EVENT_GENERATION_MASK 255

typedef struct event_code {
	uint8_t kind;    /**< An #mprof_event_kind; #MPROF_EVENT_UNKNOWN for a byte that has none. */
	uint8_t flags;   /**< Bits of #mprof_event_flag. */
	uint8_t form;    /**< An #event_form. */
	uint16_t extras; /**< As EVENT_EXTRAS(). */
} event_code;

/** The event code of a stack section, in dialects that have it. */
#define EVENT_BYTE_STACK_SECTION 0x4f

/** Bits 3 to 7 of the byte of a packed event hold this many bits of an ID or of a time. */
#define EVENT_PACKED_BITS 5
#define EVENT_PACKED_MASK 31
#define EVENT_PACKED_SHIFT 3

/** Bits 0 to 2 of the byte: the packed kind, or the subject of the event. */
typedef enum event_group {
	EVENT_GROUP_ALLOCATION_FIXED = 0,
	EVENT_GROUP_ENTER = 1,
	EVENT_GROUP_IMPLICIT_LEAVE = 2,
	EVENT_GROUP_LEAVE = 3,
	EVENT_GROUP_ALLOCATION = 4,
	EVENT_GROUP_METHOD = 5,
	EVENT_GROUP_CLASS = 6,
	EVENT_GROUP_OTHER = 7,
	EVENT_GROUP_MASK = 7
} event_group;

/** Whether the form is that of a native memory event (section 4.7). */
static inline int event_form_is_memory(uint32_t form)
{
	return form >= EVENT_FORM_MEMORY_ALLOCATED && form <= EVENT_FORM_MEMORY_RESIZED;
}

/** Fills the table for all 256 bytes. \p directives are those in force, as #MPROF_DIRECTIVE_BIT. */
void event_codes_build(event_code table[256], const dialect_rules *rules, uint64_t directives);

/**
 * Returns the event code of a kind with its flags in a dialect; for a packed kind the byte with bits 3 to 7 clear, for
 * allocations the code with a size. Returns -1 if the dialect has no code for the kind. The result does not depend on
 * directives: event_codes_build() determines which codes the directives in force permit.
 */
int event_codes_byte(const dialect_rules *rules, uint32_t kind, uint32_t flags);

#endif
