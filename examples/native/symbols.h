/* SPDX-License-Identifier: MIT */
/**
 * \file symbols.h
 * \brief Names of functions by their addresses, also of functions that are not exported, as long as the file of the
 * program or library is not stripped. For one thread at a time.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/** A program or library; lives as long as the process. */
typedef struct symbol_module symbol_module;

/** The module that an address belongs to; NULL if it belongs to none, or there is no memory. */
symbol_module *symbols_module(uintptr_t address);

/** The module's name without directory. */
const char *symbols_module_name(const symbol_module *module);

/** The name of the function at an address, as the linker knows it; NULL if it is not known. */
const char *symbols_function(const symbol_module *module, uintptr_t address);

/**
 * The name as its programmer knows it, if a C++ library is there that can tell. To be freed; NULL if \p name is no C++
 * name.
 */
char *symbols_demangle(const char *name);

#endif
