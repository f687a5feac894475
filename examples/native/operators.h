/* SPDX-License-Identifier: MIT */
/**
 * \file operators.h
 * \brief Interposes the operators new and delete of C++, for allocators whose operators do not call malloc().
 */
#ifndef NATIVE_OPERATORS_H
#define NATIVE_OPERATORS_H

#include <stddef.h>

/** Records allocations of the calling thread. All keep errno. */
typedef struct operators_client {
	void (*record)(void *memory, size_t size); /**< After it was allocated; NULL is not recorded. */
	void (*record_free)(void *memory);         /**< Before it is freed. */
	const void *(*get_last)(void);             /**< The memory that was recorded last, ... */
	void (*forget_last)(void);                 /**< ... which is forgotten. */
	int (*pause)(void);                        /**< Nothing more is recorded until resume gets the result. */
	void (*resume)(int paused);
} operators_client;

/** Finds out what the operators of the program do. Call it once, before they are recorded. */
void operators_begin(const operators_client *functions);

#endif
