/* SPDX-License-Identifier: MIT */
/**
 * \file report/heap_holder.h
 * \brief What holds the objects by which the heap of a log grew.
 */
#ifndef HEAP_HOLDER_H
#define HEAP_HOLDER_H

#include "report/report.h"

/**
 * Compares the first with the last heap snapshot, for which it reads the log again. Writes the path that holds most
 * additional memory and returns by how many bytes; writes nothing if the log is not a file, the snapshots are too large
 * for a report that is to come at once, or the path is not known.
 */
uint64_t heap_holder_find(const log_report *report, char *text, size_t size);

#endif
