/* SPDX-License-Identifier: MIT */
/**
 * \file report/view.h
 * \brief A table as a report shows it: which rows of a table of the profile, in which order, with which columns as text
 * and which fields in documents. Text, JSON, CSV and the keys of --sort are loops over these views.
 *
 * A field is named as in the description of its table (mprof_table_get_column()), or by its measure, as "@self". Its
 * unit decides how it is printed; a view states what differs from that. Functions of a view are for what is not a
 * field: joins with other tables, and figures that are computed.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "common/json.h"
#include "report/report.h"
#include "report/sections.h"
#include "shared/text.h"

/** The most columns, fields and keys of a view. */
#define VIEW_COLUMNS_MAX 12
#define VIEW_FIELDS_MAX 40
#define VIEW_SORTS_MAX 6

/** The rows of a view. */
typedef struct view_rows {
	unsigned char *rows; /**< The caller frees it. NULL, with a count of 0, if out of memory. */
	size_t count;
	size_t size; /**< Of a row, in bytes. */
} view_rows;

/** How a document has a field. */
typedef enum view_use {
	VIEW_END,    /**< After the last field. */
	VIEW_VALUE,  /**< As its unit states. */
	VIEW_NOT,    /**< The opposite of a truth value. */
	VIEW_ANY,    /**< Whether any of some bits is set. */
	VIEW_NAMED,  /**< Its name: of a class, a method, a kind; null for 0. */
	VIEW_STACK,  /**< The frames of the call stack. */
	VIEW_PRINT,  /**< By a function. */
	VIEW_HIDDEN, /**< Not at all. */
	VIEW_REST /**< All figures that no other element of the list names, so that a new figure is in the document. */
} view_use;

/** A field of the objects of a document. */
typedef struct view_field {
	view_use use;
	const char *field;
	const char *key;               /**< NULL: the name of the field. */
	const char *needs;             /**< A field: if it is 0, the value is null. NULL for none. */
	uint64_t bits;                 /**< For #VIEW_ANY. */
	const char *(*kind)(uint32_t); /**< The name of a kind. */
	void (*print)(const log_report *report, json_writer *json, const void *row, uint64_t value);
} view_field;

#define VIEW_FIELD(name)                                                                                               \
	{                                                                                                              \
		.use = VIEW_VALUE, .field = #name                                                                      \
	}
#define VIEW_MEASURE(name)                                                                                             \
	{                                                                                                              \
		.use = VIEW_VALUE, .field = "@" #name                                                                  \
	}
#define VIEW_FIELD_AS(name, key_of_it)                                                                                 \
	{                                                                                                              \
		.use = VIEW_VALUE, .field = #name, .key = key_of_it                                                    \
	}
#define VIEW_FIELD_NEEDS(name, needed)                                                                                 \
	{                                                                                                              \
		.use = VIEW_VALUE, .field = #name, .needs = #needed                                                    \
	}
#define VIEW_OPPOSITE(name, key_of_it)                                                                                 \
	{                                                                                                              \
		.use = VIEW_NOT, .field = #name, .key = key_of_it                                                      \
	}
#define VIEW_BITS(name, key_of_it, of_bits)                                                                            \
	{                                                                                                              \
		.use = VIEW_ANY, .field = #name, .key = key_of_it, .bits = of_bits                                     \
	}
#define VIEW_NAME(name, key_of_it)                                                                                     \
	{                                                                                                              \
		.use = VIEW_NAMED, .field = #name, .key = key_of_it                                                    \
	}
#define VIEW_KIND(name, key_of_it, kind_name)                                                                          \
	{                                                                                                              \
		.use = VIEW_NAMED, .field = #name, .key = key_of_it, .kind = kind_name                                 \
	}
#define VIEW_FRAMES                                                                                                    \
	{                                                                                                              \
		.use = VIEW_STACK, .field = "stack"                                                                    \
	}
#define VIEW_JOIN(name, function)                                                                                      \
	{                                                                                                              \
		.use = VIEW_PRINT, .field = #name, .print = function                                                   \
	}
#define VIEW_COMPUTED(function)                                                                                        \
	{                                                                                                              \
		.use = VIEW_PRINT, .print = function                                                                   \
	}
#define VIEW_WITHOUT(name)                                                                                             \
	{                                                                                                              \
		.use = VIEW_HIDDEN, .field = #name                                                                     \
	}
#define VIEW_ALL_OTHERS                                                                                                \
	{                                                                                                              \
		.use = VIEW_REST                                                                                       \
	}

/** How a column is formatted. */
typedef enum view_format {
	VIEW_BY_UNIT,
	VIEW_SHARE,   /**< The share of the whole, in percent. */
	VIEW_SECONDS, /**< A time, in seconds with a fixed number of digits. */
	VIEW_ERROR    /**< A standard error; "exact" if no samples are in the row. */
} view_format;

/** A column of a table of text. */
typedef struct view_column {
	int width; /**< Right-aligned; if negative, left-aligned after two blanks; 0 for the rest of the line. */
	const char *heading;
	const char *field;
	view_format format;
	const char *needs;     /**< A field: if it is 0, the text is the next one. NULL for none. */
	const char *otherwise; /**< NULL: "". */
	const char *(*kind)(uint32_t);
	/** Formats a figure: by the number of the field, or one that is not a field. */
	const char *(*text)(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE]);
	/** Prints the rest of the line with its line feed; NULL: by the unit of the field. */
	void (*print)(const log_report *report, const void *row);
	/** Whether the table has the column; NULL: it has. */
	int (*when)(const log_report *report, const view_rows *rows);
} view_column;

#define VIEW_COLUMN(of_width, of_heading, of_field)                                                                    \
	{                                                                                                              \
		.width = of_width, .heading = of_heading, .field = of_field                                            \
	}
#define VIEW_SHARE_COLUMN(of_field)                                                                                    \
	{                                                                                                              \
		.width = 8, .heading = "", .field = of_field, .format = VIEW_SHARE                                     \
	}
#define VIEW_COLUMN_BY(of_width, of_heading, ...)                                                                      \
	{                                                                                                              \
		.width = of_width, .heading = of_heading, __VA_ARGS__                                                  \
	}

/** A key of --sort. */
typedef struct view_sort {
	const char *name;
	/** Of rows that are equal in one field, the order stays; several fields are those of #report_view::order. */
	const char *field; /**< NULL: #compare. */
	int (*compare)(const void *left, const void *right);
} view_sort;

typedef struct report_view {
	report_table table;
	uint32_t source; /**< The table of the profile that the rows are of (#mprof_profile_table); 0 for none. */
	size_t row_size; /**< 0: that of the table of the profile. */
	/** Fields that a row has in addition to those of its table, up to one without a name; NULL for none. */
	const mprof_table_column *fields;
	/** Returns copies of all rows; NULL after a message, with a count of 0, if out of memory. NULL: of source. */
	void *(*read)(const log_report *report, size_t *count);
	const char *filters;   /**< Fields with blanks between them: the filters for their units apply to the rows. */
	const char *present;   /**< Fields: a row in which all are 0 is left out. NULL: all rows are there. */
	const char *remaining; /**< As present, once call sites are merged. */
	int needs_stack;       /**< A row without a call stack is left out. */
	int (*keep)(const log_report *report, const void *row);      /**< A further filter; NULL for none. */
	int (*keep_text)(const log_report *report, const void *row); /**< Rows to print as text; NULL: all. */
	/** Fields to sort by, the largest value first; after "<" the smallest. NULL: as in the profile. */
	const char *order;
	view_sort sorts[VIEW_SORTS_MAX];
	/** Fields that are equal in rows that one call site has; after "?", equally 0 or not. NULL: no call sites. */
	const char *merged;
	/** The frames of a call site; NULL: those of the field "stack". */
	const mprof_stack_frame *(*frames)(const log_report *report, const void *row, size_t *count, int *is_owned);
	/** Completes a sum of two call sites, of which the figures were added. NULL: no more is needed. */
	void (*add)(void *sum, const void *before, const void *row);

	const char *title;                     /**< As text. */
	view_column columns[VIEW_COLUMNS_MAX]; /**< Up to one without any of its fields. */
	size_t whole;                          /**< Of shares: the offset in #mprof_profile_totals. */
	void (*note)(const log_report *report, const view_rows *rows); /**< Prints below the title; NULL for nothing. */
	void (*below)(const log_report *report, const void *row);      /**< Prints below a row; NULL: the call stack. */
	int without_stacks;                                            /**< Nothing is printed below a row. */
	int shows_all;                                                 /**< As text, --top does not apply. */
	int shows_last;                                                /**< The last rows are shown, not the first. */

	view_field json[VIEW_FIELDS_MAX];
	int has_all_rows; /**< Documents have all rows, whatever --top is. */
	int has_last;     /**< The last rows are in a bounded document, not the first. */
	uint64_t (*size)(const log_report *report, const void *row, uint64_t most); /**< As row_bytes; NULL: that. */
	uint64_t row_bytes; /**< Estimated size of an object without its call stack; 0: not bounded. */
	report_part left_out;

	void (*print_text)(const log_report *report);              /**< NULL: the rows, if the view has a title. */
	void (*print_json)(log_report *report, json_writer *json); /**< NULL: the rows, if it has fields. */
} report_view;

/** Allocates rows for report_view::read; NULL after a message if out of memory. */
void *report_view_allocate(size_t count, size_t size);

/** Copies \p count rows, for report_view::read; NULL after a message, with a count of 0, if out of memory. */
void *report_view_copy(const void *rows, size_t size, size_t *count);

/** Whether an order was chosen for the rows of a view. */
int report_view_is_sorted(const log_report *report, const report_view *view);

/** Whether an element of a list of orders, of \p length bytes, is a key of this name in this section. */
int report_view_is_key(const char *text, size_t length, const char *section, const char *name);

/** The number that a row has in a field; 0 if there is no such field. */
uint64_t report_view_number(const report_view *view, const void *row, const char *field);

/** The rows of a view, in its order. */
view_rows report_view_collect(const log_report *report, const report_view *view);

/** Filters, merges and sorts rows that were read already. */
void report_view_arrange(const log_report *report, const report_view *view, view_rows *rows);

/** Prints a view as text; nothing if it has no rows. */
void report_view_text(const log_report *report, const report_view *view);

/** Prints rows under a title. \p whole: what shares are of; \p all: the number of rows of the table. */
void report_view_rows_text(const log_report *report, const report_view *view, const char *title, const view_rows *rows,
			   uint64_t whole);

/** Prints a view as an array of a document, without the rows that a bounded document has no room for. */
void report_view_json(log_report *report, json_writer *json, const report_view *view);

/** Prints rows of a view as an array. */
void report_view_rows_json(log_report *report, json_writer *json, const report_view *view, const view_rows *rows);

/** Prints the fields of a row into an object. */
void report_view_fields(const log_report *report, json_writer *json, const report_view *view, const void *row);

/** A line of a list of totals. */
typedef struct view_total {
	const char *label;
	const char *field;
	const char *needs; /**< A field: if it is 0, the line is left out. NULL for none. */
} view_total;

/** Prints a list of totals, up to one without a label. \p width: of the labels. */
void report_view_totals(uint32_t table, const void *row, const view_total *totals, int width);

/** Prints a label and a value of a list of totals. */
void report_view_total(const char *label, const char *value, int width);

#endif
