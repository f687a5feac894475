/* SPDX-License-Identifier: MIT */
/**
 * \file shared/cancellation.h
 * \brief Defers pthread_cancel() while a thread of the program holds a lock of a module, which it would keep.
 *
 * glibc cancels a thread of the type PTHREAD_CANCEL_ASYNCHRONOUS by a signal, whose handler looks at the type alone:
 * the signal may have been sent before cancellation was disabled, and arrive after that. So the type changes, too, and
 * no cancellation point should be called meanwhile.
 */
#ifndef SHARED_CANCELLATION_H
#define SHARED_CANCELLATION_H

#include <pthread.h>

/** How a thread could be cancelled before. */
typedef struct cancellation {
	int state;
	int type;
} cancellation;

static inline cancellation cancellation_defer(void)
{
	cancellation before = {PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DEFERRED};

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
	return before;
}

/** A cancellation that was requested meanwhile, and is asynchronous, happens here. */
static inline void cancellation_permit(cancellation before)
{
	(void)pthread_setcanceltype(before.type, &before.type);
	(void)pthread_setcancelstate(before.state, &before.state);
}

#endif
