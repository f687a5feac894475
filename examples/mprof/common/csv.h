/* SPDX-License-Identifier: MIT */
/**
 * \file common/csv.h
 * \brief Prints the tables of a JSON document as comma-separated values (RFC 4180).
 *
 * Each array of objects is a table, and so is each object in the document itself. An array inside a row is a table of
 * its own, named like "heap_shots.classes", whose first column has the value of the first column of its row. Rows of a
 * tree are in one table, with the number of each row and that of its parent.
 */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include "common/json.h"

/**
 * What a text begins with that a spreadsheet would take for a formula, as a name in an untrusted log could be: the
 * spreadsheet then shows the text. Numbers are never changed.
 */
#define CSV_TEXT_MARK '\''

/** Whether a spreadsheet would take a cell for a formula: it begins with =, +, -, @ or a control character. */
int csv_is_formula(const char *text, size_t length);

typedef struct csv_writer csv_writer;

/**
 * Starts to print to standard output. \p table: the only table to print; NULL for all tables, each with its name in the
 * first column, and with an empty line between them. Its name ends at a space, and is borrowed. Returns NULL if out of
 * memory.
 */
csv_writer *csv_create(const char *table);

/** Makes \p json pass its document to the writer. */
void csv_init_json(csv_writer *csv, json_writer *json);

/** Frees the writer. Returns 0 if the document did not have the requested table with at least one row. */
int csv_destroy(csv_writer *csv);

#endif
