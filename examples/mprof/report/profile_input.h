/* SPDX-License-Identifier: MIT */
/**
 * \file report/profile_input.h
 * \brief From a log that is read to a profile, telling what goes wrong.
 */
#ifndef PROFILE_INPUT_H
#define PROFILE_INPUT_H

#include "common/input.h"

#include <mprof/profile.h>

/** Adds the current block. */
void profile_input_add(log_input *input, mprof_profile *profile, const mprof_block *block);

/** Finishes the profile; \p block is the last one that was met. */
void profile_input_finish(log_input *input, mprof_profile *profile, const mprof_block *block);

#endif
