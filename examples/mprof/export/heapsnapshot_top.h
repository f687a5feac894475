/* SPDX-License-Identifier: MIT */
/**
 * \file export/heapsnapshot_top.h
 * \brief A heap snapshot in the format of V8 in which objects that retain little are collapsed.
 */
#ifndef EXPORT_HEAPSNAPSHOT_TOP_H
#define EXPORT_HEAPSNAPSHOT_TOP_H

#include "export/heap_ids.h"
#include "export/heapsnapshot_file.h"

/**
 * Writes at most \p top objects, those that retain the most. The others are nodes for each object that retains them and
 * class. \p saturated: adds the objects whose size does not fit. Returns 0 after a message if nothing can be written,
 * or if out of memory, then snapshot_file::has_failed is 1.
 */
int heapsnapshot_top_write(snapshot_file *file, const heap_ids *ids, uint64_t top, uint64_t *saturated);

#endif
