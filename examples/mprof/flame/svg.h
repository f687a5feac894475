/* SPDX-License-Identifier: MIT */
/**
 * \file flame/svg.h
 * \brief Prints a flame graph as one SVG document without references to other files.
 */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include "flame/comparison.h"
#include "flame/figures.h"
#include "flame/layout.h"

/** A flame graph. Texts may have several lines. */
typedef struct flame_picture {
	const stack_tree *tree;
	const flame_comparison *comparison; /**< NULL without an earlier log. */
	flame_scale scale;
	uint32_t width;       /**< In pixels. */
	flame_layout layout;  /**< The frames. */
	flame_layout removed; /**< Frames that only the earlier log has. */
	const char *title;    /**< The first line. */
	const char *subtitle; /**< Smaller lines below. */
	const char *warnings; /**< What is missing or estimated; "" if nothing. */
	const char *details;  /**< Lines below the picture. */
} flame_picture;

/** The number of bytes that a frame takes in the document. */
size_t flame_svg_length(const stack_frame *frame);

/** Prints the document. Writing errors are those of \p file. */
void flame_svg_print(FILE *file, const flame_picture *picture);

#endif
