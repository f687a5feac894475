/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_arguments.h
 * \brief Copies events of types: their arguments may be IDs and durations, which the copy may have in another form.
 */
#ifndef CONVERT_COPY_ARGUMENTS_H
#define CONVERT_COPY_ARGUMENTS_H

#include "convert/converter_internal.h"

/** Makes room for the arguments of a batch of events. Returns 0 if out of memory. */
int copy_arguments_begin(mprof_converter *converter, const mprof_event *events, size_t count);

/**
 * Translates the type of an event, and the arguments that are IDs or, in another resolution, durations. \p detail
 * receives the detail if it changes.
 */
void copy_arguments(mprof_converter *converter, mprof_event *event, mprof_event_detail *detail);

#endif
