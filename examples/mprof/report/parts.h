/* SPDX-License-Identifier: MIT */
/**
 * \file report/parts.h
 * \brief Titles, names and the sizes of documents, for all parts of a report.
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "common/json.h"
#include "report/report.h"

/** Comparison for sorting: the larger number first. */
int report_larger_first(uint64_t left, uint64_t right);

/** The smallest number that is at least \p share of \p whole. The share is in units of 1 / #REPORT_WHOLE. */
uint64_t report_least(uint64_t share, uint64_t whole);

/** The value of a property of the session; NULL if it has none. Borrowed from the profile. */
const char *report_property(const log_report *report, const char *key);

/** Prints a title or a heading in the words that the log states: "Native memory" may be "Memory of Python" there. */
void report_own_words(const log_report *report, const char *text);

/** The number of titles printed so far: a part that has content prints one. */
size_t report_title_count(void);

/** Prints the title of a table, with a note if not all rows are shown or it ignores filters. */
void report_title(const log_report *report, const char *title, size_t shown, size_t all, report_table table);

/** Maximum size of a part of a bounded document, in bytes; UINT64_MAX for other documents. */
uint64_t report_room(const log_report *report);

/** Subtracts the size of a row from the remaining room of its part; returns 0 if the room is too small. */
int report_takes_room(uint64_t *room, uint64_t size);

/** The last component of a path. */
const char *report_file_name(const char *path);

/** Prints a name as the rest of a line, "(unknown)" for NULL. */
void report_name(const char *name);
void report_method(const log_report *report, uint32_t id);
void report_class(const log_report *report, uint32_t id);

/** Prints a position in the source; null for a file or a line that is not known. */
void report_json_position(json_writer *json, const char *file, uint32_t line);

#endif
