/* SPDX-License-Identifier: MIT */
/**
 * \file unloads.h
 * \brief Calls dlclose() for the program, and reports it.
 */
#ifndef NATIVE_UNLOADS_H
#define NATIVE_UNLOADS_H

/** Sets the functions that are called on the thread that closes a library, immediately before and after. */
void unloads_set(void (*before)(void), void (*after)(void));

#endif
