/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_events.h
 * \brief Translates the threads, the methods, the classes and the other numbers of events of a log that is merged with
 * others.
 */
#ifndef CONVERT_MERGE_EVENTS_H
#define CONVERT_MERGE_EVENTS_H

#include "convert/converter_internal.h"

/** Translates a batch of events. Returns 0 if there is no memory. */
int merge_translate_events(mprof_converter *converter, size_t count);

/** Translates an argument of an event of a type that is no ID of a record. */
uint64_t merge_translate_argument(const mprof_converter *converter, const mprof_type_record *type,
				  const mprof_argument_record *argument, uint64_t number);

#endif
