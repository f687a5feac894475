/* SPDX-License-Identifier: MIT */
/**
 * \file mprof.h
 * \brief All of libmprof. Each header under mprof/ can be included alone as well.
 *
 * The headers that are not stable before version 1.0 (mprof/convert.h, mprof/heap.h and mprof/profile.h), and the parts
 * of others that are not, are included only where MPROF_UNSTABLE is defined.
 *
 * **Functions of the caller** that the library calls, such as those of sinks, sources, allocators, clocks and codecs,
 * must return: neither longjmp() nor an exception of C++ may leave them. They must not call functions with the object
 * that called them, unless their description permits it.
 *
 * **Paths** are passed to the system as they are; on Windows they are UTF-8.
 */
#ifndef MPROF_H
#define MPROF_H

#include <mprof/base.h>
#include <mprof/format.h>
#include <mprof/parser.h>
#include <mprof/reader.h>
#include <mprof/recorder.h>
#include <mprof/writer.h>
#ifdef MPROF_UNSTABLE
#include <mprof/convert.h>
#include <mprof/heap.h>
#include <mprof/profile.h>
#endif

#endif
