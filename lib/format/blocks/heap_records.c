/* SPDX-License-Identifier: MIT */
/* What the items of heap blocks look like. */
#include "format/blocks/heap_records.h"

#include <stddef.h>

const heap_item_layout *heap_item_layout_get(heap_layout layout)
{
	static const heap_item_layout layouts[] = {
		[HEAP_LAYOUT_BARE] = {.object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_CLASSES] = {.has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_UNTAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = 0},
		[HEAP_LAYOUT_TAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_NUMBERED] = {.has_number = 1,
					  .has_start_clock = 1,
					  .has_classes = 1,
					  .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_FIXED] = {.has_number = 1, .has_start_clock = 1, .has_classes = 1, .has_fixed_ints = 1},
	};

	return layout == HEAP_LAYOUT_NONE ? NULL : &layouts[layout];
}
