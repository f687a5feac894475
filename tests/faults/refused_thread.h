/* SPDX-License-Identifier: MIT */
/**
 * \file faults/refused_thread.h
 * \brief Refuses to create a thread, as the system does at its limit. Included by one file of a program, in which it
 * takes the place of pthread_create().
 */
#ifndef FAULTS_REFUSED_THREAD_H
#define FAULTS_REFUSED_THREAD_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/** Threads to create before one is refused; below 0: none is. */
static _Atomic int threads_before_refusal = -1;

typedef int (*create_function)(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			       void *argument);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	create_function create;

	/* Below 0 it stays there: test programs create far fewer threads than an int can count. */
	if (atomic_fetch_sub(&threads_before_refusal, 1) == 0)
		return EAGAIN;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	return create(thread, attributes, start, argument);
}

#endif
