/* SPDX-License-Identifier: MIT */
/**
 * \file rows.h
 * \brief Defines how the rows of tables are counted and copied.
 *
 * The arguments of these macros are expressions that can use view, which, index, and row, a pointer to the struct.
 */
#ifndef WASM_ROWS_H
#define WASM_ROWS_H

#include "table.h"

/** A table of \p number rows, which \p get copies. */
#define ROWS(table, type, number, get)                                                                                 \
	static size_t count_##table(const log_view *view, uint32_t which)                                              \
	{                                                                                                              \
		(void)which;                                                                                           \
		return (size_t)(number);                                                                               \
	}                                                                                                              \
                                                                                                                       \
	static mprof_status get_##table(const log_view *view, uint32_t which, size_t index, void *room)                \
	{                                                                                                              \
		type *row = room;                                                                                      \
                                                                                                                       \
		_Static_assert(sizeof(type) <= TABLE_ROW_SIZE, "a row has no room for " #type);                        \
		(void)which;                                                                                           \
		return get;                                                                                            \
	}

/** A table whose rows begin with their size. */
#define SIZED_ROWS(table, type, number, get) ROWS(table, type, number, (row->struct_size = sizeof(*row), (get)))

/** A table of one row if \p exists, else of none. */
#define ONE_ROW(table, type, exists, get)                                                                              \
	SIZED_ROWS(table, type, exists, index == 0 && (exists) ? (get) : MPROF_ERR_ARGUMENT)

#endif
