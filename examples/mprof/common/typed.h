/* SPDX-License-Identifier: MIT */
/**
 * \file common/typed.h
 * \brief The arguments of events of types, as the log describes them.
 */
#ifndef COMMON_TYPED_H
#define COMMON_TYPED_H

#include "common/json.h"

#include <mprof.h>

/** Iterates over the arguments of an event. */
typedef struct typed_arguments {
	const mprof_reader *reader;
	const mprof_event_detail *detail;
	mprof_type_record type;
	uint32_t index;
	size_t position;
	int is_damaged; /**< The bytes do not contain what the type describes. */
} typed_arguments;

/** An argument that an event has. Its texts are borrowed from the reader and from the event. */
typedef struct typed_argument {
	mprof_argument_record definition;
	mprof_argument_value value;
} typed_argument;

/** Begins with the first argument. Returns 0 if the type of the event is not defined. */
int typed_begin(typed_arguments *arguments, const mprof_reader *reader, const mprof_event *event);

/** Gets the next argument. Returns 0 after the last one that the event has and the log describes. */
int typed_next(typed_arguments *arguments, typed_argument *argument);

/** Bytes of the event after the arguments that the log describes. */
size_t typed_rest(const typed_arguments *arguments);

/**
 * The name of an event: that of its type, unless an argument gives it another one, which \p name has room for. NULL if
 * the type is not defined.
 */
const char *typed_name(const mprof_reader *reader, const mprof_event *event, char *name, size_t size);

/** The text with an ID, which is borrowed from the reader; "" if it is not defined. */
const char *typed_text(const mprof_reader *reader, uint32_t id);

/** What a value is. */
typedef enum typed_class {
	TYPED_TEXT, /**< Or bytes. */
	TYPED_BOOLEAN,
	TYPED_ADDRESS, /**< A number that is not used in arithmetic. */
	TYPED_SIGNED,
	TYPED_UNSIGNED,
	TYPED_DOUBLE
} typed_class;

typed_class typed_class_of(const mprof_argument_record *argument);

/** The value as text; bytes in hexadecimal. Valid until the next call. */
const char *typed_value_text(const mprof_reader *reader, const typed_argument *argument);

/** Prints the value as a number, a text or a truth value, by its kind. */
void typed_value_json(const mprof_reader *reader, json_writer *json, const char *key, const typed_argument *argument);

#endif
