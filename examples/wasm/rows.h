/* SPDX-License-Identifier: MIT */
/**
 * \file rows.h
 * \brief Defines how the rows of tables of a profile are counted and copied.
 */
#ifndef WASM_ROWS_H
#define WASM_ROWS_H

#include "table.h"

/** The rows of mprof_profile_get_<noun>(), whose number is that of mprof_profile_get_<noun>_count(). */
#define ROWS_OF(table, type, noun)                                                                                     \
	static size_t count_##table(const log_view *view, uint32_t which)                                              \
	{                                                                                                              \
		(void)which;                                                                                           \
		return mprof_profile_get_##noun##_count(view->profile);                                                \
	}                                                                                                              \
                                                                                                                       \
	static mprof_status get_##table(const log_view *view, uint32_t which, size_t index, void *row)                 \
	{                                                                                                              \
		type *stats = row;                                                                                     \
                                                                                                                       \
		_Static_assert(sizeof(type) <= TABLE_ROW_SIZE, "a row has no room for " #type);                        \
		(void)which;                                                                                           \
		stats->struct_size = sizeof(*stats);                                                                   \
		return mprof_profile_get_##noun(view->profile, (uint32_t)index, stats);                                \
	}

/** The struct of mprof_profile_get_<noun>(). */
#define ONE_ROW_OF(table, type, noun)                                                                                  \
	static size_t count_##table(const log_view *view, uint32_t which)                                              \
	{                                                                                                              \
		(void)which;                                                                                           \
		return view->profile != NULL;                                                                          \
	}                                                                                                              \
                                                                                                                       \
	static mprof_status get_##table(const log_view *view, uint32_t which, size_t index, void *row)                 \
	{                                                                                                              \
		type *stats = row;                                                                                     \
                                                                                                                       \
		_Static_assert(sizeof(type) <= TABLE_ROW_SIZE, "a row has no room for " #type);                        \
		(void)which;                                                                                           \
		stats->struct_size = sizeof(*stats);                                                                   \
		return index == 0 ? mprof_profile_get_##noun(view->profile, stats) : MPROF_ERR_ARGUMENT;               \
	}

#endif
