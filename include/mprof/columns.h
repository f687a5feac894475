/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/columns.h
 * \brief Fetches events as arrays by field, instead of an array of structs.
 *
 * A program that needs only some of the fields of events, or the same field of many events at once, reads them several
 * times as fast from arrays. Blocks of columns (section 3.22 of doc/format.md) contain the fields like this; only the
 * columns that are wanted are decoded. Events of other EVENTS blocks are delivered in the same way, without being
 * faster than as structs.
 *
 * Not stable before version 1.0: functions and structs may change with any release. A program that accepts that defines
 * MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_COLUMNS_H
#define MPROF_COLUMNS_H

#ifndef MPROF_UNSTABLE
#error "mprof/columns.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/format.h>
#include <mprof/parser.h>
#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/**
 * \brief The columns of events. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_column {
	MPROF_COLUMN_METHODS = 1,  /**< mprof_columns::methods. */
	MPROF_COLUMN_TIMES = 2,    /**< mprof_columns::times. */
	MPROF_COLUMN_CLASSES = 4,  /**< mprof_columns::classes. */
	MPROF_COLUMN_SIZES = 8,    /**< mprof_columns::sizes. */
	MPROF_COLUMN_CALLERS = 16, /**< mprof_columns::callers. */
	MPROF_COLUMN_STACKS = 32,  /**< mprof_columns::stacks. */
	MPROF_COLUMN_OBJECTS = 64  /**< mprof_columns::objects. */
} mprof_column;

/**
 * \brief The kind of an event, which determines the columns that have its values. Numbers are fixed; new ones may be
 * added.
 * \since 0.1
 */
typedef enum mprof_column_symbol {
	MPROF_SYMBOL_ENTER = 0,          /**< #MPROF_EVENT_METHOD_ENTER: methods, times. */
	MPROF_SYMBOL_LEAVE_IMPLICIT = 1, /**< #MPROF_EVENT_METHOD_LEAVE_IMPLICIT: times. */
	MPROF_SYMBOL_LEAVE = 2,          /**< #MPROF_EVENT_METHOD_LEAVE: methods, times. */
	MPROF_SYMBOL_ALLOCATION = 3,     /**< #MPROF_EVENT_ALLOCATION: classes, sizes, callers, stacks, objects. */
	MPROF_SYMBOL_ROW = 5             /**< Any event: rows. */
} mprof_column_symbol;

/**
 * \brief A batch of events as columns. The arrays are borrowed until the next call on the parser or the reader.
 * \since 0.1
 */
typedef struct mprof_columns {
	size_t struct_size;      /**< sizeof (mprof_columns), set by the caller. */
	size_t event_count;      /**< Number of events, and of their symbols. */
	size_t method_count;     /**< Number of enters and leaves with a method: length of methods. */
	size_t time_count;       /**< Number of enters and leaves: length of times. */
	size_t allocation_count; /**< Number of allocations: length of classes, sizes, callers, stacks and objects. */
	size_t row_count;        /**< Number of other events: length of rows. */
	uint64_t start_counter;  /**< Counter of the event before the batch, or the base counter of the block; 0 if
	                               times are not wanted. */
	const uint8_t *symbols;  /**< An #mprof_column_symbol for each event, in the order of the log. */
	const uint32_t *methods; /**< Methods; NULL if not wanted, like the arrays that follow except rows. */
	const uint64_t *times;   /**< Counters, as mprof_event::counter. Allocations have no time of their own. */
	const uint32_t *classes; /**< Classes of allocations. */
	const uint64_t *sizes;   /**< Sizes of allocated objects in bytes. */
	const uint32_t *callers; /**< Methods that allocate; 0 if not known. */
	const uint32_t *stacks;  /**< Call stacks of allocations; 0 if not known. */
	const uint64_t *objects; /**< Addresses of allocated objects; 0 if not known. */
	const mprof_event *rows; /**< The events of the symbol #MPROF_SYMBOL_ROW, with all fields. */
} mprof_columns;

/**
 * \brief Fetches the next events of the loaded EVENTS block as columns.
 *
 * They are those that mprof_parser_next_events() would fetch next; calls of both may be mixed. Events of the kinds that
 * have a symbol may be among the rows, too. Fields that are not wanted are not decoded: an allocation that omits its
 * size although its class does not define one is an error only if sizes are wanted.
 *
 * Not thread-safe, not async-signal-safe.
 * \param parser The parser.
 * \param wanted The columns to decode: bits of #mprof_column. 0: only symbols and rows.
 * \param columns Receives what fits its struct_size, which the caller sets. The arrays are borrowed until the next call
 * on the parser.
 * \return
 * - #MPROF_OK; mprof_columns::event_count is at least 1.
 * - #MPROF_END after the last event; all counts are 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or \p wanted has unknown bits.
 * - #MPROF_ERR_STATE if no EVENTS block is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_parser_next_columns(mprof_parser *parser, uint32_t wanted,
								 mprof_columns *columns);

/**
 * \brief Fetches the next events of the loaded EVENTS block as columns.
 *
 * They are those that mprof_reader_next_events() would fetch next; calls of both may be mixed. Events of the kinds that
 * have a symbol may be among the rows, too. Fields that are not wanted are not decoded: an allocation that omits its
 * size although its class does not define one is an error only if sizes are wanted.
 *
 * Implicit leaves (section 4.3) have no method, whatever mprof_reader_options::keep_implicit_leaves is: a program that
 * needs their methods keeps the methods that are open in each thread, or fetches events as structs. The reader does not
 * follow the calls of a block from which columns were fetched. The methods of implicit leaves in later blocks that are
 * fetched as structs are therefore 0, as after blocks that were not wanted, unless the index was built.
 *
 * Not thread-safe, not async-signal-safe.
 * \param reader The reader.
 * \param wanted The columns to decode: bits of #mprof_column. 0: only symbols and rows.
 * \param columns Receives what fits its struct_size, which the caller sets. The arrays are borrowed until the next call
 * on the reader.
 * \return
 * - #MPROF_OK; mprof_columns::event_count is at least 1.
 * - #MPROF_END after the last event; all counts are 0.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or \p wanted has unknown bits.
 * - #MPROF_ERR_STATE if no EVENTS block is loaded.
 * - #MPROF_ERR_MALFORMED after the events before the damage.
 * - #MPROF_ERR_TRUNCATED after the last complete event of a truncated block.
 * - #MPROF_ERR_LIMIT once, in place of #MPROF_END, if call stacks exceeded mprof_reader_options::max_names_memory: the
 *   events then have call stack 0 or that of a part of the call stack.
 * - #MPROF_ERR_MEMORY if the allocator refused; all counts are 0.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_reader_next_columns(mprof_reader *reader, uint32_t wanted,
								 mprof_columns *columns);

MPROF_END_DECLS

#endif
