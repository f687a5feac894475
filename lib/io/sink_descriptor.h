/* SPDX-License-Identifier: MIT */
/**
 * \file io/sink_descriptor.h
 * \brief Sinks that write to a file or a descriptor.
 *
 * Functions return 0 or an errno value.
 */
#ifndef IO_SINK_DESCRIPTOR_H
#define IO_SINK_DESCRIPTOR_H

#include "io/sink.h"

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

#endif
