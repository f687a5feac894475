/* SPDX-License-Identifier: MIT */
/* Gives call stacks and the positions of their frames their IDs, and writes STACKS and POSITIONS blocks. */
#include "recorder/tables/stacks.h"

#include "base/allocator.h"
#include "format/values/losses.h"
#include "writer/writer.h"

#include <string.h>

/*
 * Lines of frames: splits what threads record into frames and their lines, and interns positions.
 */

/* Maximum number of positions. Further ones get the ID 0: their frames have no line. */
#define MAX_POSITIONS (UINT32_C(1) << 22)

/* Whether frames contain lines. */
static int frames_have_lines(const mprof_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (frames[i] > MPROF_FRAME_TRUNCATED)
			return 1;
	}
	return 0;
}

/* Records of one block. */
#define BLOCK_RECORDS 4096

/* The low bits of an element that states a line. */
#define LINE_MASK UINT64_C(0xffffffff)
#define OFFSET_SHIFT 32
#define OFFSET_MASK ((UINT32_C(1) << 28) - 1)

/* How many hashes after that of a position are searched. Only chance makes them equal: the table is seeded. */
#define MAX_COLLISIONS 16

/* texts: the number of texts that the log defines. */
static void position_store_init(position_store *positions, const mprof_allocator *allocator, recorder_output *output,
				const uint32_t *texts)
{
	memset(positions, 0, sizeof(*positions));
	positions->allocator = *allocator;
	positions->output = output;
	positions->texts = texts;
	positions->first_id = 1;
	hash_map_init(&positions->ids, allocator);
}

static void position_store_destroy(position_store *positions)
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

/*
 * Splits the elements of a call stack. A line that no frame follows has no effect, and so has an element with bits that
 * have no meaning yet.
 */
static void frames_split(split_frames *split, const mprof_frame *frames, size_t count)
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

/*
 * The ID of the position of a frame, whose method or location is target; 0 if it has no line, there are too many, or
 * the dialect has none.
 */
static uint32_t positions_intern(position_store *positions, const frame_line *line, uint32_t target, int is_native)
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

uint32_t positions_of_line(position_store *positions, uint32_t method, uint32_t line, uint32_t file, int is_inlined)
{
	const frame_line stated = {MPROF_FRAME_LINE | (is_inlined ? MPROF_FRAME_INLINED : 0) | line, file, 0};

	return positions_intern(positions, &stated, method, 0);
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

/* Number of pending call stacks at which a block is written. */
#define STACKS_PENDING_MAX 512

/* The address in a native frame, without its flag bits. */
#define NATIVE_ADDRESS_MASK (~MPROF_FRAME_RETURN)

#define PENDING_SIZE (STACKS_PENDING_MAX * sizeof(mprof_record))

/* The bits that state what a frame is, in the key of a call stack. */
#define POSITION_KEY UINT64_C(3)

/* A call stack, the innermost frame first. */
typedef struct stack_frames {
	const mprof_frame *frames;
	const frame_line *lines; /* NULL: none has a line. */
	size_t count;
} stack_frames;

typedef struct remembered_stack {
	uint64_t counter;    /**< Counter for which it was interned. */
	uint32_t generation; /**< Generation of the native modules at that time. */
	uint32_t count;
	int has_lines;                       /**< 0: no frame has a line, and \c lines has no values. */
	mprof_frame frames[MPROF_STACK_MAX]; /**< Outermost first. */
	frame_line lines[MPROF_STACK_MAX];   /**< Of the frames. */
	uint32_t stacks[MPROF_STACK_MAX];    /**< ID of the call stack up to each frame. */
} remembered_stack;

int stack_store_init(stack_store *stacks, recorder_shared *shared, recorder_keys *keys, const uint32_t *texts,
		     const mprof_recorder_options *options)
{
	const mprof_allocator *allocator = &shared->allocator;

	memset(stacks, 0, sizeof(*stacks));
	stacks->keys = keys;
	stacks->output = keys->output;
	stacks->allocator = *allocator;
	hash_map_init(&stacks->ids, allocator);
	position_store_init(&stacks->positions, allocator, keys->output, texts);
	stacks->pending = allocator_allocate(allocator, PENDING_SIZE);
	return native_code_init(&stacks->code, shared, keys->output, &keys->journal, options) &&
	       stacks->pending != NULL;
}

void stack_store_destroy(stack_store *stacks)
{
	/* All zero: it was never initialized. */
	if (stacks->allocator.release == NULL)
		return;
	hash_map_destroy(&stacks->ids);
	native_code_destroy(&stacks->code);
	position_store_destroy(&stacks->positions);
	stack_memory_destroy(&stacks->sample_memory, &stacks->allocator);
	allocator_release(&stacks->allocator, stacks->pending, PENDING_SIZE);
	stacks->pending = NULL;
}

void stack_memory_destroy(stack_memory *memory, const mprof_allocator *allocator)
{
	allocator_release(allocator, memory->last, sizeof(*memory->last));
	memory->last = NULL;
}

static int is_same_line(const frame_line *one, const frame_line *other)
{
	return one->line == other->line && one->file == other->file;
}

/* The line of a frame, counted from the outermost one. */
static const frame_line *line_of(const stack_frames *stack, size_t depth)
{
	static const frame_line none = {0, 0, 0};

	return stack->lines != NULL ? &stack->lines[stack->count - 1 - depth] : &none;
}

/* The number of outermost elements that are the frames of the last call stack, whatever their lines are. */
static size_t count_same_frames(const remembered_stack *last, const mprof_frame *frames, size_t count)
{
	const size_t shorter = count < last->count ? count : last->count;
	size_t common = 0;

	while (common < shorter && last->frames[common] == frames[count - 1 - common])
		common++;
	return common;
}

/* The number of the first \p common frames, from the outermost one, whose lines are also those of the last stack. */
static size_t count_same_lines(const remembered_stack *last, const stack_frames *stack, size_t common)
{
	static const frame_line none = {0, 0, 0};

	for (size_t i = 0; (last->has_lines || stack->lines != NULL) && i < common; i++) {
		if (!is_same_line(last->has_lines ? &last->lines[i] : &none, line_of(stack, i)))
			return i;
	}
	return common;
}

/*
 * The number of outermost frames that a call stack has in common with the last one, whose IDs are known. \p common of
 * them are the same frames.
 */
static size_t count_known_frames(const stack_store *stacks, const remembered_stack *last, uint32_t generation,
				 const stack_frames *stack, size_t common, uint64_t counter)
{
	/* Equal keys are equal methods only on the same side of the last change. */
	if (last->generation != generation || last->counter < stacks->keys->methods_changed ||
	    counter < stacks->keys->methods_changed)
		return 0;
	common = count_same_lines(last, stack, common);
	/* A native frame that is innermost in only one of them is a return address in the other. */
	if ((common == stack->count || common == last->count) && common > 0 && stack->count != last->count &&
	    (last->frames[common - 1] & MPROF_FRAME_NATIVE) != 0)
		common--;
	return common;
}

/* Finds the ID of the method or location of a frame. Returns 0 if out of memory. */
static int resolve_frame(stack_store *stacks, mprof_frame frame, int is_innermost, uint64_t counter, uint32_t *target,
			 int *is_final)
{
	*target = 0;
	if (frame == MPROF_FRAME_TRUNCATED)
		return 1;
	if ((frame & MPROF_FRAME_NATIVE) != 0)
		*target = native_code_location(&stacks->code, frame & NATIVE_ADDRESS_MASK,
					       !is_innermost || (frame & MPROF_FRAME_RETURN) == MPROF_FRAME_RETURN,
					       counter, is_final);
	else if (frame_method(frame) != 0)
		*target = keys_method_id(stacks->keys, frame_method(frame), counter);
	return *target != 0 || frame_method(frame) == 0;
}

/*
 * The ID of the call stack of a frame called by another one. \p position is 0 if it has none. Returns 0 if it is new
 * and cannot be stored.
 */
static uint32_t intern_frame(stack_store *stacks, uint32_t caller, mprof_frame frame, uint32_t target,
			     uint32_t position)
{
	const uint64_t target_key = position != 0 ? POSITION_KEY << 32 | position : frame >> 62 << 32 | target;
	uint64_t key = (uint64_t)caller << 34 | target_key;
	const uint64_t *known = hash_map_get(&stacks->ids, key);

	if (known != NULL)
		return (uint32_t)*known;
	if (stacks->count >= MAX_STACKS || !hash_map_put(&stacks->ids, key, stacks->count + 1))
		return 0;
	stacks->count++;
	salvage_journal_append(&stacks->keys->journal,
			       &(journal_entry){.kind = JOURNAL_STACK, .key = key, .id = stacks->count});
	if (stacks->pending_count == STACKS_PENDING_MAX)
		stacks_write(stacks);
	stacks->pending[stacks->pending_count++] = (mprof_record){
		.kind = MPROF_RECORD_STACK,
		.id = stacks->count,
		.as.stack.caller = caller,
		.as.stack.target = position == 0 ? target : 0,
		.as.stack.is_native = position == 0 && (frame & MPROF_FRAME_NATIVE) != 0,
		.as.stack.is_compiling =
			(frame & (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING)) == MPROF_FRAME_COMPILING,
		.as.stack.position = position,
	};
	return stacks->count;
}

/* A method that is being compiled is in no line. */
static uint32_t position_of(stack_store *stacks, const frame_line *line, mprof_frame frame, uint32_t target)
{
	const int is_native = (frame & MPROF_FRAME_NATIVE) != 0;

	if (!is_native && (frame & MPROF_FRAME_COMPILING) != 0)
		return 0;
	return positions_intern(&stacks->positions, line, target, is_native);
}

/* Interns the frames that the last call stack does not have. Returns 0 if one of them cannot be stored. */
static uint32_t intern_inner_frames(stack_store *stacks, remembered_stack *last, const stack_frames *whole,
				    uint64_t counter)
{
	const mprof_frame *frames = whole->frames;
	const size_t count = whole->count;
	uint32_t stack = last->count > 0 ? last->stacks[last->count - 1] : 0;
	int is_final = 1;

	for (size_t depth = last->count; depth < count; depth++) {
		mprof_frame frame = frames[count - 1 - depth];
		uint32_t position = 0;
		uint32_t target;

		/*
		 * The mark of a truncated stack is only valid as the outermost frame; elsewhere it is an unknown
		 * method.
		 */
		if (frame == MPROF_FRAME_TRUNCATED && depth > 0)
			frame = 0;
		if (!resolve_frame(stacks, frame, depth == count - 1, counter, &target, &is_final))
			return 0;
		if (whole->lines != NULL)
			position = position_of(stacks, line_of(whole, depth), frame, target);
		stack = intern_frame(stacks, stack, frame, target, position);
		if (stack == 0)
			return 0;
		/* A frame that may resolve to another location the next time is not remembered, nor are the frames it
		 * calls. */
		if (!is_final)
			continue;
		last->frames[depth] = frame;
		if (last->has_lines)
			last->lines[depth] = *line_of(whole, depth);
		last->stacks[depth] = stack;
		last->count++;
	}
	return stack;
}

/* Forgets what the last call stack of a thread has beyond its \p common outermost frames. */
static void keep_common_frames(remembered_stack *last, const stack_frames *stack, size_t common)
{
	if (stack->lines != NULL && !last->has_lines)
		memset(last->lines, 0, common * sizeof(*last->lines));
	last->has_lines = stack->lines != NULL;
	last->count = (uint32_t)common;
}

uint32_t stacks_intern(stack_store *stacks, stack_memory *memory, const mprof_frame *frames, size_t count,
		       uint64_t counter)
{
	stack_frames whole = {frames, NULL, count < MPROF_STACK_MAX ? count : MPROF_STACK_MAX};
	remembered_stack *last = memory->last;
	uint32_t generation;
	size_t common;

	if (whole.count == 0 || !output_is_writing(stacks->output))
		return 0;
	if (last == NULL)
		last = memory->last = allocator_allocate_zeroed(&stacks->allocator, sizeof(*last));
	if (last == NULL)
		return 0;
	common = count_same_frames(last, frames, whole.count);
	/* A line is further inside than its frame: elements that are frames of the last stack need no second look. */
	if (frames_have_lines(frames, whole.count - common)) {
		frames_split(&stacks->split, frames, whole.count);
		whole = (stack_frames){stacks->split.frames, stacks->split.lines, stacks->split.count};
		if (whole.count == 0)
			return 0;
		common = count_same_frames(last, whole.frames, whole.count);
	}
	generation = native_code_generation(&stacks->code);
	common = count_known_frames(stacks, last, generation, &whole, common, counter);
	last->counter = counter;
	last->generation = generation;
	keep_common_frames(last, &whole, common);
	return intern_inner_frames(stacks, last, &whole, counter);
}

int stacks_recover(stack_store *stacks, const journal_entry *entry)
{
	if (entry->kind != JOURNAL_STACK)
		return native_code_recover(&stacks->code, entry);
	return entry->id > stacks->count || hash_map_put(&stacks->ids, entry->key, entry->id);
}

void stacks_write_journal(stack_store *stacks)
{
	const hash_map_entry *stack;
	size_t slot = 0;

	native_code_write_journal(&stacks->code);
	while ((stack = hash_map_next(&stacks->ids, &slot)) != NULL)
		salvage_journal_append(
			&stacks->keys->journal,
			&(journal_entry){.kind = JOURNAL_STACK, .key = stack->key, .id = (uint32_t)stack->value});
	if (stacks->ids.has_zero)
		salvage_journal_append(&stacks->keys->journal,
				       &(journal_entry){.kind = JOURNAL_STACK, .id = (uint32_t)stacks->ids.zero});
}

void stacks_write(stack_store *stacks)
{
	native_code_write(&stacks->code);
	positions_write(&stacks->positions);
	output_write_records(stacks->output, MPROF_BLOCK_STACKS, stacks->pending, stacks->pending_count);
	stacks->pending_count = 0;
}
