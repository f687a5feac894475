/* SPDX-License-Identifier: MIT */
/**
 * \file flame/figures.h
 * \brief The figures of a frame as text, for its tooltip.
 */
#ifndef FLAME_FIGURES_H
#define FLAME_FIGURES_H

#include "export/stack_nodes.h"

#include <stdio.h>

/** The size of a formatted amount in bytes. */
#define FIGURES_SIZE 64

/** What the figures of all frames refer to. */
typedef struct flame_scale {
	export_value value;
	uint64_t whole;          /**< The total of the log. */
	uint64_t before_whole;   /**< The total of the earlier log; 0 if there is none. */
	int has_before;          /**< Frames are compared with an earlier log. */
	int is_normalized;       /**< Values of the earlier log are scaled to the same total. */
	sampling_facts sampling; /**< For the time that samples stand for. */
} flame_scale;

/** The values of a frame. */
typedef struct flame_values {
	uint64_t count;
	uint64_t self;
	uint64_t total;
	uint64_t before_self;
	uint64_t before_total;
} flame_values;

/** Formats an amount with its unit: "12.3 ms", "83 samples". Returns \p text. */
char *flame_amount(const flame_scale *scale, char text[FIGURES_SIZE], uint64_t amount);

/** A value of the earlier log as it is compared: scaled if that is requested. */
uint64_t flame_before(const flame_scale *scale, uint64_t value);

/** Prints the figures of a frame: total, self and count, or both totals and their difference. */
void flame_figures_print(FILE *file, const flame_scale *scale, const flame_values *values);

/** Prints the full name of a frame as XML: with the module of a native function. */
void flame_figures_print_name(FILE *file, const stack_frame *frame);

/** Prints what the script needs to format figures, as attributes. */
void flame_figures_print_nouns(FILE *file, const flame_scale *scale);

#endif
