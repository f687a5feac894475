/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_cells.h
 * \brief Values of rows that are fields of the rows of a profile, or names of a log.
 */
#ifndef EXPORT_TABLE_CELLS_H
#define EXPORT_TABLE_CELLS_H

#include "export/table_sink.h"
#include "report/report.h"

/** The name of a class; null for 0. */
void table_class(table_sink *sink, const log_report *report, uint32_t id);

/** The full name of a method; null for 0. */
void table_method(table_sink *sink, const log_report *report, uint32_t id);

/** A call stack: a frame on each line, the innermost first; null if it is not known. */
void table_stack(table_sink *sink, const log_report *report, uint32_t stack);

/**
 * Adds the next columns, up to one that is not made from a field, or to the end of the row. \p row is a row of the
 * table of the profile.
 */
void table_fields(table_sink *sink, const log_report *report, const void *row);

/** Adds all rows of a table whose columns are all made from fields. */
void table_add_rows(table_sink *sink, const log_report *report, table_id table);

#endif
