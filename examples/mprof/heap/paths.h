/* SPDX-License-Identifier: MIT */
/**
 * \file heap/paths.h
 * \brief How objects are held: paths from roots, what refers to objects, and single objects with their references.
 */
#ifndef HEAP_PATHS_H
#define HEAP_PATHS_H

#include "common/json.h"
#include "heap/view.h"

/** Prints the paths of the classes that the options name, or else of those that retain the most. */
void heap_paths_text(const heap_view *view);
void heap_paths_json(const heap_view *view, json_writer *json);

void heap_referrers_text(const heap_view *view);

/** Prints the referrers as an array, which is empty without --referrers. */
void heap_referrers_json(const heap_view *view, json_writer *json);

/** Prints the object at the address of --object; a message if there is none. */
void heap_object_text(const heap_view *view);

/** Prints the object as a field of an open object; null without --object. */
void heap_object_json(const heap_view *view, json_writer *json);

#endif
