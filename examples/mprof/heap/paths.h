/* SPDX-License-Identifier: MIT */
/**
 * \file heap/paths.h
 * \brief Prints the paths from roots to the objects of some classes, merged by their shape.
 */
#ifndef HEAP_PATHS_H
#define HEAP_PATHS_H

#include "common/json.h"
#include "heap/view.h"

/** Prints the paths of the classes that the options name, or else of those that retain the most. */
void heap_paths_text(const heap_view *view);
void heap_paths_json(const heap_view *view, json_writer *json);

/** Prints the path of one object as the rest of a line. Returns 0 if no root reaches it. */
int heap_path_text(const heap_view *view, uint32_t object);

void heap_referrers_text(const heap_view *view);

/** Prints the referrers as an array, which is empty without --referrers. */
void heap_referrers_json(const heap_view *view, json_writer *json);

#endif
