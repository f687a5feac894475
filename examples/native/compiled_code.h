/* SPDX-License-Identifier: MIT */
/**
 * \file compiled_code.h
 * \brief Names the code that a runtime in the program compiles, as node does, by the map that it writes for perf.
 *
 * One thread at a time.
 */
#ifndef NATIVE_COMPILED_CODE_H
#define NATIVE_COMPILED_CODE_H

#include <mprof/recorder.h>

/** Call it before there are samples. The recorder is borrowed until the last call. */
void compiled_code_begin(mprof_recorder *recorder);

/** Reads what was added to the map, if the last time was a second ago or longer. */
void compiled_code_follow(void);

/** Reads what was added to the map. */
void compiled_code_read(void);

#endif
