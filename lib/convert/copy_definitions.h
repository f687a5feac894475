/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_definitions.h
 * \brief Copies definitions: those in records, and those that the reader collects from events.
 */
#ifndef CONVERT_COPY_DEFINITIONS_H
#define CONVERT_COPY_DEFINITIONS_H

#include <mprof/convert.h>

#include "convert/converter_internal.h"

/** The #mprof_clock_function of the copy. \p user is the converter. After the last clock it repeats that one. */
void converter_read_clock(void *user, mprof_clock *clock);

/** Sets the clocks of the next block. */
void converter_set_clocks(mprof_converter *converter, const mprof_clock *start, const mprof_clock *end);

/** Sets the clocks of the next block to those of \p block, or to the last ones if \p block has none. */
void converter_set_clock(mprof_converter *converter, const mprof_block *block);

/** As converter_set_clock(), for a HEAP_DATA block, which may have four clocks. */
void converter_set_snapshot_clock(mprof_converter *converter, const mprof_block *block);

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
