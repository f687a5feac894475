/* SPDX-License-Identifier: MIT */
/**
 * \file export/folded.h
 * \brief Folded call stacks: one line for each, with its value. Many flame graph programs read it.
 */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H

#include "export/target.h"

extern const export_target export_folded;

#endif
