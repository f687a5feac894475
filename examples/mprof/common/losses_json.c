/* SPDX-License-Identifier: MIT */
/* Prints as JSON the numbers of items that a dialect could not represent, by kind. */
#include "common/losses_json.h"

#include "shared/losses.h"

void losses_print_json(const mprof_writer_stats *stats, json_writer *json)
{
	loss_list lists[LOSS_LISTS];

	losses_list(stats, lists);
	json_begin_object(json, "left_out");
	json_unsigned(json, "total", stats->left_out);
	for (size_t i = 0; i < LOSS_LISTS; i++) {
		json_begin_object(json, lists[i].key);
		for (size_t kind = 0; kind < lists[i].count; kind++) {
			if (lists[i].counts[kind] > 0)
				json_unsigned(json, lists[i].name((uint32_t)kind), lists[i].counts[kind]);
		}
		json_end_object(json);
	}
	json_unsigned(json, "others", losses_of_no_kind(stats, lists));
	json_end_object(json);
}
