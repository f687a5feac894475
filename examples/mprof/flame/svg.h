/* SPDX-License-Identifier: MIT */
/**
 * \file flame/svg.h
 * \brief Prints a flame graph as one SVG document without references to other files.
 */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include "export/stack_nodes.h"
#include "flame/layout.h"

#include <stdio.h>

/** The size of a formatted amount in bytes. */
#define FIGURES_SIZE 64

/** What the figures of all frames refer to. */
typedef struct flame_scale {
	export_value value;
	const char *unit;        /**< "nanoseconds", "count" or "bytes"; of samples of a kind, also another one. */
	uint64_t whole;          /**< The total of the log. */
	uint64_t before_whole;   /**< The total of the earlier log; 0 if there is none. */
	int has_before;          /**< Frames are compared with an earlier log. */
	int is_normalized;       /**< Values of the earlier log are scaled to the same total. */
	sampling_facts sampling; /**< For the time that samples stand for. */
} flame_scale;

/** Formats an amount with its unit: "12.3 ms", "83 samples". Returns \p text. */
char *flame_amount(const flame_scale *scale, char text[FIGURES_SIZE], uint64_t amount);

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

/**
 * The script in the document (script.c): zoom, search and keys. The picture is complete without it. It contains no
 * character that XML would need to escape in CDATA.
 */
extern const char flame_script[];

/** The number of bytes that a frame takes in the document. */
size_t flame_svg_length(const stack_frame *frame);

/** Prints the document. Writing errors are those of \p file. */
void flame_svg_print(FILE *file, const flame_picture *picture);

#endif
