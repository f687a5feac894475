/* SPDX-License-Identifier: MIT */
/**
 * \file export/targets.h
 * \brief The table of the formats that mprof export writes.
 */
#ifndef EXPORT_TARGETS_H
#define EXPORT_TARGETS_H

#include "export/target.h"

/** Finds a format. Returns NULL after a message with the most similar name if there is none. */
const export_target *targets_find(const char *name);

/** Prints the list of formats to standard output. */
void targets_print_list(void);

#endif
