/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_encode.h
 * \brief Encodes events (doc/format.md, section 4).
 */
#ifndef FORMAT_EVENTS_ENCODE_H
#define FORMAT_EVENTS_ENCODE_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/dialect.h"
#include "format/encode_buffer.h"

/**
 * The room, in bytes, that events_encode() keeps free after the events: for the end of the list, a CLOCK and a
 * checksum. A buffer passed to events_encode() must have it. A block that was started can therefore always be ended
 * without another allocation.
 */
#define EVENTS_TAIL_ROOM (1 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

/** What the ID of an event identifies. */
typedef enum event_id_space {
	EVENT_ID_NONE, /**< The event has no ID. */
	EVENT_ID_METHOD,
	EVENT_ID_CLASS
} event_id_space;

/** How an event of a kind with certain flags is written. */
typedef struct event_rule {
	uint8_t layout;         /**< An #event_layout; EVENT_LAYOUT_INVALID if it cannot be written. */
	uint8_t byte;           /**< The event code; the bits of a packed ID or time are 0. */
	uint8_t id_space;       /**< An #event_id_space. */
	uint8_t degraded;       /**< 1: the code is that of a more general kind (only if lossy). */
	uint8_t written_fields; /**< The fields of the detail that the log contains, a bit for each #event_field. */
	uint16_t fields;        /**< Optional fields, as EVENT_FIELDS(). */
} event_rule;

/** The rule for an event is at index kind + flags * EVENT_RULE_KINDS. */
#define EVENT_RULE_KINDS 256
#define EVENT_RULE_FLAGS 4
#define EVENT_RULE_COUNT (EVENT_RULE_KINDS * EVENT_RULE_FLAGS)

/** The definitions that events may refer to. All are borrowed, and may grow between calls. */
typedef struct event_definitions {
	const id_set *method_ids;
	const id_set *class_ids;
	const id_map *object_sizes;  /**< Fixed object sizes by class; empty without directive 18. */
	const uint32_t *stack_count; /**< Stack IDs from 1 to this number are defined. */
	int any;                     /**< 1: IDs that are not in these sets are permitted, too. */
} event_definitions;

typedef struct event_encoder {
	event_rule rules[EVENT_RULE_COUNT];
	event_definitions defined;
	mprof_writer_stats *stats; /**< Counts events that are left out or shortened. Borrowed. */
	uint64_t last_counter;     /**< Counter of the last event with a time. The owner initializes it to the base. */
	uint64_t last_address;     /**< Address in the last native memory event. The owner initializes it to 0. */
	uint32_t collection;       /**< Number of the latest collection; 0 if it has none. */
	uint32_t last_number;      /**< The highest collection number so far. */
	int has_counted;           /**< 1: the encoder assigned a number to a collection. */
	int is_numbered;           /**< 1: the caller numbered the latest collection that started. */
	int counts_collections;    /**< 1: collections without a number (0) are assigned the next one. */
	uint64_t written;          /**< Events written. Initialized to 0 by the owner. */
	int lossy;
} event_encoder;

/** Initializes an encoder for a dialect and the directives declared. \p defined is copied; \p stats is borrowed. */
void event_encoder_init(event_encoder *encoder, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats);

/** Maximum length of a stack section in bytes: a byte, and varints of 32 bits. */
#define EVENT_SECTION_ROOM(frames) (1 + (2 + (frames)) * 5)

/**
 * Appends a stack section: \p kept outermost frames of the previous stack stay, and \p frames replace the others,
 * innermost first.
 */
void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count);

/**
 * Appends events up to the first one that cannot be written. \p taken receives the number of events written or, if
 * lossy, left out. encode_buffer::status does not change.
 *
 * \return #MPROF_OK
 * \return #MPROF_ERR_UNDEFINED_ID: an event refers to an ID that is not defined
 * \return #MPROF_ERR_ARGUMENT: a handle is out of range, or a detail is invalid
 * \return #MPROF_ERR_UNSUPPORTED: the dialect or the directives cannot represent an event, and the encoder is not lossy
 * \return #MPROF_ERR_MEMORY: out of memory
 * \return #MPROF_ERR_LIMIT: the events exceed encode_buffer::limit
 */
mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken);

#endif
