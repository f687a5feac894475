/* SPDX-License-Identifier: MIT */
/**
 * \file io/sink.h
 * \brief Where a log goes: a file, a descriptor, memory, the caller's functions, or compressed into one of these.
 *
 * Functions return 0 or an errno value. After a failure of sink_write() only sink_close() is called.
 */
#ifndef IO_SINK_H
#define IO_SINK_H

#include <mprof/writer.h>

#include "base/allocator.h"

typedef struct log_sink log_sink;

/** What a kind of sink does. Functions that are NULL have nothing to do. */
typedef struct sink_operations {
	/** Takes whole blocks, or runs of them. */
	int (*write)(log_sink *self, const void *bytes, size_t length);
	/** Makes what was written reachable for readers. */
	int (*flush)(log_sink *self);
	/** Nothing will be written any more: writes what still waits. */
	int (*finish)(log_sink *self);
	/** The most bytes that sink_bottom() has been given once this many more are written and the log is finished. */
	uint64_t (*bound)(const log_sink *self, uint64_t more);
	/** Frees what the sink holds, whatever happened before. */
	int (*close)(log_sink *self);
} sink_operations;

struct log_sink {
	const sink_operations *operations; /**< NULL: not open. */
	mprof_allocator allocator;
	uint64_t taken;       /**< Bytes that it was given. */
	log_sink *inner;      /**< Compressed: where the compressed bytes go. Owned. */
	void *state;          /**< Compressed: what zlib keeps. */
	mprof_sink functions; /**< The caller's functions. */
	uint8_t *memory;
	size_t memory_length;
	size_t memory_capacity;
	int fd;
	int fd_is_owned;
	int fd_is_locked;  /**< By log_file_open(). */
	int fd_may_raise;  /**< A pipe or socket: writing may raise SIGPIPE. */
	int fd_may_be_cut; /**< A regular file that ends where is written. */
	uint64_t fd_start; /**< Where in that file the first byte was written. */
};

/** Creates a file, or empties one that no other writer has, as log_file_open() does. */
int sink_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode);

/** Writes to a descriptor, which is closed with the sink, and also if this fails. */
int sink_adopt_fd(log_sink *self, const mprof_allocator *allocator, int fd);

/** Writes to a descriptor, which stays the caller's. */
int sink_open_fd(log_sink *self, const mprof_allocator *allocator, int fd);

void sink_open_memory(log_sink *self, const mprof_allocator *allocator);
void sink_open_functions(log_sink *self, const mprof_allocator *allocator, const mprof_sink *functions);

/** Whether sink_compress() is more than a refusal. */
int sink_can_compress(void);

/**
 * Compresses what is written to \p self from now on, which was not written to before. Returns ENOMEM, or ENOTSUP in a
 * library without zlib; \p self then is as it was.
 */
int sink_compress(log_sink *self, uint32_t level);

int sink_write(log_sink *self, const void *bytes, size_t length);
int sink_flush(log_sink *self);
int sink_finish(log_sink *self);

/**
 * The most bytes that sink_bottom() will have been given if \p more bytes are written and nothing after them. Exact where
 * nothing is compressed; closer after sink_flush() where it is.
 */
uint64_t sink_bound(const log_sink *self, uint64_t more);

/** Makes sink_close() leave the caller's functions uncalled. */
void sink_detach(log_sink *self);

/** Safe for a sink that is not open. Its memory is gone afterwards. */
int sink_close(log_sink *self);

/**
 * In a child made by fork(): closes the descriptor if it is owned, and nothing else. What was written is the parent's, and
 * so is the lock.
 */
void sink_give_up(log_sink *self);

/** The sink that the bytes end up in. */
const log_sink *sink_bottom(const log_sink *self);

/** Whether sink_bottom() is memory. */
int sink_is_memory(const log_sink *self);

#endif
