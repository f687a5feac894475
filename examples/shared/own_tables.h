/* SPDX-License-Identifier: MIT */
/**
 * \file own_tables.h
 * \brief Finds the unwinding information of a function in the loaded programs and libraries of this process.
 */
#ifndef SHARED_OWN_TABLES_H
#define SHARED_OWN_TABLES_H

#include "shared/unwind_tables.h"

/**
 * Finds the entry of a function. Returns 0 if it has none. The caller ensures that no library is unloaded until it
 * has used the entry, by calling this function from a callback of dl_iterate_phdr().
 */
int own_tables_find(uintptr_t address, unwind_entry *entry);

/**
 * The same for an address on the calling thread's own stack, whose module stays loaded. Async-signal-safe. Returns 0
 * also if the C library has no function for that (glibc has it since 2.35).
 */
int own_tables_find_on_stack(uintptr_t address, unwind_entry *entry);

#endif
