/* SPDX-License-Identifier: MIT */
/**
 * \file export/heapsnapshot.h
 * \brief The heap snapshots of V8, which Chrome DevTools and memlab open.
 */
#ifndef EXPORT_HEAPSNAPSHOT_H
#define EXPORT_HEAPSNAPSHOT_H

#include "export/target.h"

extern const export_target export_heapsnapshot;

#endif
