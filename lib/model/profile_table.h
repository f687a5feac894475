/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile_table.h
 * \brief Gets rows of the tables of a profile, for callers that may have been compiled for smaller or larger structs.
 */
#ifndef MODEL_PROFILE_TABLE_H
#define MODEL_PROFILE_TABLE_H

#include <mprof/profile.h>

/** Maximum size of a row. */
#define PROFILE_ROW_SIZE 4096

typedef struct profile_table {
	size_t (*count)(const mprof_profile *profile); /**< Returns 0 if \p profile is NULL. */
	/** Stores a row in a public struct whose bytes are all 0. Does not set struct_size. */
	void (*store)(const mprof_profile *profile, size_t index, void *row);
	size_t row_size; /**< Size of the public struct, in bytes. */
} profile_table;

/** Initializes a profile_table; fails to compile if a row does not fit PROFILE_ROW_SIZE. */
#define PROFILE_TABLE(type, count, store)                                                                              \
	{                                                                                                              \
		(count), (store), sizeof(type) + 0 * sizeof(char[sizeof(type) <= PROFILE_ROW_SIZE ? 1 : -1])           \
	}

/**
 * Gets a row; \p given begins with its struct_size. Returns #MPROF_OK, or #MPROF_ERR_ARGUMENT if a pointer is NULL,
 * \p index is out of range, or struct_size has no room for itself.
 */
mprof_status profile_table_get(const profile_table *table, const mprof_profile *profile, size_t index, void *given);

/**
 * Gets up to \p capacity rows from \p first on, as an array with elements of \p row_size bytes, and sets the
 * struct_size of each. Returns #MPROF_OK, or #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p
 * row_size has no room for struct_size.
 */
mprof_status profile_table_get_many(const profile_table *table, const mprof_profile *profile, size_t first, void *rows,
				    size_t row_size, size_t capacity, size_t *count);

#endif
