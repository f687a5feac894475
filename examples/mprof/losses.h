/* SPDX-License-Identifier: MIT */
/**
 * \file losses.h
 * \brief What a dialect could not say of a log, by kind.
 */
#ifndef LOSSES_H
#define LOSSES_H

#include "json.h"

#include <mprof/writer.h>

/** A line for each kind on standard error; nothing if there is none. \p name: the file that was written. */
void losses_print(const mprof_writer_stats *stats, const char *name, mprof_dialect dialect);

/** An object with the key "left_out". */
void losses_print_json(const mprof_writer_stats *stats, json_writer *json);

#endif
