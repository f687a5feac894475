/* SPDX-License-Identifier: MIT */
/**
 * \file symbols.h
 * \brief Names of functions by address, including functions that are not exported if the file of the program or library
 * is not stripped. Any thread.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/** A program or library; lives as long as the process. */
typedef struct symbol_module symbol_module;

/**
 * Looks for a C++ library that can demangle names. Call it when this module is loaded: later, the search may wait for a
 * thread that runs the constructors of a library.
 */
void symbols_find_demangler(void);

/** Whether symbols_demangle() can be called without a search. */
int symbols_has_demangler(void);

/** Forgets all modules: in a child of fork(), a thread that does not exist there may have been changing them. */
void symbols_forget(void);

/** The module to which an address belongs; NULL if it belongs to none, or out of memory. */
symbol_module *symbols_module(uintptr_t address);

/** The module's lowest address. */
uintptr_t symbols_module_start(const symbol_module *module);

/** The module's name without directory. */
const char *symbols_module_name(const symbol_module *module);

/** The linker name of the function at an address; NULL if unknown. Valid until the process ends. */
const char *symbols_function(const symbol_module *module, uintptr_t address);

/**
 * The demangled name, if a C++ library is loaded that can demangle it. The caller frees it; NULL if \p name is not a
 * C++ name or cannot be demangled.
 */
char *symbols_demangle(const char *name);

#endif
