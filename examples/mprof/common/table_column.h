/* SPDX-License-Identifier: MIT */
/**
 * \file common/table_column.h
 * \brief Columns of the tables of a profile, by name.
 */
#ifndef TABLE_COLUMN_H
#define TABLE_COLUMN_H

#include <mprof/profile.h>

#include <stddef.h>

/** The column of a table (#mprof_profile_table) with a name of \p length bytes; NULL if there is none. */
const mprof_table_column *table_column_find(uint32_t table, const char *name, size_t length);

#endif
