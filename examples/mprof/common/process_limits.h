/* SPDX-License-Identifier: MIT */
/**
 * \file common/process_limits.h
 * \brief Limits of a process that works on untrusted data for another one.
 */
#ifndef COMMON_PROCESS_LIMITS_H
#define COMMON_PROCESS_LIMITS_H

#include <stdint.h>

/** Sets a limit of this process for good. A lower one is kept. */
void process_limit(int resource, uint64_t value);

/** Limits memory to \p more bytes in addition to what this process has. Without effect where addresses have 32 bits. */
void process_limit_memory(uint64_t more);

#endif
