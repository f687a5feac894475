/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_codes.h
 * \brief The event byte as data (doc/format.md, section 4, and doc/dialects.md), for both directions.
 */
#ifndef FORMAT_EVENT_CODES_H
#define FORMAT_EVENT_CODES_H

#include <mprof/format.h>

#include "format/dialect.h"

/** What stands behind an event byte. */
typedef enum event_form {
	EVENT_FORM_INVALID,          /**< The byte is damage. */
	EVENT_FORM_END,              /**< Byte 0: the list of events ends. */
	EVENT_FORM_PACKED_ID,        /**< Five low id bits in the byte; varint id >> 5, varint time. */
	EVENT_FORM_ALLOCATION,       /**< Five low id bits in the byte; varint id >> 5, varint size, extras. */
	EVENT_FORM_ALLOCATION_FIXED, /**< Five low id bits in the byte; varint id >> 5, extras. The class has its size. */
	EVENT_FORM_ALLOCATION_WHOLE, /**< Varint id, varint size, extras. */
	EVENT_FORM_ID,               /**< Varint id, varint time. */
	EVENT_FORM_DETAILED,         /**< Varint id, varint time, extras. */
	EVENT_FORM_VALUE,            /**< Varint value, varint time. */
	EVENT_FORM_COLLECTION,       /**< Varint id << 8 | value, varint time. */
	EVENT_FORM_RESIZE, /**< Varint value, varint id; the second a time in logs without numbers of collections. */
	EVENT_FORM_RESIZE_TIMED,  /**< Varint value, varint time, varint id. */
	EVENT_FORM_STACK_SECTION, /**< Varint value, varint count, and so many varints, each a frame. */
	EVENT_FORM_STRAY, /**< Varint time, varint without meaning: a part of the event before, and none itself. */
	EVENT_FORM_IMPLICIT_LEAVE,   /**< Five low time bits in the byte; varint time >> 5. */
	EVENT_FORM_MEMORY_ALLOCATED, /**< Varint time, PLACE value, varint size, varint stack. */
	EVENT_FORM_MEMORY_FREED,     /**< Varint time, PLACE value. */
	EVENT_FORM_MEMORY_FREED_AT,  /**< Varint time, PLACE value, varint stack. */
	EVENT_FORM_MEMORY_RESIZED, /**< Varint time, varint duration, PLACE object and value, varint size, varint stack. */
	EVENT_FORM_UNKNOWN         /**< Reserved: varint value, varint time. */
} event_form;

/** What a varint behind those that every event of a form has is. */
typedef enum event_extra {
	EVENT_EXTRA_NONE,
	EVENT_EXTRA_VALUE,  /**< mprof_event::value. */
	EVENT_EXTRA_HANDLE, /**< mprof_event::value << 2 | mprof_event_detail::handle_type. */
	EVENT_EXTRA_CALLER, /**< mprof_event_detail::caller. */
	EVENT_EXTRA_STACK,  /**< mprof_event_detail::stack. */
	EVENT_EXTRA_OBJECT, /**< mprof_event_detail::object. */
	EVENT_EXTRA_COUNT
} event_extra;

/** Extras in their order, four bits for each, the first one lowest: EVENT_EXTRAS_NEXT() leaves the others. */
#define EVENT_EXTRAS(first, second, third) ((first) | (second) << 4 | (third) << 8)
#define EVENT_EXTRAS_FIRST(extras) ((extras)&15)
#define EVENT_EXTRAS_NEXT(extras) ((extras) >> 4)

/** Bits of the type in EVENT_EXTRA_HANDLE. */
#define EVENT_HANDLE_TYPE_BITS 2
#define EVENT_HANDLE_TYPE_MASK 3

/** The byte of freed memory with a call stack, less that of freed memory without one. */
#define EVENT_MEMORY_FREED_AT_BIT 0x10

/** Bits of the generation in EVENT_FORM_COLLECTION; the number of the collection is above them. */
#define EVENT_GENERATION_BITS 8
#define EVENT_GENERATION_MASK 255

typedef struct event_code {
	uint8_t kind;    /**< An #mprof_event_kind; #MPROF_EVENT_UNKNOWN for a byte without one. */
	uint8_t flags;   /**< Bits of #mprof_event_flag. */
	uint8_t form;    /**< An #event_form. */
	uint16_t extras; /**< As EVENT_EXTRAS(). */
} event_code;

/** The byte of a stack section, in dialects that have it. */
#define EVENT_BYTE_STACK_SECTION 0x4f

/** Bits 3 to 7 of the byte hold this many bits of an id or of a time. */
#define EVENT_PACKED_BITS 5
#define EVENT_PACKED_MASK 31
#define EVENT_PACKED_SHIFT 3

/** Bits 0 to 2 of the byte: what the event is about, or how it is packed. */
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

/** Whether the form is that of an event of native memory (section 4.7). */
static inline int event_form_is_memory(uint32_t form)
{
	return form >= EVENT_FORM_MEMORY_ALLOCATED && form <= EVENT_FORM_MEMORY_RESIZED;
}

/** Fills the meaning of all bytes. \p directives are those in force, as #MPROF_DIRECTIVE_BIT. */
void event_codes_build(event_code table[256], const dialect_rules *rules, uint64_t directives);

/**
 * The byte of a kind with its flags in a dialect; of a packed kind the byte with bits 3 to 7 clear, and of allocations
 * that which has a size. -1 if the dialect has none. Whether its directives let it occur is told by
 * event_codes_build().
 */
int event_codes_byte(const dialect_rules *rules, uint32_t kind, uint32_t flags);

#endif
