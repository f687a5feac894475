/* SPDX-License-Identifier: MIT */
/**
 * \file record/preloading.h
 * \brief Determines whether the system loads the recorder into a native program.
 */
#ifndef PRELOADING_H
#define PRELOADING_H

typedef enum preloading {
	PRELOADING_WORKS,        /**< As far as the file shows. */
	PRELOADING_IS_STATIC,    /**< The program needs no dynamic linker. */
	PRELOADING_IS_PRIVILEGED /**< The program gets privileges that its caller does not have. */
} preloading;

/** Examines the program \p path, a file in ELF format. */
preloading preloading_of(const char *path);

#endif
