/* SPDX-License-Identifier: MIT */
/**
 * \file sampling_signal.h
 * \brief The signal with which the runtime samples threads.
 *
 * The runtime chooses it and does not report it, so it is found in the handler of the first sample.
 */
#ifndef MONO_SAMPLING_SIGNAL_H
#define MONO_SAMPLING_SIGNAL_H

/**
 * Determines the signal being handled, whose context is given. Returns 1 only in the one call that succeeds.
 * Async-signal-safe.
 */
int sampling_signal_find(const void *context);

/** The signal; 0 if it is not found yet. */
int sampling_signal_get(void);

/**
 * Sends the signal to the calling thread, which has just started. The runtime signals a thread again only after it has
 * answered the previous signal. A signal that arrives before the thread is ready is not answered, and the thread would
 * never be sampled. Does nothing if the signal is not found yet.
 */
void sampling_signal_raise(void);

/** Blocks the signal, if it is found, in the calling thread, which is not sampled any more. */
void sampling_signal_block(void);

#endif
