/* SPDX-License-Identifier: MIT */
/**
 * \file shared/own_code.h
 * \brief The addresses of the code that records: that of the module and of the library.
 *
 * A sample there is not of the program. Functions of the C library that the module calls are not recognised.
 */
#ifndef SHARED_OWN_CODE_H
#define SHARED_OWN_CODE_H

#include <stdint.h>

/** Determines the addresses. Call it before samples are taken. */
void own_code_find(void);

/** Whether the module or the library contains \p address. Safe in signal handlers. */
int own_code_contains(uintptr_t address);

#endif
