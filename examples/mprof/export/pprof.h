/* SPDX-License-Identifier: MIT */
/**
 * \file export/pprof.h
 * \brief The format of pprof, profile.proto: call stacks with all values that the log has.
 */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "export/target.h"

extern const export_target export_pprof;

#endif
