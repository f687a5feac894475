/* SPDX-License-Identifier: MIT */
/**
 * \file flame/colors.h
 * \brief The colors of a flame graph: by the kind of code, or by the difference between two logs.
 */
#ifndef FLAME_COLORS_H
#define FLAME_COLORS_H

#include "export/stack_nodes.h"

/** Kinds of frames that have a hue. */
typedef enum flame_hue {
	FLAME_MANAGED,
	FLAME_NATIVE,
	FLAME_RUNTIME,
	FLAME_WAITING,
	FLAME_CLASS,
	FLAME_FIELD,
	FLAME_ROOT,
	FLAME_OTHER,
	FLAME_HUES
} flame_hue;

/** The size of the name of a style class. */
#define FLAME_STYLE_SIZE 8

flame_hue flame_hue_of(const stack_frame *frame);

/** What a hue means. */
const char *flame_hue_name(flame_hue hue);

/** The style class of a frame: its hue in a shade by its class or module. Returns \p text. */
char *flame_style_of(const stack_frame *frame, char text[FLAME_STYLE_SIZE]);

/** The style class of a difference: from blue for less to orange for more. */
const char *flame_difference_style(uint64_t before, uint64_t after);

/** The number of steps of differences, and the style class and meaning of each. */
#define FLAME_STEPS 9
const char *flame_step_style(int step);
const char *flame_step_name(int step);

/** The style sheet. */
extern const char flame_style_sheet[];

#endif
