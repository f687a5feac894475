/* SPDX-License-Identifier: MIT */
/**
 * \file export/callgrind.h
 * \brief The format of callgrind_annotate and KCachegrind: functions, and calls between them.
 */
#ifndef EXPORT_CALLGRIND_H
#define EXPORT_CALLGRIND_H

#include "export/target.h"

extern const export_target export_callgrind;

#endif
