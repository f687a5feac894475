/* SPDX-License-Identifier: MIT */
/**
 * \file export/csv_tables.h
 * \brief Tables of logs as text: CSV for spreadsheets and scripts, and tab-separated values for ClickHouse.
 */
#ifndef EXPORT_CSV_TABLES_H
#define EXPORT_CSV_TABLES_H

#include "export/target.h"

extern const export_target export_csv;
extern const export_target export_clickhouse;

#endif
