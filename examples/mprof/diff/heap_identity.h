/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_identity.h
 * \brief Compares the objects of two heap snapshots of one log: which are new, gone or in both.
 */
#ifndef DIFF_HEAP_IDENTITY_H
#define DIFF_HEAP_IDENTITY_H

#include "diff/diff.h"

/**
 * Compares the objects of the snapshots that log_diff::heap names by identity if both are in one log, and fills in
 * heap_identity. Returns an exit status: #STATUS_DAMAGED after a message if there is no memory.
 */
int heap_identity_read(log_diff *diff);
void heap_identity_release(log_diff *diff);

#endif
