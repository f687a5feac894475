/* SPDX-License-Identifier: MIT */
/**
 * \file convert/threads.h
 * \brief What the converter keeps of threads between their blocks.
 */
#ifndef CONVERT_THREADS_H
#define CONVERT_THREADS_H

#include "convert/converter_internal.h"

/** The state of a thread; adds it if there is none. NULL if out of memory. */
thread_state *converter_thread(mprof_converter *converter, uint64_t thread);

#endif
