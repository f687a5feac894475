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

/** How a thread could be cancelled before. */
typedef struct cancellation_state {
	int state;
	int type;
} cancellation_state;

/**
 * Returns the previous state for cancellation_restore().
 *
 * glibc cancels a thread of the type PTHREAD_CANCEL_ASYNCHRONOUS by a signal, whose handler looks at the type alone:
 * the signal may have been sent before cancellation was disabled, and arrive after that. So the type changes, too.
 * Functions that are cancellation points set it back while they wait; so there are none where a lock is held.
 */
static inline cancellation_state cancellation_disable(void)
{
	cancellation_state before = {PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DEFERRED};

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
	return before;
}

/** A cancellation that was requested meanwhile, and is asynchronous, happens here. */
static inline void cancellation_restore(const cancellation_state *before)
{
	int ignored;

	(void)pthread_setcanceltype(before->type, &ignored);
	(void)pthread_setcancelstate(before->state, &ignored);
}

/** A declaration: the calling thread is not cancelled from here to the end of the block. */
#define WITHOUT_CANCELLATION                                                                                           \
	const cancellation_state cancellation_before __attribute__((cleanup(cancellation_restore), unused)) =          \
		cancellation_disable()

#endif

#endif
