/* SPDX-License-Identifier: MIT */
/**
 * \file common/recording_filters.h
 * \brief The filters with which a log was recorded: what is missing because of mprof record --only and --not.
 */
#ifndef RECORDING_FILTERS_H
#define RECORDING_FILTERS_H

#include "common/json.h"

#include <stdint.h>
#include <stdio.h>

/** Maximum length of the patterns of an option; longer ones are shortened. */
#define RECORDING_FILTERS_TEXT 1024

typedef struct recording_filters {
	char only[RECORDING_FILTERS_TEXT]; /**< Separated by line feeds; "" if none. */
	char excluded[RECORDING_FILTERS_TEXT];
	int are_changed; /**< They were changed while the program ran. */
} recording_filters;

/** Takes a property of the session, if it is one of filters. */
void recording_filters_take(recording_filters *filters, const char *key, const char *value);

/** Whether a property is one of filters. */
int recording_filters_is_key(const char *key);

/** Whether anything may be missing. */
int recording_filters_exist(const recording_filters *filters);

/** Prints what is missing. \p flags: of mprof_intro_flag, the kinds that were recorded. */
void recording_filters_print_text(const recording_filters *filters, uint32_t flags, FILE *file);

void recording_filters_print_json(const recording_filters *filters, json_writer *json);

#endif
