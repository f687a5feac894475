/* SPDX-License-Identifier: MIT */
/**
 * \file common/threads.h
 * \brief The number of threads that decode the events of a log.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdint.h>

/** Sets the number, for all logs that are opened later. */
void threads_set(uint32_t number);

/** Returns the number that was set, or 1. */
uint32_t threads_get(void);

#endif
