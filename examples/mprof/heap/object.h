/* SPDX-License-Identifier: MIT */
/**
 * \file heap/object.h
 * \brief Prints one object: what it refers to, what refers to it, and its path from a root.
 */
#ifndef HEAP_OBJECT_H
#define HEAP_OBJECT_H

#include "common/json.h"
#include "heap/view.h"

/** Prints the object at the address of --object; a message if there is none. */
void heap_object_text(const heap_view *view);

/** Prints the object as a field of an open object; null without --object. */
void heap_object_json(const heap_view *view, json_writer *json);

#endif
