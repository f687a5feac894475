/* SPDX-License-Identifier: MIT */
/* The dialect, the directives and the state of a log, and the last counter of each of its threads. */
#include "parser/log_state.h"

#include "base/allocator.h"
#include "format/values/varint.h"
#include "parser/errors.h"

#include <string.h>

/* Upper bound for an INTRO, which contains the name of a runtime and a few numbers. */
#define MAX_INTRO_LENGTH 4096

static mprof_status fail_detection(mprof_parser *parser, mprof_status status, uint64_t offset, const char *what)
{
	return parser_fail(parser, status, MPROF_SEVERITY_FATAL, offset, what);
}

static mprof_status fail_foreign(mprof_parser *parser)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);

	if (length > 0 && dialect_guess_from(bytes, length) == DIALECT_GUESS_MORE_BYTES)
		return fail_detection(parser, MPROF_ERR_NOT_MPROF, 0, "the file is too short to be an mprof log");
	return fail_detection(parser, MPROF_ERR_NOT_MPROF, 0, dialect_foreign_name(bytes, length));
}

/*
 * Whether the content of a block follows the grammar of a dialect for a block kind. The decoded values are discarded.
 */
static int content_fits(const mprof_parser *parser, mprof_dialect dialect, mprof_block_kind kind,
			const uint8_t *content, size_t length)
{
	block_decoding decoding = parser->decoding;
	mprof_block block = {.kind = kind};
	content_cursor cursor;
	block_body body;

	decoding.rules = dialect_get(dialect);
	return block_decode(&decoding, content, length, &block, &body, &cursor) == MPROF_OK;
}

/* Whether the log begins with a complete INTRO of a dialect. */
static int intro_fits(const mprof_parser *parser, mprof_dialect dialect)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);
	size_t header_length = dialect_get(dialect)->header_length;
	block_header header;

	block_header_decode(bytes, &header);
	return length >= header_length && header.length <= length - header_length &&
	       content_fits(parser, dialect, MPROF_BLOCK_INTRO, bytes + header_length, header.length);
}

/*
 * In all logs that Mono wrote, the counters in the header of the first block are 0. Another writer may set them, and
 * the header then looks like the start of a log of another dialect. In that case the whole INTRO is needed to
 * distinguish the two dialects.
 */
static mprof_status detect_counters_in_header(mprof_parser *parser, dialect_guess *guess)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);
	block_header header;

	if (*guess == DIALECT_GUESS_LONG_HEADER || length < 2 || bytes_load_16(bytes) != 1)
		return MPROF_OK;
	if (length < DIALECT_GUESS_LONG_LENGTH)
		return parser->is_finished ? MPROF_OK : parser_wait(parser, DIALECT_GUESS_LONG_LENGTH);
	block_header_decode(bytes, &header);
	if (!dialect_guess_is_long(bytes) || header.length > MAX_INTRO_LENGTH || intro_fits(parser, MPROF_DIALECT_MAIL))
		return MPROF_OK;
	if (length - 10 < header.length && !parser->is_finished)
		return parser_wait(parser, 10 + (uint64_t)header.length);
	if (intro_fits(parser, MPROF_DIALECT_MONO))
		*guess = DIALECT_GUESS_LONG_HEADER;
	return MPROF_OK;
}

static mprof_status apply_guess(mprof_parser *parser, dialect_guess guess)
{
	mprof_dialect dialect;

	switch (guess) {
	case DIALECT_GUESS_MPROF2:
		dialect = MPROF_DIALECT_MPROF2;
		break;
	case DIALECT_GUESS_SHORT_HEADER:
		dialect = MPROF_DIALECT_MAIL;
		break;
	case DIALECT_GUESS_LONG_HEADER:
		dialect = MPROF_DIALECT_MONO;
		break;
	case DIALECT_GUESS_FIXED_INTS:
		dialect = MPROF_DIALECT_UNITY_FIXED;
		break;
	case DIALECT_GUESS_NEWER:
		return fail_detection(
			parser, MPROF_ERR_UNSUPPORTED, 6,
			"this log has a later version of the format, which this version of the library cannot read");
	default:
		return fail_foreign(parser);
	}
	parser->decoding.rules = dialect_get(dialect);
	parser->log_phase = PARSER_LOG_AT_INTRO;
	return MPROF_OK;
}

mprof_status parser_detect(mprof_parser *parser)
{
	size_t length = parser_buffer_length(&parser->buffer);
	dialect_guess guess = DIALECT_GUESS_MORE_BYTES;
	mprof_status status;

	if (length > 0)
		guess = dialect_guess_from(parser_buffer_bytes(&parser->buffer), length);
	/* A few more bytes identify the format of a foreign file. */
	if (!parser->is_finished && length < DIALECT_GUESS_LENGTH &&
	    (guess == DIALECT_GUESS_MORE_BYTES || guess == DIALECT_GUESS_NONE))
		return parser_wait(parser, guess == DIALECT_GUESS_NONE || length >= 7 ? DIALECT_GUESS_LENGTH : 7);
	status = detect_counters_in_header(parser, &guess);
	return status == MPROF_OK ? apply_guess(parser, guess) : status;
}

/* Which of the two dialects a block proves for a log that begins like mail. */
typedef enum verdict { VERDICT_NONE, VERDICT_MAIL, VERDICT_DROP } verdict;

/*
 * For a block that is too long to wait for: with codes 4 and 5, mail has MAPPING and EVENTS, drop has blocks for code
 * units, which are short.
 */
static verdict verdict_by_length(uint32_t code)
{
	return code == 4 || code == 5 ? VERDICT_MAIL : VERDICT_DROP;
}

/*
 * Blocks for loaded and unloaded code units end with a name, and so with a byte 0. All other blocks end with a varint,
 * whose last byte has the high bit set.
 */
static verdict verdict_by_last_byte(uint32_t code, uint8_t last)
{
	if (last > 0 && last < VARINT_LAST_BIT)
		return VERDICT_NONE;
	return (last == 0) == (code <= 3) ? VERDICT_MAIL : VERDICT_DROP;
}

/* END of mail has three varints. STATISTICAL of drop has at least five, because it contains two CLOCKs. */
static verdict verdict_by_varint_count(const uint8_t *content, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length && count <= 3; i++)
		count += content[i] >= VARINT_LAST_BIT;
	return count == 3 ? VERDICT_MAIL : VERDICT_DROP;
}

static verdict verdict_by_content(const mprof_parser *parser, uint32_t code, const uint8_t *content, size_t length)
{
	switch (code) {
	case 6:
		if (content_fits(parser, MPROF_DIALECT_DROP, MPROF_BLOCK_EVENTS, content, length))
			return VERDICT_DROP;
		return content_fits(parser, MPROF_DIALECT_MAIL, MPROF_BLOCK_STATISTICAL, content, length)
			       ? VERDICT_MAIL
			       : VERDICT_NONE;
	case 7:
		return verdict_by_varint_count(content, length);
	case 8:
		return VERDICT_DROP;
	default:
		return verdict_by_last_byte(code, content[length - 1]);
	}
}

int parser_may_be_mail_or_drop(const mprof_parser *parser)
{
	return parser->log_phase == PARSER_LOG_MAIL_OR_DROP ||
	       (parser->log_phase == PARSER_LOG_AT_INTRO && parser->decoding.rules->dialect == MPROF_DIALECT_MAIL);
}

void parser_intro_done(mprof_parser *parser)
{
	if (parser->log_phase == PARSER_LOG_AT_INTRO)
		parser->log_phase =
			parser_may_be_mail_or_drop(parser) ? PARSER_LOG_MAIL_OR_DROP : PARSER_LOG_IDENTIFIED;
}

mprof_status parser_decide_mail_or_drop(mprof_parser *parser, const block_header *header)
{
	size_t available = parser_buffer_length(&parser->buffer);
	verdict verdict = VERDICT_NONE;

	if (header->code < 2 || header->code > 8 || header->length == 0)
		return MPROF_OK;
	if (header->length > parser->max_block_length)
		verdict = verdict_by_length(header->code);
	else if (available >= parser->span)
		verdict = verdict_by_content(parser, header->code, parser_content(parser), header->length);
	else if (!parser->is_finished)
		return parser_wait(parser, parser->span);
	if (verdict != VERDICT_NONE)
		parser->log_phase = PARSER_LOG_IDENTIFIED;
	if (verdict == VERDICT_DROP)
		parser->decoding.rules = dialect_get(MPROF_DIALECT_DROP);
	return MPROF_OK;
}

/* Changes the dialect from mono to unity. Called when call stacks of samples were found to start with their length. */
static void parser_set_unity_dialect(mprof_parser *parser)
{
	parser->decoding.rules = dialect_get(MPROF_DIALECT_UNITY);
}

/* A counter that differs from the wall-clock time by at most this many microseconds is itself a wall-clock time. */
#define CLOCK_PRECISION UINT64_C(1000000)

int parser_directives_reserve(mprof_parser *parser)
{
	void *changes = parser->directives.changes;
	int reserved = array_reserve(&parser->allocator, &changes, &parser->directives.capacity,
				     parser->directives.count + 1, sizeof(*parser->directives.changes));

	parser->directives.changes = changes;
	return reserved;
}

/* The change that the DIRECTIVES block at this offset made, or NULL if it is not recorded. */
static directive_change *change_find(const mprof_parser *parser, uint64_t offset)
{
	for (size_t i = 0; i < parser->directives.count; i++) {
		if (parser->directives.changes[i].offset == offset)
			return &parser->directives.changes[i];
	}
	return NULL;
}

static int adds_nothing(const directive_change *known, const directive_change *change)
{
	return (change->declared & ~known->declared) == 0 &&
	       (change->unreadable_kinds & ~known->unreadable_kinds) == 0 && change->is_lost <= known->is_lost;
}

void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost)
{
	const directive_change change = {parser->block.offset, declared, unreadable_kinds, is_lost};
	directive_change *known = change_find(parser, change.offset);

	if (known != NULL)
		*known = change;
	else if (!adds_nothing(&parser->directives.in_force, &change))
		/* Repeated declarations are not stored, so a log cannot consume memory with them. */
		parser->directives.changes[parser->directives.count++] = change;
	parser_directives_restore(parser, change.offset + 1);
}

void parser_directives_restore(mprof_parser *parser, uint64_t offset)
{
	directive_change *joined = &parser->directives.in_force;

	memset(joined, 0, sizeof(*joined));
	for (size_t i = 0; i < parser->directives.count; i++) {
		const directive_change *change = &parser->directives.changes[i];

		if (change->offset >= offset)
			continue;
		joined->declared |= change->declared;
		joined->unreadable_kinds |= change->unreadable_kinds;
		joined->is_lost |= change->is_lost;
	}
	parser->decoding.directives = joined->declared;
}

static int store_object_sizes(mprof_parser *parser)
{
	mapping_cursor entries;
	mprof_mapping entry;

	block_mappings_begin(&entries, &parser->decoding, parser_content(parser), parser_content_length(parser),
			     &parser->body);
	while (mapping_cursor_next(&entries, &entry) && !entry.is_method) {
		/* The first of several definitions is kept, as for names. */
		if (entry.size != 0 && id_map_get(&parser->object_sizes, entry.id) == 0 &&
		    !id_map_put(&parser->object_sizes, entry.id, entry.size))
			return 0;
	}
	return 1;
}

int parser_store_object_sizes(mprof_parser *parser)
{
	const prepared_source *source = &parser->prepared_source;
	int stored;

	/* Set only if the directive that adds sizes is in force. Other MAPPING blocks need no second pass. */
	if (!parser->body.mapping.has_object_sizes)
		return 1;
	/* The map may move. Blocks prepared without the new sizes are valid: a size that is known never changes. */
	if (source->pause != NULL)
		source->pause(source->user);
	stored = store_object_sizes(parser);
	if (source->resume != NULL)
		source->resume(source->user);
	return stored;
}

/* Whether the counters of a log are wall-clock times. */
static int counter_is_wall_clock(const mprof_clock *clock)
{
	return clock->counter - clock->time + CLOCK_PRECISION <= 2 * CLOCK_PRECISION;
}

/*
 * Mono did not record the numbers of collections at first, and no field of a log shows whether it does. Numbers and a
 * counter in processor ticks were introduced on the same day; earlier versions, and versions for other processors, use
 * wall-clock times as counters. Numbers are therefore certain if the counter is not a wall-clock time, if a feature
 * that was introduced after numbers is used, or if a number itself occurs.
 */
static int implies_collection_numbers(const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return !counter_is_wall_clock(&block->start);
	case MPROF_BLOCK_DIRECTIVES:
	case MPROF_BLOCK_HEAP_SUMMARY:
		return 1;
	case MPROF_BLOCK_HEAP_DATA:
		return block->as.heap_data.number != 0;
	default:
		return 0;
	}
}

static void infer_collection_numbers(mprof_parser *parser)
{
	if (implies_collection_numbers(&parser->block))
		parser->events.numbers = COLLECTION_NUMBERS_SURE;
}

static void add_known_ids(known_ids *known, const mapping_lists *lists)
{
	known_id_add(&known->class_id, lists->highest_class);
	known_id_add(&known->method_id, lists->highest_method);
}

static void infer_statistical_layout(mprof_parser *parser, const statistical_result *result)
{
	parser->decoding.known = result->known;
	/*
	 * A likely layout is kept, too, so that a block is decoded in the same way whichever blocks were read before
	 * it.
	 */
	if (result->is_sure || (result->is_likely && parser->decoding.statistical == STATISTICAL_LAYOUT_NONE))
		parser->decoding.statistical = result->layout;
	if (result->is_caller_count_first)
		parser_set_unity_dialect(parser);
}

void parser_infer_layouts(mprof_parser *parser)
{
	infer_collection_numbers(parser);
	if (!parser->decoding.rules->has_guessed_layouts)
		return;
	if (parser->block.kind == MPROF_BLOCK_MAPPING)
		add_known_ids(&parser->decoding.known, &parser->body.mapping);
	else if (parser->block.kind == MPROF_BLOCK_STATISTICAL)
		infer_statistical_layout(parser, &parser->body.statistical);
	else if (parser->block.kind == MPROF_BLOCK_HEAP_DATA && parser->body.heap.is_sure)
		parser->decoding.heap = parser->body.heap.layout;
}

/*
 * Finds the counter that the first delta of an EVENTS block is added to. In some logs it is not the base
 * counter.
 *
 * Mono renewed the base counter of a thread only when its buffer was full. Blocks written before that repeat the base
 * counter of the thread's previous block, while their first delta refers to the last event of that block.
 */

/*
 * Maximum number of threads that are kept, far more than run at once. When a log exceeds it, all are discarded, so that
 * memory stays bounded.
 */
#define MAX_THREADS 65536

/*
 * Maximum number of starts that are kept. If a log has more such blocks, the others start from their base counter when
 * they are read out of order.
 */
#define MAX_STARTS 65536

void thread_counters_init(thread_counters *counters, const mprof_allocator *allocator)
{
	memset(counters, 0, sizeof(*counters));
	counters->allocator = *allocator;
	thread_map_init(&counters->positions, allocator);
	counters->is_complete = 1;
}

void thread_counters_destroy(thread_counters *counters)
{
	thread_map_destroy(&counters->positions);
	allocator_release(&counters->allocator, counters->threads,
			  counters->thread_capacity * sizeof(*counters->threads));
	allocator_release(&counters->allocator, counters->starts, counters->start_capacity * sizeof(*counters->starts));
}

static void discard_threads(thread_counters *counters)
{
	thread_map_destroy(&counters->positions);
	counters->thread_count = 0;
	counters->is_complete = 0;
}

/* Records that no block before this offset is an EVENTS block, provided that all of the log so far was read. */
static void extend_blocks_without_events(thread_counters *counters, uint64_t offset)
{
	if (counters->is_complete && !counters->has_first && offset > counters->first_offset)
		counters->first_offset = offset;
}

/* Records an EVENTS block. It is the first one of the log if there was none before and no block was missed. */
static void record_events_block(thread_counters *counters, uint64_t offset)
{
	extend_blocks_without_events(counters, offset);
	counters->has_first |= counters->is_complete;
}

void thread_counters_miss(thread_counters *counters, uint64_t offset)
{
	record_events_block(counters, offset);
	counters->is_complete = 0;
}

void thread_counters_jump(thread_counters *counters, uint64_t from, uint64_t to)
{
	extend_blocks_without_events(counters, from);
	discard_threads(counters);
	counters->is_complete = to <= counters->first_offset;
}

/* Returns the index of the start of the block at this offset, or the index at which it would be inserted. */
static size_t start_index(const thread_counters *counters, uint64_t offset)
{
	size_t low = 0;
	size_t high = counters->start_count;

	/* Blocks are mostly read in order. */
	if (high > 0 && counters->starts[high - 1].offset < offset)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (counters->starts[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const block_start *start_find(const thread_counters *counters, uint64_t offset)
{
	size_t index = start_index(counters, offset);

	if (index == counters->start_count || counters->starts[index].offset != offset)
		return NULL;
	return &counters->starts[index];
}

/* Stores the counter that a block starts from. Returns 0 if out of memory. */
static int start_put(thread_counters *counters, uint64_t offset, uint64_t counter)
{
	size_t index = start_index(counters, offset);
	void *starts = counters->starts;
	int reserved;

	if (counters->start_count >= MAX_STARTS)
		return 1;
	reserved = array_reserve(&counters->allocator, &starts, &counters->start_capacity, counters->start_count + 1,
				 sizeof(*counters->starts));
	counters->starts = starts;
	if (!reserved)
		return 0;
	memmove(&counters->starts[index + 1], &counters->starts[index],
		(counters->start_count - index) * sizeof(*counters->starts));
	counters->starts[index].offset = offset;
	counters->starts[index].counter = counter;
	counters->start_count++;
	return 1;
}

/* Adds a thread. Returns 0 if out of memory. */
static int add_thread_counter(thread_counters *counters, uint64_t thread)
{
	void *threads = counters->threads;
	int is_added;

	if (counters->thread_count == MAX_THREADS)
		discard_threads(counters);
	is_added = thread_map_add(&counters->positions, thread, &threads, &counters->thread_capacity,
				  counters->thread_count, sizeof(*counters->threads));
	counters->threads = threads;
	if (!is_added)
		return 0;
	counters->current = counters->thread_count++;
	return 1;
}

int thread_counters_begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base, uint64_t *start)
{
	const size_t position = thread_map_find(&counters->positions, thread);
	const block_start *known = start_find(counters, offset);
	thread_counter *current;

	*start = base;
	if (known != NULL)
		*start = known->counter;
	else if (position != THREAD_MAP_NONE && counters->threads[position].base == base)
		*start = counters->threads[position].reached;
	if (counters->is_complete && known == NULL && *start != base && !start_put(counters, offset, *start))
		return 0;
	if (position != THREAD_MAP_NONE)
		counters->current = position;
	else if (!add_thread_counter(counters, thread))
		return 0;
	record_events_block(counters, offset);
	current = &counters->threads[counters->current];
	current->base = base;
	current->reached = *start;
	return 1;
}

void thread_counters_end(thread_counters *counters, uint64_t reached)
{
	counters->threads[counters->current].reached = reached;
}
