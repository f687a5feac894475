/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_definitions.h
 * \brief Copies definitions: those in records, and those that the reader collects from events.
 */
#ifndef CONVERT_COPY_DEFINITIONS_H
#define CONVERT_COPY_DEFINITIONS_H

#include <mprof/convert.h>

mprof_status copy_records(mprof_converter *converter, const mprof_block *block);

/** Writes to the copy the definitions that the reader has collected from events since the last call. */
mprof_status copy_implied_definitions(mprof_converter *converter);

/**
 * Reads all events of the loaded block, writes the definitions in them to the copy, and rewinds: some dialects define
 * call stacks and native code between the events that use them. \p count receives the number of events, \p fault the
 * reason for their end, #MPROF_END if all could be read.
 */
mprof_status converter_scan_definitions(mprof_converter *converter, uint64_t *count, mprof_status *fault);

#endif
