/* SPDX-License-Identifier: MIT */
/**
 * \file method_names.h
 * \brief Composes the names of most methods faster than the runtime does.
 */
#ifndef METHOD_NAMES_H
#define METHOD_NAMES_H

#include "profiler.h"

/**
 * The name of a method without its class, "Add (int,string[])", as at the end of mono_method_full_name(). NULL for
 * wrappers, methods that the program generated, methods with type parameters of their own, and if out of memory:
 * their names have more parts, which only the runtime can provide. The caller frees the name with free().
 */
char *method_names_compose(MonoMethod *method);

#endif
