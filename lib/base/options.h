/* SPDX-License-Identifier: MIT */
/**
 * \file base/options.h
 * \brief Structs that grow between releases: struct_size first, fields only appended.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <mprof/base.h>

/**
 * Sets a struct of a caller to 0, and then its first field, struct_size. For the mprof_..._init() functions. Does
 * nothing if \p input is NULL or \p struct_size has no room for itself.
 */
void struct_init(void *input, size_t struct_size);

/**
 * Copies options of a caller that may be older (shorter struct: the rest is 0) or newer (longer: refused unless the
 * unknown tail is all 0). \p input may be NULL: all 0. \p copy and \p input begin with a size_t struct_size.
 * Returns #MPROF_OK or #MPROF_ERR_ARGUMENT.
 */
mprof_status struct_copy_in(void *copy, const void *input, size_t copy_size);

/**
 * Fills a struct of a caller that may be older or newer: copies the fields within its struct_size, which is kept, and
 * sets fields unknown to this library to 0. Returns #MPROF_OK, or #MPROF_ERR_ARGUMENT if \p output is NULL or its
 * struct_size has no room for itself.
 */
mprof_status struct_copy_out(void *output, const void *copy, size_t copy_size);

#endif
