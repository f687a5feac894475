/* SPDX-License-Identifier: MIT */
/**
 * \file convert/threads.h
 * \brief The state that the converter keeps for each thread between its blocks.
 */
#ifndef CONVERT_THREADS_H
#define CONVERT_THREADS_H

#include "convert/converter_internal.h"

/** The state of a thread, added if missing; valid until the next call. NULL if out of memory. */
thread_state *converter_thread(mprof_converter *converter, uint64_t thread);

#endif
