/* SPDX-License-Identifier: MIT */
/**
 * \file classes.h
 * \brief Records loaded classes and thrown exceptions.
 */
#ifndef MONO_CLASSES_H
#define MONO_CLASSES_H

#include "profiler.h"

/** Whether heap snapshots have the offsets of references and the names of fields. */
int object_fields_are_recorded(const MonoProfiler *profiler);

/** Installs the callbacks that the options need. */
void classes_install(MonoProfiler *profiler);

#endif
