/* SPDX-License-Identifier: MIT */
/**
 * \file common/precompiled.h
 * \brief The images of a log that have ahead-of-time compiled code, whose calls cannot be recorded.
 */
#ifndef PRECOMPILED_IMAGES_H
#define PRECOMPILED_IMAGES_H

#include "common/json.h"

#include <mprof/reader.h>

#include <stdio.h>

#define PRECOMPILED_SIZE 1024

typedef struct precompiled_images {
	char names[PRECOMPILED_SIZE]; /**< The first names, each ends with NUL. */
	size_t length;                /**< Bytes used of \a names. */
	size_t left_out;              /**< Number of images whose names did not fit. */
} precompiled_images;

/** Adds the image if the loaded block is that of a module with its code. */
void precompiled_add(precompiled_images *images, const mprof_block *block);

/** Prints "mscorlib.dll, mcs.exe". */
void precompiled_print(const precompiled_images *images, FILE *file);

/** Prints the names as an array. */
void precompiled_print_json(const precompiled_images *images, json_writer *json);

#endif
