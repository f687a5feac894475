/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_encoder.h
 * \brief The state of the encoders of events: of rows and of columns.
 */
#ifndef FORMAT_EVENT_ENCODER_H
#define FORMAT_EVENT_ENCODER_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/dialect.h"

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
	uint8_t can_lose;       /**< 1: the event may have an optional field that the log cannot contain. */
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

#endif
