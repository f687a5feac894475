/* SPDX-License-Identifier: MIT */
/**
 * \file classes.h
 * \brief Records loaded classes and thrown exceptions.
 */
#ifndef CLASSES_H
#define CLASSES_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void classes_install(MonoProfiler *profiler);

#endif
