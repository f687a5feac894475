/* SPDX-License-Identifier: MIT */
/**
 * \file sampler.h
 * \brief Samples the call stacks of the threads of a native program, each by its own processor time.
 */
#ifndef NATIVE_SAMPLER_H
#define NATIVE_SAMPLER_H

#include <mprof/recorder.h>

#include "shared/sampled_stack.h"
#include "shared/unwind_rules.h"

#include <stdint.h>

/** Whether the option words request samples. */
int sampler_is_requested(const char *words);

/**
 * Starts to sample into the recorder, as the option words request. \p begin_thread is called first on the thread that
 * unwinds. Returns 0 after a message; then the other functions do nothing.
 */
int sampler_start(mprof_recorder *recorder, const char *words, void (*begin_thread)(void));

/**
 * Starts to sample the calling thread, whose ID in the log is \p thread. \p outermost: the frame address of the
 * function that called the thread's first function, 0 if unknown.
 */
void sampler_begin_thread(uint64_t thread, uintptr_t outermost);

/** Stops to sample the calling thread. */
void sampler_end_thread(void);

/** Stops sampling, and adds its totals to the metadata. The recorder must still be open. */
void sampler_stop(void);

/** Changes the rate while the program runs, in samples per second of a thread; 0 stops sampling. Not in handlers. */
void sampler_set_rate(uint32_t hz);

/** Called after the recorder was enabled, or disabled. Not in handlers. */
void sampler_enable(int is_enabled);

/** The rate that was requested at the start; 0 if the program is not sampled. Any thread. */
uint32_t sampler_start_rate(void);

/** The present rate; 0 if sampling is stopped. Any thread. */
uint32_t sampler_rate(void);

/**
 * Called before the calling thread executes another program: a signal that is pending at that time would end the new
 * program, which has no handler for it. Also gives the samples taken so far to the recorder. Waits for a short time
 * at most, and can be called in a signal handler. Returns 1 if sampler_cancel_exec() must be called if the program
 * cannot be executed.
 */
int sampler_prepare_exec(void);
void sampler_cancel_exec(void);

/** Called before fork(), and after it in the parent. */
void sampler_prepare_fork(void);
void sampler_continue(void);

/** Stops sampling in a child of fork(). */
void sampler_forget(void);

#endif
