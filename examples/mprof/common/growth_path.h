/* SPDX-License-Identifier: MIT */
/**
 * \file common/growth_path.h
 * \brief Prints path shapes of a comparison of heap snapshots.
 */
#ifndef COMMON_GROWTH_PATH_H
#define COMMON_GROWTH_PATH_H

#include "common/json.h"

#include <mprof/heap.h>

#include <stdio.h>

/** A shape in one of the snapshots. */
mprof_heap_shape growth_shape(const mprof_heap_diff *diff, size_t snapshot, uint32_t index);

/** Prints the root and the fields to a file, such as "static Shop.orders -> items -> []". */
void growth_path_text(FILE *file, const mprof_heap_diff *diff, size_t snapshot, uint32_t index);

/** Prints the keys "root" and "steps". */
void growth_path_json(const mprof_heap_diff *diff, size_t snapshot, uint32_t index, json_writer *json);

#endif
