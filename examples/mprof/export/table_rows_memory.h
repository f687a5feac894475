/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_rows_memory.h
 * \brief The rows of a log in the tables about memory.
 */
#ifndef EXPORT_TABLE_ROWS_MEMORY_H
#define EXPORT_TABLE_ROWS_MEMORY_H

#include "export/table_sink.h"
#include "report/report.h"

/** Adds allocations, native memory, collections, heap snapshots and handles. */
void table_rows_add_memory(table_sink *sink, const log_report *report);

#endif
