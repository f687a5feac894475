/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_json.h
 * \brief A live view as a JSON document.
 */
#ifndef TOP_JSON_H
#define TOP_JSON_H

#include "live/top_rows.h"

/** Prints a document. \p count: the number of rows of each table. \p is_line: on one line. */
void top_json_print(const live_profile *live, top_sort sort, size_t count, int is_line);

#endif
