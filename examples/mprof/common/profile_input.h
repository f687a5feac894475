/* SPDX-License-Identifier: MIT */
/**
 * \file common/profile_input.h
 * \brief Adds a log being read to a profile, and reports problems.
 */
#ifndef PROFILE_INPUT_H
#define PROFILE_INPUT_H

#include "common/input.h"

#include <mprof/profile.h>

/** Adds the current block. */
void profile_input_add(log_input *input, mprof_profile *profile, const mprof_block *block);

/** Finishes the profile; \p block is the last one read. */
void profile_input_finish(log_input *input, mprof_profile *profile, const mprof_block *block);

#endif
