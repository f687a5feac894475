/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_codes.h
 * \brief The event codes as a table (doc/format.md, section 4, and doc/dialects.md), for decoding and encoding.
 */
#ifndef FORMAT_EVENTS_EVENT_CODES_H
#define FORMAT_EVENTS_EVENT_CODES_H

#include <mprof/format.h>

#include "format/values/dialect.h"

/**
 * The fields that follow an event code. "Fields" are the optional fields of an event, see EVENT_FIELDS(): they follow
 * the varints that each event of the layout has.
 */
typedef enum event_layout {
	EVENT_LAYOUT_INVALID,             /**< The byte is not an event code. */
	EVENT_LAYOUT_END,                 /**< Byte 0: end of the list of events. */
	EVENT_LAYOUT_PACKED_ID,           /**< Low five ID bits in the byte; varint id >> 5, varint time. */
	EVENT_LAYOUT_ALLOCATION,          /**< Low five ID bits in the byte; varint id >> 5, varint size, fields. */
	EVENT_LAYOUT_ALLOCATION_FIXED,    /**< Low five ID bits in the byte; varint id >> 5, fields. No size. */
	EVENT_LAYOUT_ALLOCATION_UNPACKED, /**< Varint id, varint size, fields. */
	EVENT_LAYOUT_ID,                  /**< Varint id, varint time. */
	EVENT_LAYOUT_DETAILED,            /**< Varint id, varint time, fields. */
	EVENT_LAYOUT_VALUE,               /**< Varint value, varint time. */
	EVENT_LAYOUT_COLLECTION,          /**< Varint id << 8 | value, varint time. */
	EVENT_LAYOUT_RESIZE, /**< Varint value, varint id; in logs without collection numbers the second is a time. */
	EVENT_LAYOUT_RESIZE_TIMED,       /**< Varint value, varint time, varint id. */
	EVENT_LAYOUT_STACK_SECTION,      /**< Varint value, varint count, then count varints, each a frame. */
	EVENT_LAYOUT_LEFTOVER,           /**< Rest of the previous event: varint time, varint without meaning. */
	EVENT_LAYOUT_IMPLICIT_LEAVE,     /**< Low five time bits in the byte; varint time >> 5. */
	EVENT_LAYOUT_MEMORY_ALLOCATED,   /**< Varint time, MEMORY_ADDRESS value, varint size, varint stack. */
	EVENT_LAYOUT_MEMORY_FREED,       /**< Varint time, MEMORY_ADDRESS value. */
	EVENT_LAYOUT_MEMORY_FREED_STACK, /**< Varint time, MEMORY_ADDRESS value, varint stack. */
	/** Varint time, varint duration, MEMORY_ADDRESS object and value, varint size, varint stack. */
	EVENT_LAYOUT_MEMORY_RESIZED,
	EVENT_LAYOUT_OBJECT_FREED,   /**< Varint id, varint time, MEMORY_ADDRESS object, varint value (the size). */
	EVENT_LAYOUT_OBJECT_RESIZED, /**< Varint id, varint time, MEMORY_ADDRESS object and value, varint size. */
	EVENT_LAYOUT_SIZED,          /**< Varint id, varint length, as many bytes (the arguments), varint time. */
	EVENT_LAYOUT_UNKNOWN         /**< Reserved: varint value, varint time. */
} event_layout;

/** The meaning of an optional field. */
typedef enum event_field {
	EVENT_FIELD_NONE,
	EVENT_FIELD_VALUE,  /**< mprof_event::value. */
	EVENT_FIELD_HANDLE, /**< mprof_event::value << 2 | mprof_event_detail::handle_type. */
	EVENT_FIELD_CALLER, /**< mprof_event_detail::caller. */
	EVENT_FIELD_STACK,  /**< mprof_event_detail::stack. */
	EVENT_FIELD_OBJECT, /**< mprof_event_detail::object. */
	EVENT_FIELD_COUNT
} event_field;

/**
 * The optional fields of an event in their order: four bits for each #event_field, the first one in the lowest bits.
 * EVENT_FIELDS_NEXT() removes the first one.
 */
#define EVENT_FIELDS(first, second, third) ((first) | (second) << 4 | (third) << 8)
#define EVENT_FIELDS_FIRST(fields) ((fields)&15)
#define EVENT_FIELDS_NEXT(fields) ((fields) >> 4)

/** Number of bits of the handle type in EVENT_FIELD_HANDLE. */
#define EVENT_HANDLE_TYPE_BITS 2
#define EVENT_HANDLE_TYPE_MASK 3

/** The bit that is set in the code of freed memory with a call stack, and clear in the code without one. */
#define EVENT_MEMORY_FREED_STACK_BIT 0x10

/** Number of bits of the generation in EVENT_LAYOUT_COLLECTION. The bits above hold the number of the collection. */
#define EVENT_GENERATION_BITS 8
#define EVENT_GENERATION_MASK 255

typedef struct event_code {
	uint8_t kind;    /**< An #mprof_event_kind; #MPROF_EVENT_UNKNOWN for a byte that has none. */
	uint8_t flags;   /**< Bits of #mprof_event_flag. */
	uint8_t layout;  /**< An #event_layout. */
	uint16_t fields; /**< As EVENT_FIELDS(). */
} event_code;

/** The event code of a stack section, in dialects that have it. */
#define EVENT_BYTE_STACK_SECTION 0x4f

/** The event code of an event of a type. */
#define EVENT_BYTE_TYPED 0x6f

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

/** Whether the layout is that of a native memory event (section 4.7). */
static inline int event_layout_is_memory(uint32_t layout)
{
	return layout >= EVENT_LAYOUT_MEMORY_ALLOCATED && layout <= EVENT_LAYOUT_MEMORY_RESIZED;
}

/** Whether the layout is that of an object that is freed or resized (section 4.10). */
static inline int event_layout_is_object(uint32_t layout)
{
	return layout == EVENT_LAYOUT_OBJECT_FREED || layout == EVENT_LAYOUT_OBJECT_RESIZED;
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
