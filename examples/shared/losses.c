/* SPDX-License-Identifier: MIT */
/* Lists and prints the data that a dialect could not represent. */
#include "shared/losses.h"

#include "shared/kinds.h"
#include "shared/text.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *event_name(uint32_t kind)
{
	return mprof_event_get_name(kind);
}

static const char *block_name(uint32_t kind)
{
	return mprof_block_get_name(kind);
}

void losses_list(const mprof_writer_stats *stats, loss_list lists[LOSS_LISTS])
{
	lists[0] = (loss_list){
		"events",  "event", "left out, not available in", stats->left_out_events, COUNT(stats->left_out_events),
		event_name};
	lists[1] = (loss_list){"shortened_events",
			       "event",
			       "shortened to the limits of",
			       stats->shortened_events,
			       COUNT(stats->shortened_events),
			       event_name};
	lists[2] = (loss_list){
		"blocks",  "block", "left out, not available in", stats->left_out_blocks, COUNT(stats->left_out_blocks),
		block_name};
	lists[3] = (loss_list){"shortened_blocks",
			       "block",
			       "shortened to the limits of",
			       stats->shortened_blocks,
			       COUNT(stats->shortened_blocks),
			       block_name};
	lists[4] = (loss_list){"records",
			       "definition",
			       "left out, not available in",
			       stats->left_out_records,
			       COUNT(stats->left_out_records),
			       kind_of_record};
}

uint64_t losses_of_no_kind(const mprof_writer_stats *stats, const loss_list lists[LOSS_LISTS])
{
	uint64_t known = 0;

	for (size_t i = 0; i < LOSS_LISTS; i++) {
		for (size_t kind = 0; kind < lists[i].count; kind++)
			known += lists[i].counts[kind];
	}
	return stats->left_out > known ? stats->left_out - known : 0;
}

static void print_list(const loss_list *list, const char *name, const char *dialect)
{
	char text[TEXT_NUMBER_SIZE];

	for (size_t kind = 0; kind < list->count; kind++) {
		if (list->counts[kind] == 0)
			continue;
		text_begin_message(name);
		fprintf(stderr, "%s %s %s%s %s %s\n", text_count(text, list->counts[kind]), list->name((uint32_t)kind),
			list->what, list->counts[kind] == 1 ? "" : "s", list->became, dialect);
	}
}

void losses_print(const mprof_writer_stats *stats, const char *name, mprof_dialect dialect)
{
	loss_list lists[LOSS_LISTS];
	char text[TEXT_NUMBER_SIZE];

	losses_list(stats, lists);
	for (size_t i = 0; i < LOSS_LISTS; i++)
		print_list(&lists[i], name, mprof_dialect_get_name(dialect));
	if (losses_of_no_kind(stats, lists) == 0)
		return;
	text_begin_message(name);
	fprintf(stderr, "%s other items left out, not available in %s\n",
		text_count(text, losses_of_no_kind(stats, lists)), mprof_dialect_get_name(dialect));
}
