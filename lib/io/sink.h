/* SPDX-License-Identifier: MIT */
/**
 * \file io/sink.h
 * \brief Destination of a log: a file, a descriptor, memory or the caller's functions, with or without compression.
 *
 * Functions return 0 or an errno value. After a failure of sink_write() only sink_close() is called.
 */
#ifndef IO_SINK_H
#define IO_SINK_H

#include <mprof/writer.h>

#include "base/allocator.h"

typedef struct log_sink log_sink;

/** Receives what was written to a sink, before compression. */
typedef void (*sink_observer)(void *user, const void *bytes, size_t length);

/** The operations of a kind of sink; NULL: nothing to do. */
typedef struct sink_operations {
	/** Writes one or more whole blocks. */
	int (*write)(log_sink *self, const void *bytes, size_t length);
	/** Makes everything written available to readers. */
	int (*flush)(log_sink *self);
	/** Writes what is still buffered. Nothing is written after it. */
	int (*finish)(log_sink *self);
	/** Implements sink_bound(). */
	uint64_t (*bound)(const log_sink *self, uint64_t more);
	/** Releases the resources of the sink, also after an error. */
	int (*close)(log_sink *self);
} sink_operations;

struct log_sink {
	const sink_operations *operations; /**< NULL: not open. */
	mprof_allocator allocator;
	uint64_t taken;         /**< Number of bytes written to this sink, before compression by it. */
	sink_observer observer; /**< Called after each write that succeeded, with \p observer_user; NULL: none. */
	void *observer_user;
	log_sink *inner;      /**< The sink that receives the compressed bytes, part of state; NULL if not
	                           compressed. */
	void *state;          /**< State of the compression, NULL if not compressed. */
	mprof_sink functions; /**< The caller's functions. */
	uint8_t *memory;
	size_t memory_length;
	size_t memory_capacity;
	int fd;
	int fd_is_owned;
	int fd_is_locked;      /**< Locked by log_file_open(). */
	int fd_raises_sigpipe; /**< Writing may raise SIGPIPE: the descriptor is a pipe or a socket. */
	int fd_may_be_cut; /**< A block written in part can be removed: the descriptor is a regular file that is written
	                        at its end. */
	uint64_t fd_start; /**< Offset in the regular file of the first byte written. */
	uint64_t fd_device; /**< With fd_inode: the file of the descriptor, which the program may close by mistake. */
	uint64_t fd_inode;  /**< 0 if the system does not number its files. */
	char *path;         /**< Absolute name of the file, to open it again; NULL if not known. */
};

void sink_open_memory(log_sink *self, const mprof_allocator *allocator);
void sink_open_functions(log_sink *self, const mprof_allocator *allocator, const mprof_sink *functions);

int sink_write(log_sink *self, const void *bytes, size_t length);
int sink_flush(log_sink *self);
int sink_finish(log_sink *self);

/**
 * Returns an upper bound of the number of bytes that sink_bottom() will have received when \p more bytes were written
 * and the log is finished. It is exact without compression; with compression it is tighter after sink_flush().
 */
uint64_t sink_bound(const log_sink *self, uint64_t more);

/** Closes the caller's sink that was not opened. NULL, or one without a valid struct_size, has no close function. */
void sink_refuse_functions(const mprof_sink *functions);

/** Closes a sink, which need not be open, and frees its memory. */
int sink_close(log_sink *self);

/** Returns the innermost sink, which receives the compressed bytes; the sink itself if not compressed. */
const log_sink *sink_bottom(const log_sink *self);

/** Whether sink_bottom() is memory. */
int sink_is_memory(const log_sink *self);

/** Creates a file, or empties one that no other writer has locked, as log_file_open() does. */
int sink_descriptor_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode);

/** Writes to a descriptor, which remains the caller's. */
int sink_descriptor_open(log_sink *self, const mprof_allocator *allocator, int fd);

/** Writes to a descriptor, which becomes the sink's: it is closed with the sink, and also if this function fails. */
int sink_descriptor_adopt(log_sink *self, const mprof_allocator *allocator, int fd);

/**
 * Removes what was written after the first \p length bytes, from a sink that is not compressed and whose
 * log_sink::fd_may_be_cut is set. Allowed after sink_write() failed. Returns 0 or an errno value.
 */
int sink_descriptor_cut(log_sink *self, uint64_t length);

/**
 * For the child after fork(): closes the descriptor below \p self if the sink owns it, and does nothing else. The lock
 * and the data not written yet are the parent's.
 */
void sink_descriptor_abandon(log_sink *self);

/*
 * Compression with gzip.
 */

/** Whether the library was built with zlib. */
int sink_gzip_is_available(void);

/**
 * Compresses everything written to \p self from now on; nothing may have been written to it before. Returns 0, ENOMEM,
 * or ENOTSUP without zlib; after an error \p self is unchanged.
 */
int sink_gzip_add(log_sink *self, uint32_t level);

/**
 * Ends the current member of the file: what was written so far can then be decompressed whatever follows it. What is
 * written next begins a new member, which decompression appends. Does nothing if nothing was written to the current
 * member, or to a sink that is not compressed. Returns 0 or an errno value.
 */
int sink_gzip_end_member(log_sink *self);

#endif
