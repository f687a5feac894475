/* SPDX-License-Identifier: MIT */
/**
 * \file precompiled.h
 * \brief Records which images have ahead-of-time compiled code, whose calls cannot be recorded.
 */
#ifndef PRECOMPILED_H
#define PRECOMPILED_H

#include "profiler.h"

#include <mono/metadata/image.h>

/**
 * Records the native library with the code of \p image as a loaded module, if the runtime has loaded one. Its name is
 * that of the image's file with ".so" appended. Call it when the assembly of the image has been loaded.
 */
void precompiled_record(MonoProfiler *profiler, MonoImage *image);

#endif
