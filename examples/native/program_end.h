/* SPDX-License-Identifier: MIT */
/**
 * \file native/program_end.h
 * \brief Ends the process when the program's last thread has ended.
 *
 * If main() ends with pthread_exit(), or the main thread is cancelled, the C library ends the process with its last
 * thread, by exit(0). The threads of the recorder count as well, so they would keep the process alive for ever, with
 * all signals blocked.
 */
#ifndef NATIVE_PROGRAM_END_H
#define NATIVE_PROGRAM_END_H

/**
 * Prepares for the end of the main thread, which calls this. Constructors of the module call it.
 * \param enter Called before what a thread does is not the program's, but the recorder's.
 * \param leave Called after that.
 */
void program_end_prepare(void (*enter)(void), void (*leave)(void));

/** Called when a thread of the program ends: it may be the last one. */
void program_end_note(void);

/** In a child made by fork(), whose only thread is its main thread. */
void program_end_begin_child(void);

#endif
