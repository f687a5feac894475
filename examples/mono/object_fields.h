/* SPDX-License-Identifier: MIT */
/**
 * \file object_fields.h
 * \brief The fields in which objects have references, for the names of references in heap snapshots.
 */
#ifndef MODULE_OBJECT_FIELDS_H
#define MODULE_OBJECT_FIELDS_H

#include "profiler.h"

/** Whether heap snapshots have the offsets of references and the names of fields. */
int object_fields_are_recorded(const MonoProfiler *profiler);

/** Defines the fields of a class that is defined and is about to have objects. */
void object_fields_define(MonoProfiler *profiler, MonoClass *klass);

#endif
