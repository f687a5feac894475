/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/base.h
 * \brief What all other headers need: linkage, versions, status codes and places of errors, allocators.
 *
 * What holds for all headers:
 *
 * - An *index* counts from 0, as a size_t. A *number*, such as that of a snapshot or of a collection, is one that users
 *   see and that options take: it counts from 1, and 0 means none or, where that is stated, the last. An ID is a
 *   uint32_t, and 0 means none.
 * - Functions return counts of what is in memory as size_t. Counts in structs, of what is in a log, are uint64_t, or
 *   uint32_t where a stated limit is lower.
 * - **Errors.** A function returns an #mprof_status if its work can fail, or if it can refuse anything but NULL for its
 *   object. What it refuses changes nothing, and nothing is ignored without a status: NULL for an object or a result, a
 *   value that is out of range or unknown, a reserved field that is not 0 and a bit without a meaning are
 *   #MPROF_ERR_ARGUMENT. Other functions return what they were asked for (0 or NULL if there is none, or for NULL), or
 *   nothing: those that set options to their defaults, those that free what only has memory, and those that record
 *   events of which every value has a meaning; sizes have 56 bits there, as many as addresses of a program.
 *   mprof_writer_destroy() and mprof_recorder_destroy() return a status, since they may have to end a log. What a
 *   parser and a reader both have returns the same in both.
 * - An event that was recorded but dropped, because there was no room for it, is no error: the function returns
 *   #MPROF_OK, and the event is counted as lost, in the log and in the statistics. While the world is stopped or in a
 *   signal handler a program only needs to know whether to go on: mprof_recorder_begin_heap(),
 *   mprof_recorder_record_sample() and mprof_recorder_record_typed_sample() return 1 or 0.
 * - **Opening.** A function that begins to read or write a log may fail for many reasons. mprof_reader_open_... and
 *   mprof_writer_open_... return the object in spite of an error, to be asked for its position and cause and to be
 *   destroyed; those of a recorder, which has threads, return none and store the error where the caller wants it.
 *   Functions named ..._create can only be passed invalid arguments or run out of memory, and return no object then.
 *   The close function of a sink or a source is called once in all cases.
 * - The statistics of writers and recorders have arrays by kind at their end. A caller with a small stack reserves
 *   less and passes the offset of the first array as struct_size; the library writes no more than that.
 */
#ifndef MPROF_BASE_H
#define MPROF_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MPROF_BEGIN_DECLS extern "C" {
#define MPROF_END_DECLS }
#else
#define MPROF_BEGIN_DECLS
#define MPROF_END_DECLS
#endif

#if defined(_WIN32) && defined(MPROF_BUILDING)
#define MPROF_API __declspec(dllexport)
#elif defined(_WIN32)
#define MPROF_API
#elif defined(__GNUC__)
#define MPROF_API __attribute__((visibility("default")))
#else
#define MPROF_API
#endif

#if defined(__GNUC__)
#define MPROF_NODISCARD __attribute__((warn_unused_result))
#else
#define MPROF_NODISCARD
#endif

MPROF_BEGIN_DECLS

/**
 * \name Versions
 * \{
 */

#define MPROF_VERSION_MAJOR 0 /**< Major version of these headers. \since 0.1 */
#define MPROF_VERSION_MINOR 1 /**< Minor version of these headers. \since 0.1 */
#define MPROF_VERSION_PATCH 0 /**< Patch level of these headers. \since 0.1 */

/**
 * \brief Version of these headers as text.
 * \since 0.1
 */
#define MPROF_VERSION_STRING "0.1.0"

/**
 * \brief One number that grows with each release: major, minor, patch, each in three decimal digits.
 * \since 0.1
 */
#define MPROF_VERSION_NUMBER (MPROF_VERSION_MAJOR * 1000000 + MPROF_VERSION_MINOR * 1000 + MPROF_VERSION_PATCH)

/**
 * \brief Gets the version of the library that is loaded, encoded like #MPROF_VERSION_NUMBER.
 *
 * Thread-safe and async-signal-safe.
 * \return The number; it differs from the macro if the program was compiled with the headers of another version.
 * \since 0.1
 */
MPROF_API uint32_t mprof_version_get_number(void);

/**
 * \brief Gets the version of the library that is loaded, as text.
 *
 * Thread-safe and async-signal-safe.
 * \return Static text such as "0.1.0".
 * \since 0.1
 */
MPROF_API const char *mprof_version_get_string(void);

/**
 * \brief Parts that a build of the library may omit.
 * \since 0.1
 */
typedef enum mprof_feature {
	MPROF_FEATURE_RECORDER = 1, /**< mprof/recorder.h is implemented; otherwise its functions exist and return
	                                 #MPROF_ERR_UNSUPPORTED or do nothing. */
	MPROF_FEATURE_GZIP = 2,     /**< Logs that are compressed as a whole can be read and written. */
	MPROF_FEATURE_DEFLATE = 3,  /**< Blocks that are compressed with deflate can be read and written. */
	MPROF_FEATURE_ZSTD = 4      /**< Blocks that are compressed with zstd can be read and written. */
} mprof_feature;

/**
 * \brief Whether the loaded library has a part.
 *
 * Thread-safe and async-signal-safe.
 * \param feature An #mprof_feature.
 * \return 1 if it is available, 0 if it is not or is unknown to this library.
 * \since 0.1
 */
MPROF_API int mprof_version_has_feature(uint32_t feature);

/**
 * \brief Gets the size of a public struct in the library that is loaded, so that a binding in another language can
 * check its declarations.
 *
 * Thread-safe.
 * \param name Name of the struct, such as "mprof_event".
 * \return Bytes; 0 for NULL and for a name that this library does not have.
 * \since 0.1
 */
MPROF_API size_t mprof_struct_get_size(const char *name);
/** \} */

/**
 * \name Status codes, places of errors and allocators
 * \{
 */

/**
 * \brief Result of a function. Values are fixed for ever and below 128; new ones are appended.
 *
 * Values below #MPROF_ERR_ARGUMENT are not errors.
 * \since 0.1
 */
typedef enum mprof_status {
	MPROF_OK = 0,    /**< Success. */
	MPROF_END = 1,   /**< End of an iteration: over the records of a block, or the blocks of a log. */
	MPROF_AGAIN = 2, /**< More bytes are needed and may arrive later: feed the parser, or call the reader again. */

	MPROF_ERR_ARGUMENT = 16, /**< The caller passed an argument that the contract forbids; nothing was changed. */
	MPROF_ERR_STATE = 17,    /**< The call is not allowed in the current state of the object; nothing was
	                              changed. */
	/**
	 * \brief The allocator refused. For an object that reads (a parser, a reader, a profile, a converter) this is
	 * final: the error is of severity #MPROF_SEVERITY_FATAL, and all later calls that would read return it again,
	 * since its state may be incomplete. Lookups still work. A writer can continue if the severity of its error
	 * permits it.
	 */
	MPROF_ERR_MEMORY = 18,
	MPROF_ERR_IO = 19,           /**< The system failed to read or write; see mprof_error::system_error. */
	MPROF_ERR_NOT_MPROF = 20,    /**< The bytes are not an mprof log. */
	MPROF_ERR_TRUNCATED = 21,    /**< The log ends inside a block. */
	MPROF_ERR_MALFORMED = 22,    /**< A block's content breaks its grammar. */
	MPROF_ERR_CHECKSUM = 23,     /**< A block's content does not match its checksum. */
	MPROF_ERR_LIMIT = 24,        /**< A length in the log exceeds a limit set by the caller. */
	MPROF_ERR_UNSUPPORTED = 25,  /**< The dialect cannot represent the content, or this library or build cannot read
	                                  or write it. */
	MPROF_ERR_UNDEFINED_ID = 26, /**< An ID is used before the block that defines it. */
	MPROF_ERR_REDEFINED_ID = 27, /**< An ID is defined a second time. */
	MPROF_ERR_NAME = 28,         /**< A name contains a NUL byte or is longer than the limit. */
	MPROF_ERR_INTERRUPTED = 29   /**< The caller interrupted a long operation; the same call continues it, or starts
	                                  it again: see #mprof_progress_function. */
} mprof_status;

/**
 * \brief The scope of an error.
 * \since 0.1
 */
typedef enum mprof_severity {
	MPROF_SEVERITY_NONE = 0,  /**< No error. */
	MPROF_SEVERITY_BLOCK = 1, /**< Reading: the rest of this block is lost, the next one can be read. Writing: the
	                               call had no effect, the next one can be made. */
	MPROF_SEVERITY_FATAL = 2  /**< Nothing more can be read or written through this object; a reader may be able to
	                               seek to another part of the log, except after #MPROF_ERR_MEMORY. */
} mprof_severity;

/**
 * \brief An error and its position. Filled by the error getter of each object.
 *
 * The caller sets struct_size before passing it; the library fills what fits. Offsets count bytes of the (uncompressed)
 * log.
 * \since 0.1
 */
typedef struct mprof_error {
	size_t struct_size;       /**< sizeof (mprof_error), set by the caller. */
	uint32_t status;          /**< An #mprof_status; #MPROF_OK when no error happened. */
	uint32_t severity;        /**< An #mprof_severity. */
	int32_t system_error;     /**< errno of the failed call, or 0. */
	uint32_t block_code;      /**< Code in the header of the block concerned, or 0. */
	uint64_t offset;          /**< Offset of the fault, in bytes from the start of the log. */
	uint64_t block_offset;    /**< Offset of the header of the block concerned, in bytes from the start of the
	                               log. */
	uint64_t offset_in_block; /**< Bytes from the start of the block's header to the fault. If the fault is in the
	                               decompressed content of a block, it counts the bytes of the block as if it were
	                               not compressed, and offset is that of the block. */
	const char *what;         /**< Static text that describes the error; never NULL. */
} mprof_error;

/**
 * \brief A short English text for a status.
 *
 * Thread-safe and async-signal-safe.
 * \param status An #mprof_status, or any other number.
 * \return Static text; "unknown status" for a value that this library does not have. Never NULL.
 * \since 0.1
 */
MPROF_API const char *mprof_status_get_text(uint32_t status);

/**
 * \brief Called by operations that may take long: it shows how far they are, and can stop them. Options named progress
 * are such functions, and progress_user is what they get as the first argument.
 *
 * It is called on the thread that called the operation. It must not call functions with the objects of the operation,
 * except mprof_reader_interrupt(), and must return: neither longjmp() nor an exception of C++ may leave it.
 *
 * An operation that **reads a log** counts bytes of the source; mprof_reader_options::progress describes when. If it is
 * stopped, what it has read is kept, and the same call continues.
 *
 * A **computation** counts steps, of which only the share in \p total has a meaning. \p done is 0 in the first call,
 * never decreases, and equals \p total in the last call, when the result is complete but not stored yet. In between,
 * the function is called at least once for each 16,384 steps, so about once in a millisecond. If it is stopped, also by
 * the last call, it frees what it has allocated; the object is as before, unless the operation states otherwise, and
 * the same call starts again.
 * \param user The progress_user of the options.
 * \param done How much has been done.
 * \param total How much there is to do; 0 if that is not known.
 * \return 0 to continue; otherwise the operation stops, and returns #MPROF_ERR_INTERRUPTED.
 * \since 0.1
 */
typedef int (*mprof_progress_function)(void *user, uint64_t done, uint64_t total);

/**
 * \brief The functions that an object gets its memory from. They must stay valid until the object is destroyed.
 *
 * A parser, writer, reader, profile or converter calls them only on the thread that calls the object. A recorder calls
 * them on its own threads and on any thread that calls the recorder, possibly at the same time, so they must be
 * thread-safe. Recording events, samples and heap snapshots never calls them.
 * \since 0.1
 */
typedef struct mprof_allocator {
	size_t struct_size; /**< sizeof (mprof_allocator), set by the caller. */
	/**
	 * \brief Returns \p size (never 0) bytes aligned for any type, or NULL.
	 */
	void *(*allocate)(void *user, size_t size);
	/**
	 * \brief Resizes \p memory (NULL: allocates) from \p old_size to \p new_size (never 0) bytes and returns its
	 * new address. On failure returns NULL, and \p memory stays valid and unchanged.
	 */
	void *(*reallocate)(void *user, void *memory, size_t old_size, size_t new_size);
	/**
	 * \brief Frees \p memory (never NULL) of \p size bytes.
	 */
	void (*release)(void *user, void *memory, size_t size);
	void *user; /**< Passed as the first argument. */
} mprof_allocator;
/** \} */

/**
 * \name Descriptions of tables
 * \{
 *
 * Results of the library are tables. What a table and a column of it are is data, so that a program can show or convert
 * any table: mprof_table_get_info() and mprof_table_get_column() describe those of a profile,
 * mprof_heap_table_get_info() and mprof_heap_table_get_column() those of a heap graph.
 */

/**
 * \brief How a field of a row is stored. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_column_type {
	MPROF_TYPE_UINT32 = 1, /**< A uint32_t. */
	MPROF_TYPE_UINT64 = 2, /**< A uint64_t. */
	MPROF_TYPE_INT64 = 3,  /**< An int64_t. */
	MPROF_TYPE_TEXT = 4    /**< A const char *, which may be NULL. Borrowed until the object that has
	                            the table is changed or destroyed. */
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
 * \brief Which figure of a row a column is: tables of different things have the same figures under different names.
 *
 * A program that shows, compares or adds up any table finds its columns by these (mprof_table_get_measure()). A table
 * has at most one column of each. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_column_measure {
	MPROF_MEASURE_NONE = 0,            /**< What the row is about, or a figure without a counterpart elsewhere. */
	MPROF_MEASURE_COUNT = 1,           /**< How many: calls, objects, waits. */
	MPROF_MEASURE_SELF = 2,            /**< The value of the row itself: its own time, bytes or samples. */
	MPROF_MEASURE_TOTAL = 3,           /**< The value with all that it calls, or keeps alive. */
	MPROF_MEASURE_FURTHER = 4,         /**< Something else that is counted: exceptions of a class, samples of a
	                                        thread, failures of waits. */
	MPROF_MEASURE_LIVE_COUNT = 5,      /**< How many of the count are alive. */
	MPROF_MEASURE_LIVE = 6,            /**< The value of these. */
	MPROF_MEASURE_PEAK_COUNT = 7,      /**< How many were alive at the peak. */
	MPROF_MEASURE_PEAK = 8,            /**< The value of these. */
	MPROF_MEASURE_TEMPORARY_COUNT = 9, /**< How many of the count were temporary. */
	MPROF_MEASURE_TEMPORARY = 10,      /**< The value of these. */
	MPROF_MEASURE_SAMPLED = 11         /**< Of how many samples count and value are estimates; 0: they are exact. */
} mprof_column_measure;

/**
 * \brief A column of a table: a field of its struct.
 *
 * With mprof_profile_options::raw_counters, the values of #MPROF_UNIT_NANOSECONDS and #MPROF_UNIT_TIME are counters.
 * \since 0.1
 */
typedef struct mprof_table_column {
	const char *name;  /**< The name of the field. */
	uint32_t type;     /**< An #mprof_column_type. */
	uint32_t unit;     /**< An #mprof_column_unit. */
	size_t offset;     /**< Of the field in the struct, in bytes. */
	size_t length;     /**< Number of elements of an array; 1 for all other fields. */
	uint32_t measure;  /**< An #mprof_column_measure. */
	uint32_t reserved; /**< 0. */
} mprof_table_column;

/**
 * \brief A table: rows that are structs of one type.
 * \since 0.1
 */
typedef struct mprof_table_info {
	const char *name;    /**< Its name, as "allocation_sites". */
	size_t row_size;     /**< Size of its struct, in bytes. */
	size_t column_count; /**< Number of its columns, without struct_size and reserved fields. */
} mprof_table_info;
/** \} */

#ifdef MPROF_UNSTABLE
/**
 * \name Descriptors that stay out of the way of the recorded program
 * \{
 *
 * Not stable before version 1.0: a program that accepts that defines MPROF_UNSTABLE before it includes the header.
 */

/**
 * \brief Moves a file descriptor, such as the socket of a client of the recorder, to a high number, closed by exec.
 *
 * A program may rely on the lowest numbers being free, and may need all numbers that its limit allows
 * (\c RLIMIT_NOFILE). If that limit is 1024 or lower, the new number is above it, for which the limit is raised by 64
 * for the length of a system call. The descriptors of recorders are moved in the same way. Moved at the same time as
 * another one, a descriptor gets one of the last 64 numbers below the limit instead. Has no effect on Windows.
 *
 * Thread-safe. Keeps errno. Must not be called in a signal handler.
 * \param fd The descriptor; it is closed if it is moved. A negative number is returned as it is, so that the result of
 * \c open() or \c socket() can be passed.
 * \return The new number; \p fd if it could not be moved.
 * \since 0.1
 */
MPROF_API int mprof_descriptor_move(int fd);
/** \} */
#endif

MPROF_END_DECLS

#endif
