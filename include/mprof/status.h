/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/status.h
 * \brief Status codes of functions, positions of errors, and allocators.
 */
#ifndef MPROF_STATUS_H
#define MPROF_STATUS_H

#include <mprof/api.h>

MPROF_BEGIN_DECLS

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
 * \param status Any value.
 * \return Static text; "unknown status" for a value that this library does not have. Never NULL.
 * \since 0.1
 */
MPROF_API const char *mprof_status_get_text(mprof_status status);

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

MPROF_END_DECLS

#endif
