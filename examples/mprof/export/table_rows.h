/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_rows.h
 * \brief The rows of a log in the tables of an export. The figures are those of the report.
 */
#ifndef EXPORT_TABLE_ROWS_H
#define EXPORT_TABLE_ROWS_H

#include "export/table_sink.h"
#include "report/report.h"

/** Adds the rows of a log to all tables. */
void table_rows_add(table_sink *sink, const log_report *report);

#endif
