/* SPDX-License-Identifier: MIT */
/**
 * \file mprof.h
 * \brief All of libmprof. Each header under mprof/ can be included alone as well.
 */
#ifndef MPROF_H
#define MPROF_H

#include <mprof/convert.h>
#include <mprof/format.h>
#include <mprof/parser.h>
#include <mprof/profile.h>
#include <mprof/reader.h>
#include <mprof/recorder.h>
#include <mprof/status.h>
#include <mprof/version.h>
#include <mprof/writer.h>

#endif
