/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/measured_rows.h
 * \brief The rows of any table of a profile, by what their columns are: what the row is about, its call site, and its
 * measures (#mprof_column_measure). Results that are made of several tables need no names of their columns.
 */
#ifndef MODEL_RESULTS_MEASURED_ROWS_H
#define MODEL_RESULTS_MEASURED_ROWS_H

#include <mprof/profile.h>

/** One more than the last measure. */
#define MEASURES (MPROF_MEASURE_SAMPLED + 1)

/** A row. What its table has no column for is 0. */
typedef struct measured_row {
	uint32_t kind; /**< An #mprof_sample_kind; 0 for a class. */
	uint32_t id;   /**< Of the class, the method or what has been sampled. */
	uint32_t stack;
	uint32_t call;
	uint32_t caller;
	uint32_t flags;
	uint64_t values[MEASURES];
} measured_row;

/** The value for a measure: that of another one if the table has no column of the first. */
static inline uint64_t measured_row_value(const measured_row *row, uint32_t table, uint32_t measure, uint32_t otherwise)
{
	return row->values[mprof_table_get_measure(table, measure) != NULL ? measure : otherwise];
}

/** Reads a row of a table. Returns 0 if there is no such row; all fields are 0 then. */
int measured_rows_get(const mprof_profile *profile, uint32_t table, size_t index, measured_row *row);

#endif
