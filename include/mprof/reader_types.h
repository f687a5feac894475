/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/reader_types.h
 * \brief The handle of a reader and the types that several of its functions share. Included by mprof/reader.h.
 */
#ifndef MPROF_READER_TYPES_H
#define MPROF_READER_TYPES_H

#include <mprof/api.h>

MPROF_BEGIN_DECLS

/**
 * \brief All threads, in place of a thread ID: 2^64 - 1.
 * \since 0.1
 */
#define MPROF_THREAD_ANY UINT64_MAX

/**
 * \brief A reader. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_reader mprof_reader;

/**
 * \brief One frame of a call stack. Passed together with its size, so that it may grow at its end.
 *
 * A native frame with the ID 0, always the outermost, stands for the outer frames that were not recorded
 * (section 3.13).
 * \since 0.1
 */
typedef struct mprof_stack_frame {
	uint32_t id;           /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;    /**< 1: a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not executed. */
} mprof_stack_frame;

MPROF_END_DECLS

#endif
