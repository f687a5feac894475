/* SPDX-License-Identifier: MIT */
/**
 * \file diff/table_json.h
 * \brief The tables of the difference of two profiles as JSON.
 */
#ifndef DIFF_TABLE_JSON_H
#define DIFF_TABLE_JSON_H

#include "common/json.h"
#include "diff/diff.h"

/** Prints an array for each table. */
void table_json_print(const log_diff *diff, json_writer *json);

/** Prints the keys "change" and "match". \p sides, \p name: the field match of a row or a node, and of its name. */
void table_json_match(json_writer *json, uint32_t sides, uint32_t name);

#endif
