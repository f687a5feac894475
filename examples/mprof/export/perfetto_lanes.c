/* SPDX-License-Identifier: MIT */
/* Finds tracks for slices that may overlap. */
#include "export/perfetto_lanes.h"

#include <stdlib.h>

/* Lanes of a kind that are searched. */
#define MAX_SEARCHED 64

typedef struct trace_lane {
	uint64_t end;
	uint64_t track;
	struct trace_lane *next; /* Of the same kind. */
} trace_lane;

/* An entry of perfetto_lanes::kinds. */
typedef struct lane_entry {
	uint64_t kind;
	trace_lane *first;
} lane_entry;

static trace_lane *find_lane(const lane_entry *entry, uint64_t start)
{
	int searched = 0;

	for (trace_lane *lane = entry->first; lane != NULL && searched < MAX_SEARCHED; lane = lane->next, searched++) {
		if (lane->end <= start)
			return lane;
	}
	return NULL;
}

uint64_t perfetto_lanes_track(perfetto_lanes *lanes, perfetto_writer *writer, uint64_t kind, uint64_t parent,
			      const char *name, uint64_t start, uint64_t end)
{
	lane_entry *entry;
	trace_lane *lane;

	lanes->kinds.value_size = sizeof(lane_entry) - sizeof(uint64_t);
	entry = key_map_put(&lanes->kinds, kind);
	lane = entry != NULL ? find_lane(entry, start) : NULL;
	if (lane == NULL) {
		lane = entry != NULL ? calloc(1, sizeof(*lane)) : NULL;
		if (lane == NULL) {
			writer->has_failed = 1;
			return 0;
		}
		lane->next = entry->first;
		entry->first = lane;
		lane->track = perfetto_track_id(writer, PERFETTO_INTERVALS, ++lanes->count);
		perfetto_describe_track(writer, lane->track, parent, name);
	}
	lane->end = end;
	return lane->track;
}

void perfetto_lanes_release(perfetto_lanes *lanes)
{
	for (size_t i = 0; lanes->kinds.capacity > 0 && i <= lanes->kinds.capacity; i++) {
		lane_entry *entry = key_map_slot(&lanes->kinds, i);

		while (entry != NULL && entry->first != NULL) {
			trace_lane *lane = entry->first;

			entry->first = lane->next;
			free(lane);
		}
	}
	key_map_clear(&lanes->kinds);
}
