/* SPDX-License-Identifier: MIT */
/* Gives positions their IDs, and writes POSITIONS blocks. */
#include "recorder/tables/positions.h"

#include "base/checked.h"
#include "format/values/losses.h"
#include "writer/writer.h"

#include <string.h>

/* Records of one block. */
#define BLOCK_RECORDS 4096

/* The low bits of an element that states a line. */
#define LINE_MASK UINT64_C(0xffffffff)
#define OFFSET_SHIFT 32
#define OFFSET_MASK ((UINT32_C(1) << 28) - 1)

/* How many hashes after that of a position are searched. Only chance makes them equal: the table is seeded. */
#define MAX_COLLISIONS 16

void position_store_init(position_store *positions, const mprof_allocator *allocator, recorder_output *output,
			 const uint32_t *texts)
{
	memset(positions, 0, sizeof(*positions));
	positions->allocator = *allocator;
	positions->output = output;
	positions->texts = texts;
	positions->first_id = 1;
	hash_map_init(&positions->ids, allocator);
}

void position_store_destroy(position_store *positions)
{
	hash_map_destroy(&positions->ids);
	allocator_release(&positions->allocator, positions->records, positions->capacity * sizeof(*positions->records));
	positions->records = NULL;
	positions->capacity = 0;
}

void position_store_resume(position_store *positions, uint32_t last)
{
	positions->first_id = last + 1;
	positions->count = last;
	positions->written = last;
}

static int is_line(mprof_frame frame)
{
	return (frame & MPROF_FRAME_LINE) == MPROF_FRAME_LINE;
}

static int is_file(mprof_frame frame)
{
	return (frame & ~LINE_MASK) == MPROF_FRAME_FILE;
}

void frames_split(split_frames *split, const mprof_frame *frames, size_t count)
{
	frame_line line = {0, 0, 0};

	split->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_line(frames[i])) {
			line.line = frames[i];
		} else if (is_file(frames[i])) {
			line.file = (uint32_t)frames[i];
		} else if (frames[i] <= MPROF_FRAME_TRUNCATED) {
			split->frames[split->count] = frames[i];
			split->lines[split->count++] =
				frames[i] == MPROF_FRAME_TRUNCATED ? (frame_line){0, 0, 0} : line;
			line = (frame_line){0, 0, 0};
		}
	}
}

static uint64_t hash_of(const position_store *positions, const mprof_position_record *position)
{
	uint64_t hash = hash_mix(positions->ids.index.seed, (uint64_t)position->target << 32 | position->line);

	hash = hash_mix(hash, (uint64_t)position->offset << 32 | position->file);
	return hash_mix(hash, position->is_native << 1 | position->is_inlined);
}

/* Searches from \p hash on, which becomes that of a free entry. Returns the ID; 0 if it was not found. */
static uint32_t find_position(const position_store *positions, const mprof_position_record *position, uint64_t *hash)
{
	for (int i = 0; i < MAX_COLLISIONS; i++, ++*hash) {
		const uint64_t *found = hash_map_get(&positions->ids, *hash);

		if (found == NULL)
			return 0;
		if (memcmp(&positions->records[*found - positions->first_id].as.position, position,
			   sizeof(*position)) == 0)
			return (uint32_t)*found;
	}
	return 0;
}

static uint32_t add_position(position_store *positions, const mprof_position_record *position, uint64_t hash)
{
	const size_t index = positions->count + 1 - positions->first_id;
	void *records = positions->records;
	int is_reserved = array_reserve(&positions->allocator, &records, &positions->capacity, index + 1,
					sizeof(*positions->records));

	positions->records = records;
	if (!is_reserved || !hash_map_put(&positions->ids, hash, positions->count + 1))
		return 0;
	positions->records[index] =
		(mprof_record){.kind = MPROF_RECORD_POSITION, .id = positions->count + 1, .as.position = *position};
	return ++positions->count;
}

uint32_t positions_intern(position_store *positions, const frame_line *line, uint32_t target, int is_native)
{
	const mprof_position_record position = {
		.target = target,
		.is_native = is_native != 0,
		.is_inlined = (line->line & MPROF_FRAME_INLINED) != 0,
		.line = (uint32_t)(line->line & LINE_MASK),
		.offset = (uint32_t)(line->line >> OFFSET_SHIFT) & OFFSET_MASK,
		/* A text that is not in the log, as in a damaged salvage file, names nothing. */
		.file = line->file <= *positions->texts ? line->file : 0,
	};
	uint64_t hash;
	uint32_t known = 0;

	if ((line->line == 0 && line->file == 0) || (is_native && target == 0))
		return 0;
	if (positions->output->has_positions) {
		hash = hash_of(positions, &position);
		known = find_position(positions, &position, &hash);
		if (known == 0 && positions->count < MAX_POSITIONS)
			known = add_position(positions, &position, hash);
	}
	/* The frame loses its line: the dialect has none, there are too many, or there is no memory. */
	if (known == 0)
		losses_shorten_block(writer_losses(positions->output->writer), MPROF_BLOCK_STACKS);
	return known;
}

void positions_write(position_store *positions)
{
	/* Only a log with positions needs the directive. */
	if (positions->written < positions->count && output_is_writing(positions->output))
		output_note_status(
			positions->output,
			writer_declare_more(positions->output->writer, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_POSITIONS)));
	while (positions->written < positions->count) {
		const uint32_t remaining = positions->count - positions->written;
		const uint32_t count = remaining < BLOCK_RECORDS ? remaining : BLOCK_RECORDS;

		output_write_records(positions->output, MPROF_BLOCK_POSITIONS,
				     &positions->records[positions->written + 1 - positions->first_id], count);
		positions->written += count;
	}
}
