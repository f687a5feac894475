/* SPDX-License-Identifier: MIT */
/**
 * \file heap/referrers.h
 * \brief Prints what refers to the objects of some classes: classes with their fields, and roots.
 */
#ifndef HEAP_REFERRERS_H
#define HEAP_REFERRERS_H

#include "common/json.h"
#include "heap/view.h"

void heap_referrers_text(const heap_view *view);

/** Prints the referrers as an array, which is empty without --referrers. */
void heap_referrers_json(const heap_view *view, json_writer *json);

#endif
