/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/typed_columns_decode.h
 * \brief Decodes the columns of events of types (doc/format.md, 3.22, directive 34).
 *
 * A log delivers the arguments of an event as bytes (4.9), wherever they are. Those that are in columns are therefore
 * put together first, for all events of a block.
 */
#ifndef FORMAT_EVENTS_TYPED_COLUMNS_DECODE_H
#define FORMAT_EVENTS_TYPED_COLUMNS_DECODE_H

#include "format/values/int_column.h"

#include <stddef.h>
#include <stdint.h>

/** An event whose arguments were in columns. */
typedef struct typed_event {
	uint32_t type;
	uint32_t start;  /**< Position of its arguments in typed_columns::bytes. */
	uint32_t length; /**< Their length, in bytes. */
} typed_event;

/** The columns of the events of types of a block. Positions are in bytes from the start of the content. */
typedef struct typed_columns {
	size_t event_count; /**< Events of types in columns. */
	size_t groups;      /**< Position of their groups, a column of numbers. */
	size_t groups_length;
	size_t shapes; /**< Position of the description of the groups. */
	size_t shapes_length;
	size_t directory;          /**< Position of the length of the first column of arguments. */
	size_t column_count;       /**< Columns of arguments. */
	size_t start;              /**< Position of the first one. */
	size_t length;             /**< Length of all of them. */
	size_t byte_count;         /**< Bytes of the arguments of all events. */
	size_t entry_count;        /**< Entries of all dictionaries. */
	size_t position;           /**< Events delivered so far. The owner changes it. */
	int is_damaged;            /**< Set by the owner: events from the first one of a type on are not decoded. */
	const typed_event *events; /**< Set by typed_columns_expand(), unless an argument is damaged. */
	const uint8_t *bytes;      /**< The arguments. */
} typed_columns;

/** The message for an invalid column. Static text. */
const char *typed_columns_fault_text(int_column_fault fault);

/**
 * Checks the groups and the sizes of all columns of arguments, and sets the counts. Returns NULL, or why they are
 * damaged, with the position of the fault.
 */
const char *typed_columns_check(typed_columns *columns, const uint8_t *content, size_t *fault);

/** The memory that typed_columns_expand() needs, in bytes; 0 if there are no events. */
size_t typed_columns_memory(const typed_columns *columns);

/**
 * Puts the arguments of all events together, in \p memory of the size above, aligned for any type, which must stay
 * there. The columns passed typed_columns_check().
 */
void typed_columns_expand(typed_columns *columns, const uint8_t *content, void *memory);

#endif
