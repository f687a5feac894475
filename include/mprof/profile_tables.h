/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_tables.h
 * \brief The tables of a profile: which there are, their columns, and functions that read the rows of any of them.
 * Included by mprof/profile.h.
 *
 * The rows of a table are structs of one type, which #mprof_profile_table names for each table. A program that
 * wants one table reads its rows into that struct; one that shows or converts any table reads them into memory of
 * mprof_table_info::row_size bytes, aligned as for malloc(), and finds their fields by mprof_table_get_column().
 *
 * Not stable before version 1.0, like mprof/profile.h.
 */
#ifndef MPROF_PROFILE_TABLES_H
#define MPROF_PROFILE_TABLES_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief The tables. Values are fixed; new ones are appended, without gaps.
 *
 * Where no order is stated, rows are in no particular order.
 * \since 0.1
 */
typedef enum mprof_profile_table {
	MPROF_TABLE_METHODS = 1,            /**< #mprof_method_stats: methods that have statistics. */
	MPROF_TABLE_SAMPLES = 2,            /**< #mprof_sample_stats: methods and native functions that samples hit, as
	                                         of the last mprof_profile_finish(). */
	MPROF_TABLE_CLASSES = 3,            /**< #mprof_class_stats: classes that have statistics. */
	MPROF_TABLE_THREADS = 4,            /**< #mprof_thread_stats: threads, in order of first appearance. */
	MPROF_TABLE_MONITORS = 5,           /**< #mprof_monitor_stats: classes whose monitors threads waited for. */
	MPROF_TABLE_ALLOCATION_SITES = 6,   /**< #mprof_allocation_site: call sites of allocations that have a known
	                                         call stack, method or call tree node. */
	MPROF_TABLE_MONITOR_SITES = 7,      /**< #mprof_monitor_site: combinations of class and call site of waits. */
	MPROF_TABLE_TOTALS = 8,             /**< #mprof_profile_totals: one row. */
	MPROF_TABLE_CALLS = 9,              /**< #mprof_call_stats: nodes of the call tree, the root first; empty if no
	                                         tree is kept. */
	MPROF_TABLE_METHOD_CODES = 10,      /**< #mprof_method_code: pairs of a method and an origin of its code; empty
	                                         if the log has no sizes of code. */
	MPROF_TABLE_DURATIONS = 11,         /**< #mprof_call_durations: methods of which calls have ended, as of the
	                                         blocks added; empty if durations are not measured. */
	MPROF_TABLE_SAMPLE_NODES = 12,      /**< #mprof_sample_node: nodes of the tree of samples, the root first, as of
	                                         the last mprof_profile_finish(). */
	MPROF_TABLE_EXCEPTION_SITES = 13,   /**< #mprof_exception_site: call sites of exceptions that have a known call
	                                         stack or call tree node. */
	MPROF_TABLE_EXCEPTION_CLAUSES = 14, /**< #mprof_exception_clause: pairs of an exception clause that ran and a
	                                         class of exceptions. */
	MPROF_TABLE_HEAP_SHOTS = 15,        /**< #mprof_heap_shot: heap snapshots, in the order of the log. */
	MPROF_TABLE_HEAP_SUMMARIES = 16,    /**< #mprof_heap_summary: rows of all heap summaries, in the order of the
	                                         log. */
	MPROF_TABLE_HANDLES = 17,           /**< #mprof_handle_stats: combinations of class and type of the handles that
	                                         were created. */
	MPROF_TABLE_HANDLE_SITES = 18,      /**< #mprof_handle_site: combinations of class, type and call stack of the
	                                         handles that were created. */
	MPROF_TABLE_FINALIZERS = 19,        /**< #mprof_finalizer_stats: classes whose finalizers ran. */
	MPROF_TABLE_AGES = 20,              /**< #mprof_age_stats: one row, whose fields are all 0 without
	                                         mprof_profile_options::with_ages. */
	MPROF_TABLE_AGE_CLASSES = 21,       /**< #mprof_age_class: classes with objects, as of the last
	                                         mprof_profile_finish(). */
	MPROF_TABLE_AGE_SITES = 22,         /**< #mprof_age_site: call sites with objects. */
	MPROF_TABLE_HEAP_CHANGES = 23,      /**< #mprof_heap_change_entry: the history of the heap, in the order of
	                                         time; empty without mprof_profile_options::with_ages. */
	MPROF_TABLE_TRACED_ADDRESSES = 24,  /**< #mprof_traced_address: addresses that the traced object had, in the
	                                         order of time; the first one is that of the allocation. Empty if no
	                                         object is traced, or it was not allocated yet. If max_memory was
	                                         reached, the latest are missing. */
	MPROF_TABLE_MEMORY = 25,            /**< #mprof_memory_stats: one row, as of the last mprof_profile_finish(). */
	MPROF_TABLE_MEMORY_SITES = 26,      /**< #mprof_memory_site: call stacks that allocated native memory; the last
	                                         one is the site of folded call stacks, if there are any. Their indices
	                                         may change when events are added. */
	MPROF_TABLE_MEMORY_SIZES = 27,      /**< #mprof_memory_size: size classes, from the smallest up to that of the
	                                         largest block; some may have no blocks. */
	MPROF_TABLE_COLLECTIONS = 28,       /**< #mprof_collection: garbage collections, in order. */
	MPROF_TABLE_HEAP_RESIZES = 29,      /**< #mprof_heap_resize: changes of the heap's size, in order. */
	MPROF_TABLE_MONITOR_HOLDERS = 30,   /**< #mprof_monitor_holder: pairs of a class and a thread that held monitors
	                                         of that class. */
	MPROF_TABLE_METRICS = 31,           /**< #mprof_metric_stats: metrics, in the order of the log. */
	MPROF_TABLE_MARKS = 32,             /**< #mprof_mark: markers, in the order of the log. */
	MPROF_TABLE_PROPERTIES = 33, /**< #mprof_profile_property: properties in SESSION blocks, in the order of the
	                                         log. */
	MPROF_TABLE_ELEMENTS = 34,   /**< #mprof_element_stats: code units, in order of loading. */
	MPROF_TABLE_PAUSES = 35,     /**< #mprof_pause: pauses that overlap the window, in the order of their
	                                         starts, as of the last mprof_profile_finish(); empty without a
	                                         timeline. */
	MPROF_TABLE_TIMELINE = 36    /**< #mprof_timeline: one row, whose fields are all 0 without a
	                                         timeline. */
} mprof_profile_table;

/**
 * \brief How a field of a row is stored. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_column_type {
	MPROF_TYPE_UINT32 = 1, /**< A uint32_t. */
	MPROF_TYPE_UINT64 = 2, /**< A uint64_t. */
	MPROF_TYPE_INT64 = 3,  /**< An int64_t. */
	MPROF_TYPE_TEXT = 4    /**< A const char *, which may be NULL. Borrowed until the profile is changed or
	                            destroyed. */
} mprof_column_type;

/**
 * \brief What the values of a column are. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_column_unit {
	MPROF_UNIT_COUNT = 1,       /**< A number of things that the name of the column states. */
	MPROF_UNIT_BYTES = 2,       /**< A number of bytes. */
	MPROF_UNIT_NANOSECONDS = 3, /**< A duration. */
	MPROF_UNIT_TIME = 4,        /**< A time, in nanoseconds since the start of the session. */
	MPROF_UNIT_METHOD = 5,      /**< The ID of a method, 0 for none. */
	MPROF_UNIT_CLASS = 6,       /**< The ID of a class, 0 for none. */
	MPROF_UNIT_THREAD = 7,      /**< The ID of a thread: all 64 bits have a meaning. */
	MPROF_UNIT_STACK = 8,       /**< The ID of a call stack, for mprof_reader_lookup_stack(); 0 for none. */
	MPROF_UNIT_CALL = 9,        /**< A row of #MPROF_TABLE_CALLS; 0 for none, or for the root. */
	MPROF_UNIT_ROW = 10,        /**< A row of the same table; 0 for none, or for the root. */
	MPROF_UNIT_ADDRESS = 11,    /**< An address: all 64 bits have a meaning. */
	MPROF_UNIT_NUMBER = 12,     /**< An ID or a number of something else, as documented for the field. */
	MPROF_UNIT_KIND = 13,       /**< A value of the enum that is documented for the field. */
	MPROF_UNIT_BITS = 14,       /**< Bits of the enum that is documented for the field. */
	MPROF_UNIT_BOOLEAN = 15,    /**< 0 or 1. */
	MPROF_UNIT_TEXT = 16,       /**< A text in UTF-8. */
	MPROF_UNIT_VALUE = 17       /**< A value of a metric, which its flags describe. */
} mprof_column_unit;

/**
 * \brief A column of a table: a field of its struct.
 *
 * With mprof_profile_options::raw_counters, the values of #MPROF_UNIT_NANOSECONDS and #MPROF_UNIT_TIME are counters.
 * \since 0.1
 */
typedef struct mprof_table_column {
	const char *name; /**< The name of the field. */
	uint32_t type;    /**< An #mprof_column_type. */
	uint32_t unit;    /**< An #mprof_column_unit. */
	size_t offset;    /**< Of the field in the struct, in bytes. */
	size_t length;    /**< Number of elements of an array; 1 for all other fields. */
} mprof_table_column;

/**
 * \brief A table.
 * \since 0.1
 */
typedef struct mprof_table_info {
	const char *name;    /**< Its name, as "allocation_sites". */
	size_t row_size;     /**< Size of its struct, in bytes. */
	size_t column_count; /**< Number of its columns, without struct_size and reserved fields. */
} mprof_table_info;

/**
 * \brief Gets the description of a table.
 *
 * Thread-safe and async-signal-safe. Tables are described without gaps from 1 on.
 * \param table An #mprof_profile_table.
 * \return The description, which is constant; NULL if \p table is not a table of this version of the library.
 * \since 0.1
 */
MPROF_API const mprof_table_info *mprof_table_get_info(uint32_t table);

/**
 * \brief Gets the description of a column.
 *
 * Thread-safe and async-signal-safe.
 * \param table An #mprof_profile_table.
 * \param column 0 to mprof_table_info::column_count - 1.
 * \return The description, which is constant; NULL if \p table or \p column is out of range.
 * \since 0.1
 */
MPROF_API const mprof_table_column *mprof_table_get_column(uint32_t table, size_t column);

/**
 * \brief Number of rows of a table.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \return The count; 0 if \p profile is NULL or \p table is not a table.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_row_count(const mprof_profile *profile, uint32_t table);

/**
 * \brief Gets a row of a table.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \param index 0 to mprof_profile_get_row_count() - 1.
 * \param row A struct of the table, which begins with its struct_size, set by the caller. Receives what fits.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not a table, \p index is out of range, or struct_size is too
 *   small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_row(const mprof_profile *profile, uint32_t table, size_t index, void *row);

/**
 * \brief Gets several rows of a table in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param table An #mprof_profile_table.
 * \param first Index of the first row to get, 0 to mprof_profile_get_row_count().
 * \param rows Array of structs of the table that receives the rows. The function sets the struct_size of each.
 * \param row_size The size of the struct as the caller was compiled: the distance in bytes from one element to the
 * next. Fields that do not fit are left out.
 * \param capacity Number of elements in \p rows.
 * \param count Receives the number of rows stored: less than \p capacity only at the end of the table, 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not a table, \p first is past the end, or \p row_size is
 *   smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_rows(const mprof_profile *profile, uint32_t table, size_t first, void *rows,
					      size_t row_size, size_t capacity, size_t *count);

MPROF_END_DECLS

#endif
