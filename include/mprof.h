/* SPDX-License-Identifier: MIT */
/**
 * \file mprof.h
 * \brief All of libmprof. Each header under mprof/ can be included alone as well.
 *
 * The headers that are not stable before version 1.0 (mprof/columns.h, mprof/convert.h, mprof/descriptor.h,
 * mprof/heap_diff.h, mprof/heap_graph.h, mprof/heap_set.h, mprof/profile.h and mprof/query.h) are included only where
 * MPROF_UNSTABLE is defined.
 */
#ifndef MPROF_H
#define MPROF_H

#include <mprof/format.h>
#include <mprof/parser.h>
#include <mprof/reader.h>
#include <mprof/recorder.h>
#include <mprof/status.h>
#include <mprof/version.h>
#include <mprof/writer.h>
#ifdef MPROF_UNSTABLE
#include <mprof/columns.h>
#include <mprof/convert.h>
#include <mprof/descriptor.h>
#include <mprof/heap_diff.h>
#include <mprof/heap_graph.h>
#include <mprof/heap_set.h>
#include <mprof/profile.h>
#include <mprof/query.h>
#endif

#endif
