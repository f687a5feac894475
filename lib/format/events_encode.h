/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_encode.h
 * \brief Events (doc/format.md, section 4) as bytes.
 */
#ifndef FORMAT_EVENTS_ENCODE_H
#define FORMAT_EVENTS_ENCODE_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/dialect.h"
#include "format/encode_buffer.h"

/**
 * Bytes that a buffer must have room for when it is passed to events_encode(), which leaves that room behind the
 * events: the end of the list, a CLOCK and a checksum. So a block that was begun can be ended without memory.
 */
#define EVENTS_TAIL_ROOM (1 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

/** What an event's id is. */
typedef enum event_id_space {
	EVENT_ID_NONE, /**< It has none. */
	EVENT_ID_METHOD,
	EVENT_ID_CLASS
} event_id_space;

/** How one kind with one set of flags is written. */
typedef struct event_rule {
	uint8_t form;     /**< An #event_form; EVENT_FORM_INVALID if it cannot be written. */
	uint8_t byte;     /**< Its byte, bits that are packed clear. */
	uint8_t id_space; /**< An #event_id_space. */
	uint8_t degraded; /**< 1: the byte says less than the kind (lossy alone). */
	uint8_t said;     /**< What is said of the event's detail, a bit for each #event_extra. */
	uint16_t extras;  /**< As EVENT_EXTRAS(). */
} event_rule;

/** Rules stand at kind + flags * EVENT_RULE_KINDS. */
#define EVENT_RULE_KINDS 256
#define EVENT_RULE_FLAGS 4
#define EVENT_RULE_COUNT (EVENT_RULE_KINDS * EVENT_RULE_FLAGS)

/** What events may name. All is borrowed, and may grow between calls. */
typedef struct event_definitions {
	const id_set *method_ids;
	const id_set *class_ids;
	const id_map *object_sizes;  /**< Of classes whose objects all have one; empty without directive 18. */
	const uint32_t *stack_count; /**< Call chains are 1 to so many. */
	int any;                     /**< 1: what is not in these sets may be named too. */
} event_definitions;

typedef struct event_encoder {
	event_rule rules[EVENT_RULE_COUNT];
	event_definitions defined;
	mprof_writer_stats *stats; /**< Counts what is left out or shortened. Borrowed. */
	uint64_t last_counter;     /**< Of the last event written that has a time; first the base. Set by the owner. */
	uint64_t last_address;     /**< Of the last event of native memory; first 0. Set by the owner. */
	uint32_t collection;       /**< Number of the collection that events were told of last, where they have one. */
	uint32_t last_number;      /**< The highest of these numbers. */
	int has_counted;           /**< 1: it numbered one. */
	int is_told;               /**< 1: the caller numbered the last one that began. */
	int counts_collections;    /**< 1: collections without a number get the next one, since 0 is none. */
	uint64_t written;          /**< Events written. Set to 0 by the owner. */
	int lossy;
} event_encoder;

/** Prepares an encoder for a dialect with the directives declared. */
void event_encoder_init(event_encoder *encoder, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats);

/** The most bytes of a stack section: a byte, and varints of 32 bits. */
#define EVENT_SECTION_ROOM(frames) (1 + (2 + (frames)) * 5)

/** Appends a stack section: so many of the outermost frames stay, and these go on them, the innermost first. */
void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count);

/**
 * Appends events. \p taken receives how many were written or left out: those in front of the first one that could not
 * be. Returns #MPROF_OK; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for a handle that does not fit;
 * #MPROF_ERR_UNSUPPORTED unless lossy; #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT. The buffer's status is left as it was.
 */
mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken);

#endif
