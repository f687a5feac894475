/* SPDX-License-Identifier: MIT */
/**
 * \file heap/largest.h
 * \brief Prints the objects that retain the most.
 */
#ifndef HEAP_MAX_H
#define HEAP_MAX_H

#include "common/json.h"
#include "heap/view.h"

void heap_largest_text(const heap_view *view);
void heap_largest_json(const heap_view *view, json_writer *json);

#endif
