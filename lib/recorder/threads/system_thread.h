/* SPDX-License-Identifier: MIT */
/* The system's ID of the calling thread. */
#ifndef SYSTEM_THREAD_H
#define SYSTEM_THREAD_H

#include <stdint.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif

static inline uint64_t system_thread_id(void)
{
#if defined(__linux__)
	return (uint64_t)syscall(SYS_gettid);
#else
	return (uint64_t)(uintptr_t)pthread_self();
#endif
}

#endif
