/* SPDX-License-Identifier: MIT */
/**
 * \file native/control_kinds.h
 * \brief The commands "calls" and "sample" of a program whose calls or samples are recorded.
 */
#ifndef NATIVE_CONTROL_KINDS_H
#define NATIVE_CONTROL_KINDS_H

#include "control.h"

/**
 * The module for native_control_start(). Call it before that.
 * \param recorder The recorder.
 * \param has_calls Calls are recorded from the start.
 * \param may_add_calls A command can record calls that were not recorded from the start.
 * \param begin_thread See control_module::begin_thread.
 */
const control_module *control_kinds_begin(mprof_recorder *recorder, int has_calls, int may_add_calls,
					  void (*begin_thread)(void));

#endif
