/* SPDX-License-Identifier: MIT */
/**
 * \file unloads.h
 * \brief Calls dlclose() for the program, and reports it.
 */
#ifndef UNLOADS_H
#define UNLOADS_H

/**
 * Sets the functions that are called on the thread that closes a library, immediately before and after. The second gets
 * what the first returned.
 */
void unloads_set(int (*before)(void), void (*after)(int result));

#endif
