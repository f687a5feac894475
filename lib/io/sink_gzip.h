/* SPDX-License-Identifier: MIT */
/**
 * \file io/sink_gzip.h
 * \brief Compresses what is written to a sink.
 */
#ifndef IO_SINK_GZIP_H
#define IO_SINK_GZIP_H

#include "io/sink.h"

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
