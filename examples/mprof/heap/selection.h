/* SPDX-License-Identifier: MIT */
/**
 * \file heap/selection.h
 * \brief Prints the objects that are selected by what they refer to and by what refers to them.
 */
#ifndef HEAP_SELECTION_H
#define HEAP_SELECTION_H

#include "common/json.h"
#include "heap/view.h"

/** Whether options select objects by references. */
int heap_selection_is_wanted(const heap_view *view);

void heap_selection_text(const heap_view *view);

/** Prints the selection as a field of an open object; null without one. */
void heap_selection_json(const heap_view *view, json_writer *json);

#endif
