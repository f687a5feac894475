/* SPDX-License-Identifier: MIT */
/**
 * \file filters.h
 * \brief Whose calls are recorded: the options only=PATTERN and not=PATTERN.
 */
#ifndef FILTERS_H
#define FILTERS_H

#include <mono/metadata/object-forward.h>

typedef struct filters filters;

/** What a pattern does. */
typedef enum filter_action { FILTER_ONLY, FILTER_NOT } filter_action;

/**
 * Adds a pattern of the shell, for the part of a method's name that stands in front of it: "assembly:", "namespace:",
 * "class:" or "method:". Without one of these it is for "Namespace.Class:Method" if it has a colon, and else for
 * "Namespace.Class". Makes \p list if it is NULL. Returns 1; 0 if the pattern is empty or there is no memory, and errno
 * says which (EINVAL, ENOMEM).
 */
int filters_add(filters **list, filter_action action, const char *pattern);

/**
 * Whether calls of a method are recorded: no FILTER_NOT matches it, and a FILTER_ONLY does, or there is none. Meant for
 * the callback that decides which code is instrumented, so that what is left out costs nothing. \p list may be NULL.
 */
int filters_admit(const filters *list, MonoMethod *method);

void filters_release(filters *list);

#endif
