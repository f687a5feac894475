/* SPDX-License-Identifier: MIT */
/**
 * \file filters.h
 * \brief The methods whose calls are recorded: the options only=PATTERN and not=PATTERN.
 */
#ifndef FILTERS_H
#define FILTERS_H

#include <mono/metadata/object-forward.h>

typedef struct filters filters;

/** The effect of a pattern. */
typedef enum filter_action { FILTER_ONLY, FILTER_NOT } filter_action;

/**
 * Adds a shell pattern. A prefix selects the part of a method's name that it is matched with: "assembly:",
 * "namespace:", "class:" or "method:". Without a prefix, a pattern with a colon is matched with
 * "Namespace.Class:Method", and any other with "Namespace.Class". Creates \p list if it is NULL. Returns 1; 0 with
 * errno EINVAL if the pattern is empty, ENOMEM if out of memory.
 */
int filters_add(filters **list, filter_action action, const char *pattern);

/**
 * Whether calls of a method are recorded: no FILTER_NOT matches it, and a FILTER_ONLY does, or there is none. Called by
 * the callback that decides which code is instrumented, so that excluded methods cost nothing. \p list may be NULL.
 */
int filters_admit(const filters *list, MonoMethod *method);

void filters_release(filters *list);

#endif
