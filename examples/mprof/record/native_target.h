/* SPDX-License-Identifier: MIT */
/**
 * \file record/native_target.h
 * \brief Checks before a native program starts whether what was asked for can be recorded of it.
 */
#ifndef NATIVE_TARGET_H
#define NATIVE_TARGET_H

#include "record/options.h"
#include "record/target.h"

/**
 * Returns -1 if the program can be recorded, possibly after a line about what cannot; otherwise an exit status, after a
 * message. Only for TARGET_BINARY.
 */
int native_target_check(const record_target *target, const record_request *request, int has_children, int is_quiet);

#endif
