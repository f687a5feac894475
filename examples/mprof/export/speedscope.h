/* SPDX-License-Identifier: MIT */
/**
 * \file export/speedscope.h
 * \brief The JSON format of speedscope: call stacks with one value.
 */
#ifndef EXPORT_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_H

#include "export/target.h"

extern const export_target export_speedscope;

#endif
