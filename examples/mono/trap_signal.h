/* SPDX-License-Identifier: MIT */
/**
 * \file trap_signal.h
 * \brief The signal with which events of the kernel interrupt threads of the runtime.
 *
 * Its handler sends the runtime's signal for samples to its own thread. That is blocked in the handler, so it arrives
 * when the handler returns, in the context that the event interrupted, and the runtime walks the stack there.
 */
#ifndef MONO_TRAP_SIGNAL_H
#define MONO_TRAP_SIGNAL_H

/**
 * Installs the handler. \p is_wanted: called in it; whether the interrupted thread is to be sampled. Returns 0 if the
 * system refuses.
 */
int trap_signal_install(int (*is_wanted)(void));

/** Whether the runtime's signal that is being handled was sent by the handler above. Once for each signal. */
int trap_signal_is_answered(void);

#endif
