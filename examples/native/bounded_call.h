/* SPDX-License-Identifier: MIT */
/**
 * \file native/bounded_call.h
 * \brief Calls a function that may wait, in a process that must end in any case.
 */
#ifndef NATIVE_BOUNDED_CALL_H
#define NATIVE_BOUNDED_CALL_H

/**
 * Calls a function, and leaves it after a time. For the end of a process only: what the function has locked or changed
 * until then stays as it is. A signal handler may call this, so the function may wait for something that the
 * interrupted thread has locked. Returns 1 if the function has returned.
 */
int bounded_call(void (*function)(void), unsigned milliseconds);

#endif
