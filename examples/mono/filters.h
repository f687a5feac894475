/* SPDX-License-Identifier: MIT */
/**
 * \file filters.h
 * \brief The methods that are recorded: the options only=PATTERN and not=PATTERN.
 */
#ifndef MONO_FILTERS_H
#define MONO_FILTERS_H

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

/** Whether a pattern of this action matches a method. \p list may be NULL. */
int filters_match(const filters *list, filter_action action, MonoMethod *method);

/** Whether there is a pattern of this action. \p list may be NULL. */
int filters_have(const filters *list, filter_action action);

/** Adds the patterns of an action to another list. Returns 0 if out of memory. */
int filters_copy(filters **list, filter_action action, const filters *from);

/** The patterns of an action, separated by line feeds; "" if none. The caller frees it. NULL if out of memory. */
char *filters_text(const filters *list, filter_action action);

void filters_release(filters *list);

#endif
