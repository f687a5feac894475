/* SPDX-License-Identifier: MIT */
/**
 * \file base/cancellation.h
 * \brief Defers the cancellation of a thread by pthread_cancel() while it holds a lock or has changed state half.
 *
 * Recording happens inside the program's threads. A program may cancel a thread at any time: at the next cancellation
 * point, such as fallocate() or a wait, or asynchronously at any instruction. A lock that the thread holds then would
 * never be released.
 */
#ifndef BASE_CANCELLATION_H
#define BASE_CANCELLATION_H

#if defined(__BIONIC__)

/* That C library has no cancellation. */
#define WITHOUT_CANCELLATION ((void)0)

#else

#include <pthread.h>

/** Returns the previous state for cancellation_restore(). */
static inline int cancellation_disable(void)
{
	int before = PTHREAD_CANCEL_ENABLE;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

/** A cancellation that was requested meanwhile, and is asynchronous, happens here. */
static inline void cancellation_restore(const int *before)
{
	int ignored;

	(void)pthread_setcancelstate(*before, &ignored);
}

/** A declaration: the calling thread is not cancelled from here to the end of the block. */
#define WITHOUT_CANCELLATION                                                                                           \
	const int cancellation_before __attribute__((cleanup(cancellation_restore), unused)) = cancellation_disable()

#endif

#endif
