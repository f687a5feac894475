/* SPDX-License-Identifier: MIT */
/**
 * \file static_fields.h
 * \brief Splits the memory of the static fields of a class into one root area for each field that may hold a reference.
 *
 * So a root of a heap snapshot is the field "Namespace.Class.field" and not just the class.
 */
#ifndef STATIC_FIELDS_H
#define STATIC_FIELDS_H

#include "profiler.h"

#include <mono/metadata/class.h>

/**
 * Registers the static fields of a class as areas, which together cover \p whole from the first such field on. Returns
 * 0 if out of memory or if no field is known: the caller then registers \p whole itself.
 */
int static_fields_register(MonoProfiler *profiler, MonoClass *klass, const mprof_root_area *whole);

/**
 * Unregisters the fields of the memory that starts at \p start. Returns 0 if static_fields_register() has not split
 * it.
 */
int static_fields_unregister(MonoProfiler *profiler, uint64_t start);

#endif
