/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/finding_rules.h
 * \brief The rules by which findings are made.
 */
#ifndef MODEL_RESULTS_FINDING_RULES_H
#define MODEL_RESULTS_FINDING_RULES_H

#include "model/results/finding_list.h"

/** Adds what all rules find: at least one finding. Returns #MPROF_OK, or the status of a tree of frames. */
mprof_status finding_rules_apply(finding_source *source);

#endif
