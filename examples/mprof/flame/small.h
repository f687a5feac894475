/* SPDX-License-Identifier: MIT */
/**
 * \file flame/small.h
 * \brief The frames of a flame graph that are too small for names of their own in the document: they are drawn as
 * areas, and the script makes frames of them from a list.
 */
#ifndef FLAME_SMALL_H
#define FLAME_SMALL_H

#include "flame/figures.h"
#include "flame/layout.h"

#include <stdio.h>

/** The number of small frames. */
size_t flame_small_count(const flame_layout *layout);

/** Prints the areas of small frames. \p y: of the first row; \p pixels: of one unit of the weights. */
void flame_small_print_areas(FILE *file, const flame_layout *layout, double y, double pixels);

/**
 * Prints the list of small frames: a line for each name that no other frame has, with a style class; then a line for
 * each frame. Its fields are separated by commas and have the base 36: the number of the caller, empty if it is that of
 * the line before; the number of the name; the total; the own value, empty if it is the total; the count, empty for 0.
 * Numbers of callers and names begin with the frames that are elements of the document.
 */
void flame_small_print_list(FILE *file, const stack_tree *tree, const flame_layout *layout, const flame_scale *scale);

#endif
