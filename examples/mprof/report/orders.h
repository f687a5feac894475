/* SPDX-License-Identifier: MIT */
/**
 * \file report/orders.h
 * \brief The orders that the rows of tables can have, by name.
 */
#ifndef REPORT_ORDERS_H
#define REPORT_ORDERS_H

#include <stddef.h>

/** Tables whose order can be chosen. Some sections have several. */
typedef enum order_table {
	ORDER_METHODS,
	ORDER_SAMPLES,
	ORDER_CLASSES,
	ORDER_ALLOCATION_SITES,
	ORDER_HEAP_CLASSES,
	ORDER_HANDLES,
	ORDER_MONITORS,
	ORDER_MONITOR_SITES,
	ORDER_MONITOR_HOLDERS,
	ORDER_FINALIZERS,
	ORDER_EXCEPTIONS,
	ORDER_EXCEPTION_SITES,
	ORDER_CODE,
	ORDER_THREADS,
	ORDER_AGE_TYPES,
	ORDER_AGE_BACKTRACES,
	ORDER_AGE_TEMPORARIES,
	ORDER_AGE_ALIVE,
	ORDER_TABLES
} order_table;

/**
 * Checks a list of orders with commas between them: KEY for all tables that have it, or SECTION:KEY. Returns 0 after a
 * message if one does not exist.
 */
int orders_check(const char *list);

/** Whether the list has an order for a table. */
int orders_have(const char *list, order_table table);

/** The first key of the list that a table has; NULL if none. */
const char *orders_key(const char *list, order_table table);

/**
 * Sorts the rows of a table, the largest first, if the list has an order for it; equal rows keep their order. \p list:
 * NULL for none. \p size: of a row, in bytes. Returns 0 if out of memory; the rows are then not sorted.
 */
int orders_apply(const char *list, order_table table, void *rows, size_t count, size_t size);

#endif
