/* SPDX-License-Identifier: MIT */
/**
 * \file shared/control_thread.h
 * \brief Starts the thread that serves clients in the recorded program.
 */
#ifndef SHARED_CONTROL_THREAD_H
#define SHARED_CONTROL_THREAD_H

#include <stddef.h>

/**
 * Starts a detached thread that handles no signals: those of the program and of its runtime are handled by its own
 * threads. Returns 0, or an error number.
 * \param stack_size Size of its stack, in bytes.
 * \param serve What it runs; its argument is NULL.
 */
int control_thread_start(size_t stack_size, void *(*serve)(void *argument));

#endif
