/* SPDX-License-Identifier: MIT */
/**
 * \file export/hprof.h
 * \brief mprof export --to=hprof: a heap dump in the binary format of Java's profilers.
 */
#ifndef EXPORT_HPROF_H
#define EXPORT_HPROF_H

#include "export/target.h"

extern const export_target export_hprof;

#endif
