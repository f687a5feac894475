/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_rewrite.h
 * \brief Replaces the journal by one that contains the present state of the tables, and not how they came to it.
 *
 * So the journal of a program that defines, retires and registers for days is at most twice as long as what is still
 * valid, or 1 MiB.
 */
#ifndef RECORDER_SALVAGE_REWRITE_H
#define RECORDER_SALVAGE_REWRITE_H

#include "recorder/drain_state.h"

/** Rewrites the journal if that is due. Call it in a commit, before the position of the journal is taken. */
void salvage_rewrite_journal(recorder_drain *drain);

#endif
