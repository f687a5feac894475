/* SPDX-License-Identifier: MIT */
/**
 * \file mprof.h
 * \brief All of libmprof. Each header under mprof/ can be included alone as well.
 *
 * The sections that are experimental, since they may change before version 1.0, are there only where MPROF_UNSTABLE is
 * defined. doc/compatibility.md states what they are, and what the others promise.
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
#include <mprof/convert.h>
#include <mprof/format.h>
#include <mprof/heap.h>
#include <mprof/parser.h>
#include <mprof/profile.h>
#include <mprof/reader.h>
#include <mprof/recorder.h>
#include <mprof/writer.h>

#endif
