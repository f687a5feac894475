/* SPDX-License-Identifier: MIT */
/**
 * \file sampler.h
 * \brief Samples the call stacks of the threads of a native program, each by its own processor time.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <mprof/recorder.h>

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

/** Called before fork(), and after it in the parent. */
void sampler_prepare_fork(void);
void sampler_continue(void);

/** Stops sampling in a child of fork(). */
void sampler_forget(void);

#endif
