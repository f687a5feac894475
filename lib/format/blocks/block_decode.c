/* SPDX-License-Identifier: MIT */
/* Decodes blocks other than those of events. */
#include "format/blocks/block_decode.h"

#include "base/bytes.h"
#include "format/blocks/index_items.h"
#include "format/values/encode_buffer.h"
#include "format/values/varint.h"

#include <string.h>

/* Starts at the first entry. */
static void mapping_cursor_init(mapping_cursor *cursor, const content_cursor *content, const mapping_lists *lists,
				const mapping_fields *fields)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->content = *content;
	cursor->content.position = lists->start;
	cursor->lists = *lists;
	cursor->fields = *fields;
}

/* Bit 0 of the number of a source file is set if its name follows, in the first method of the file. */
static void decode_source(content_cursor *content, mprof_mapping *mapping)
{
	const size_t position = content->position;
	const uint64_t file = content_cursor_varint(content);

	if (content->status == MPROF_OK && (file >> 1 > UINT32_MAX || file == 1)) {
		content_cursor_fail(content, position, MPROF_ERR_MALFORMED, "invalid number of a source file");
		return;
	}
	mapping->source_file_id = (uint32_t)(file >> 1);
	if ((file & 1) != 0)
		mapping->source_file = content_cursor_string(content, &mapping->source_file_length);
	if (file != 0)
		mapping->source_line = content_cursor_id(content);
}

/* Decodes the rest of an entry, after its ID. */
static void decode_entry(content_cursor *content, const mapping_fields *fields, mprof_mapping *mapping)
{
	if (mapping->is_method) {
		mapping->class_id = content_cursor_id(content);
		if (fields->has_flags)
			mapping->flags = content_cursor_id(content);
		if (fields->has_sources)
			decode_source(content, mapping);
	} else {
		if (fields->has_assembly_ids)
			mapping->assembly_id = content_cursor_id(content);
		if (fields->has_sizes)
			mapping->size = content_cursor_id(content);
	}
	mapping->name = content_cursor_string(content, &mapping->name_length);
}

/* Whether the list ends at the cursor. Decodes the end, or the ID of the next entry. */
static int list_ends(mapping_cursor *cursor, uint32_t *id)
{
	content_cursor *content = &cursor->content;

	if (cursor->lists.class_end == 0) {
		*id = content_cursor_id(content);
		return *id == 0;
	}
	if (content->position == (cursor->in_methods ? cursor->lists.method_end : cursor->lists.class_end)) {
		content->position++;
		return 1;
	}
	*id = content_cursor_id(content);
	return content->status != MPROF_OK;
}

int mapping_cursor_next(mapping_cursor *cursor, mprof_mapping *mapping)
{
	content_cursor *content = &cursor->content;

	memset(mapping, 0, sizeof(*mapping));
	mapping->source_file = "";
	while (!cursor->at_end && list_ends(cursor, &mapping->id)) {
		if (content->status != MPROF_OK)
			return 0;
		cursor->at_end = cursor->in_methods;
		cursor->in_methods = 1;
	}
	if (cursor->at_end)
		return 0;
	mapping->is_method = (uint32_t)cursor->in_methods;
	decode_entry(content, &cursor->fields, mapping);
	return content->status == MPROF_OK;
}

/* Decodes a CLOCK that must end with the content. */
static int clock_fits(content_cursor content, size_t position, mprof_clock *clock)
{
	content.position = position;
	content_cursor_clock(&content, clock);
	return content_cursor_finish(&content) == MPROF_OK;
}

/*
 * Visits the positions where a list could end with a byte 0: those where an entry starts with a byte 0. To find the
 * next such position, the byte is decoded as the first byte of an ID.
 */
typedef struct end_search {
	content_cursor content;
	const mapping_fields *fields;
	int in_methods;
	int only_text;  /* A name that cannot be UTF-8 ends the search. */
	size_t *budget; /* Number of bytes that may still be decoded. */
} end_search;

/* Whether the first byte of a name can start a character of UTF-8. */
static int begins_as_text(const mprof_mapping *mapping)
{
	const uint8_t *name = (const uint8_t *)mapping->name;

	return name[0] < 0x80 || (name[0] >= 0xc0 && (name[1] & 0xc0) == 0x80);
}

/* Advances to the next position where the list could end. Returns 0 if not found. */
static int end_search_next(end_search *search)
{
	content_cursor *content = &search->content;
	int is_first = 1;

	while (content->status == MPROF_OK && content->position < content->length) {
		mprof_mapping mapping = {.is_method = (uint32_t)search->in_methods};
		size_t start = content->position;

		if (content->bytes[start] == 0 && !is_first)
			return 1;
		mapping.id = content_cursor_id(content);
		if (mapping.id == 0)
			return 0;
		decode_entry(content, search->fields, &mapping);
		if (content->position - start > *search->budget || (search->only_text && !begins_as_text(&mapping)))
			return 0;
		*search->budget -= content->position - start;
		is_first = 0;
	}
	return 0;
}

/* Advances to the first position where the list could end. Returns 0 if not found. */
static int end_search_first(end_search *search)
{
	const content_cursor *content = &search->content;

	if (content->position < content->length && content->bytes[content->position] == 0)
		return 1;
	return end_search_next(search);
}

/* Finds the end of a list of methods after which the content has only a CLOCK. */
static int method_end_find(const end_search *classes, mapping_lists *lists, mprof_clock *end)
{
	end_search methods = *classes;
	int found;

	methods.in_methods = 1;
	methods.content.position++;
	for (found = end_search_first(&methods); found; found = end_search_next(&methods)) {
		if (!clock_fits(methods.content, methods.content.position + 1, end))
			continue;
		lists->class_end = classes->content.position;
		lists->method_end = methods.content.position;
		return 1;
	}
	return 0;
}

/*
 * According to the text of the 2007 mail, both lists end with a byte 0. A pair of ends fits if only a CLOCK comes after
 * it. If several pairs fit, the one with the longest list of classes is right: methods decoded as classes would have
 * names that start with the end of a varint, which is not text, while a class decoded as a method may look like a
 * method of an unusual class.
 */
static int ends_find(const content_cursor *content, const mapping_fields *fields, int only_text, mapping_lists *lists,
		     mprof_clock *end)
{
	/* Only a crafted block has many positions that could be an end. The budget bounds the time spent on it. */
	size_t budget = content->length < SIZE_MAX / 64 ? content->length * 64 : SIZE_MAX;
	end_search classes = {*content, fields, 0, only_text, &budget};
	mprof_clock clock;
	int found;

	for (found = end_search_first(&classes); found; found = end_search_next(&classes)) {
		if (method_end_find(&classes, lists, &clock))
			*end = clock;
	}
	return lists->class_end != 0;
}

/* Decodes the remaining entries, adds them to the summary, and passes them on if there is a sink. */
static void entries_summarize(mapping_cursor *entries, const definition_sink *sink, mapping_lists *lists)
{
	mprof_mapping mapping;

	while (mapping_cursor_next(entries, &mapping)) {
		uint32_t *highest = mapping.is_method ? &lists->highest_method : &lists->highest_class;

		if (mapping.id > *highest)
			*highest = mapping.id;
		lists->has_object_sizes |= mapping.size != 0;
		if (sink != NULL)
			sink->mapping(sink->user, &mapping);
	}
}

/* Finds lists that end with a byte 0. Their entries are not those decoded before, so the summary is collected again. */
static int lists_find(const content_cursor *cursor, const mapping_fields *fields, mapping_lists *lists,
		      mprof_clock *end)
{
	mapping_cursor entries;

	if (!ends_find(cursor, fields, 1, lists, end) && !ends_find(cursor, fields, 0, lists, end))
		return 0;
	lists->highest_class = 0;
	lists->highest_method = 0;
	lists->has_object_sizes = 0;
	mapping_cursor_init(&entries, cursor, lists, fields);
	entries_summarize(&entries, NULL, lists);
	return 1;
}

/* Decodes lists whose ends are ambiguous. Which entries they have is known only after the whole block was decoded. */
static void ambiguous_lists_decode(content_cursor *cursor, const mapping_fields *fields, const definition_sink *sink,
				   mapping_lists *lists, mprof_clock *end)
{
	const content_cursor start = *cursor;
	mapping_cursor entries;

	mapping_cursor_init(&entries, cursor, lists, fields);
	entries_summarize(&entries, NULL, lists);
	content_cursor_clock(&entries.content, end);
	if (content_cursor_finish(&entries.content) != MPROF_OK && lists_find(cursor, fields, lists, end))
		cursor->position = cursor->length;
	else
		*cursor = entries.content;
	if (cursor->status != MPROF_OK || sink == NULL)
		return;
	mapping_cursor_init(&entries, &start, lists, fields);
	entries_summarize(&entries, sink, lists);
}

/*
 * Determines how the lists at the cursor end, and decodes them and the CLOCK after them, which must end the content. If
 * allow_byte_ends is set, lists that end with a byte 0 are tried as well. sink receives the entries, if it is
 * not NULL.
 */
static void mapping_lists_decode(content_cursor *cursor, const mapping_fields *fields, int allow_byte_ends,
				 const definition_sink *sink, mapping_lists *lists, mprof_clock *end)
{
	mapping_cursor entries;

	if (cursor->status != MPROF_OK)
		return;
	memset(lists, 0, sizeof(*lists));
	lists->start = cursor->position;
	if (allow_byte_ends) {
		ambiguous_lists_decode(cursor, fields, sink, lists, end);
		return;
	}
	mapping_cursor_init(&entries, cursor, lists, fields);
	entries_summarize(&entries, sink, lists);
	content_cursor_clock(&entries.content, end);
	(void)content_cursor_finish(&entries.content);
	*cursor = entries.content;
}

/*
 * In logs that follow the text of the 2007 mail, the content of END and STATISTICAL starts with the block code, a
 * leftover of blocks without headers.
 */
#define MAIL_END_CODE 7
#define MAIL_STATISTICAL_CODE 6

void block_header_decode(const uint8_t *bytes, block_header *header)
{
	header->code = bytes_load_16(bytes);
	header->length = bytes_load_32(bytes + 2);
}

uint32_t block_header_counter_delta(const dialect_rules *rules, const uint8_t *bytes)
{
	return rules->header_length >= 10 ? bytes_load_32(bytes + 6) : 0;
}

static void content_cursor_begin(content_cursor *cursor, const block_decoding *decoding, const uint8_t *content,
				 size_t length)
{
	content_cursor_init(cursor, content, length, decoding->max_name_length);
	cursor->has_fixed_ints = (int)decoding->rules->has_fixed_ints;
}

static int directive_in_force(const block_decoding *decoding, mprof_directive directive)
{
	return (decoding->directives & MPROF_DIRECTIVE_BIT(directive)) != 0;
}

static void decode_only_clock(content_cursor *cursor, mprof_block *block)
{
	content_cursor_clock(cursor, &block->start);
	block->end = block->start;
	block->has_clocks = 1;
}

static void decode_version(const block_decoding *decoding, content_cursor *cursor, mprof_block *block)
{
	size_t start = cursor->position;

	block->as.intro.version = content_cursor_id(cursor);
	if (block->as.intro.version != decoding->rules->version)
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "version does not match the dialect");
}

static void decode_intro(const block_decoding *decoding, content_cursor *cursor, mprof_block *block)
{
	decode_version(decoding, cursor, block);
	block->as.intro.runtime = content_cursor_string(cursor, &block->as.intro.runtime_length);
	block->as.intro.flags = content_cursor_amount(cursor);
	decode_only_clock(cursor, block);
}

static void decode_end_block(const block_decoding *decoding, content_cursor *cursor, mprof_block *block)
{
	/* No version number is encoded as a varint that starts with this byte, so it is the leftover block code. */
	if (decoding->rules->has_mail_variants && cursor->length > 0 && cursor->bytes[0] == MAIL_END_CODE)
		content_cursor_byte(cursor);
	decode_version(decoding, cursor, block);
	decode_only_clock(cursor, block);
	if (dialect_has_block(decoding->rules, MPROF_BLOCK_INDEX) && cursor->status == MPROF_OK &&
	    cursor->position < cursor->length)
		block->as.end.index_distance = content_cursor_varint(cursor);
}

static void decode_assembly_name(content_cursor *cursor, mprof_assembly_name *name)
{
	name->struct_size = sizeof(*name);
	name->base_name = content_cursor_string(cursor, NULL);
	name->major = content_cursor_id(cursor);
	name->minor = content_cursor_id(cursor);
	name->build = content_cursor_id(cursor);
	name->revision = content_cursor_id(cursor);
	name->culture = content_cursor_string(cursor, NULL);
	name->public_key_token = content_cursor_string(cursor, NULL);
	name->retargetable = content_cursor_id(cursor) != 0;
}

static void decode_element(const block_decoding *decoding, content_cursor *cursor, mprof_block *block, block_body *body)
{
	const uint32_t types = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN;
	const uint32_t both = MPROF_ELEMENT_FLAG_SUCCESS | MPROF_ELEMENT_FLAG_FAILURE;
	const uint32_t results = block->kind == MPROF_BLOCK_LOADED ? both : 0;
	uint32_t type;

	block->as.element.kind = content_cursor_byte(cursor);
	type = block->as.element.kind & types;
	if (type == 0 || (type & (type - 1)) != 0 || (block->as.element.kind & ~(types | results)) != 0 ||
	    (block->as.element.kind & both) == both)
		content_cursor_fail(cursor, 0, MPROF_ERR_MALFORMED,
				    "invalid kind of code unit in a LOADED or UNLOADED block");
	block->as.element.start_counter = content_cursor_varint(cursor);
	block->as.element.end_counter = content_cursor_varint(cursor);
	block->thread = content_cursor_varint(cursor);
	if (directive_in_force(decoding, MPROF_DIRECTIVE_ELEMENT_IDS))
		block->as.element.id = content_cursor_id(cursor);
	block->as.element.name = content_cursor_string(cursor, &block->as.element.name_length);
	if (block->kind == MPROF_BLOCK_LOADED && type == MPROF_ELEMENT_ASSEMBLY &&
	    directive_in_force(decoding, MPROF_DIRECTIVE_ASSEMBLY_IDS)) {
		decode_assembly_name(cursor, &body->assembly);
		block->as.element.assembly = &body->assembly;
	}
}

static void decode_clock_and_thread(content_cursor *cursor, mprof_block *block)
{
	content_cursor_clock(cursor, &block->start);
	block->thread = content_cursor_varint(cursor);
}

static void decode_end_clock(content_cursor *cursor, mprof_block *block)
{
	content_cursor_clock(cursor, &block->end);
	block->has_clocks = 1;
}

static mapping_fields mapping_fields_of(const block_decoding *decoding)
{
	const mapping_fields fields = {directive_in_force(decoding, MPROF_DIRECTIVE_ASSEMBLY_IDS),
				       directive_in_force(decoding, MPROF_DIRECTIVE_METHOD_FLAGS),
				       directive_in_force(decoding, MPROF_DIRECTIVE_CLASS_SIZES),
				       directive_in_force(decoding, MPROF_DIRECTIVE_SOURCE_LINES)};

	return fields;
}

static void decode_mapping(const block_decoding *decoding, content_cursor *cursor, mprof_block *block, block_body *body)
{
	const mapping_fields fields = mapping_fields_of(decoding);

	decode_clock_and_thread(cursor, block);
	mapping_lists_decode(cursor, &fields, decoding->rules->has_mail_variants, decoding->sink, &body->mapping,
			     &block->end);
	block->has_clocks = 1;
}

void block_mappings_begin(mapping_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			  const block_body *body)
{
	const mapping_fields fields = mapping_fields_of(decoding);
	content_cursor whole;

	content_cursor_begin(&whole, decoding, content, length);
	mapping_cursor_init(cursor, &whole, &body->mapping, &fields);
}

static void decode_heap_start(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			      block_body *body)
{
	size_t start;

	content_cursor_clock(cursor, &block->start);
	block->as.heap_data.number = content_cursor_id(cursor);
	block->as.heap_data.flags = content_cursor_id(cursor);
	block->as.heap_data.counter = content_cursor_varint(cursor);
	start = cursor->position;
	body->shift = content_cursor_id(cursor);
	if (body->shift > HEAP_MAX_SHIFT)
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "shift of addresses exceeds 12");
	if ((decoding->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_PROCESSES)) != 0)
		block->as.heap_data.process = content_cursor_varint(cursor);
}

/* Decodes the fields before a list that is checked later. */
static void decode_list_start(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			      block_body *body)
{
	if (block->kind == MPROF_BLOCK_HEAP_DATA) {
		decode_heap_start(decoding, cursor, block, body);
	} else {
		uint64_t base_counter;

		decode_clock_and_thread(cursor, block);
		base_counter = content_cursor_varint(cursor);
		if (block->kind == MPROF_BLOCK_EVENTS)
			block->as.events.base_counter = base_counter;
		else
			block->as.samples.base_counter = base_counter;
	}
	body->list_start = cursor->position;
}

const char block_without_list_end[] = "block does not end with the end of a list and a CLOCK";

static int has_columns(const block_decoding *decoding, const mprof_block *block)
{
	return block->kind == MPROF_BLOCK_EVENTS && decoding->rules->column_code != 0 &&
	       block->code == decoding->rules->column_code;
}

static void decode_until_list(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			      block_body *body)
{
	size_t length;

	decode_list_start(decoding, cursor, block, body);
	if (cursor->status != MPROF_OK)
		return;
	if (has_columns(decoding, block)) {
		body->has_columns = 1;
		event_columns_open(&body->columns, cursor, decoding->directives);
		body->list_end = cursor->position;
		decode_end_clock(cursor, block);
		return;
	}
	length = list_end_find(cursor, block->kind == MPROF_BLOCK_EVENTS, &body->list_end);
	if (length == 0) {
		content_cursor_fail(cursor, cursor->length, MPROF_ERR_MALFORMED, block_without_list_end);
		return;
	}
	cursor->position = body->list_end + length;
	decode_end_clock(cursor, block);
}

void block_records_begin(record_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			 uint32_t block_kind, const block_body *body)
{
	content_cursor whole;
	mprof_clock start;

	content_cursor_begin(&whole, decoding, content, length);
	content_cursor_clock(&whole, &start);
	whole.position = body->list_start;
	record_cursor_init(cursor, &whole, block_kind, decoding->directives, start.counter);
}

static void decode_heap_items(const block_decoding *decoding, content_cursor *cursor, int is_truncated,
			      mprof_block *block, block_body *body)
{
	heap_layout known_layout = decoding->heap;

	/* Directives are newer than the last change of the layout, so a log that declares any has the last layout. */
	if (known_layout == HEAP_LAYOUT_NONE && decoding->directives != 0 && !decoding->rules->has_fixed_ints)
		known_layout = HEAP_LAYOUT_NUMBERED;
	heap_items_decode(cursor, decoding->rules, known_layout, &decoding->known, is_truncated, block, &body->heap);
	body->list_start = body->heap.list_start;
	body->list_end = body->heap.list_end;
}

static void decode_records(const block_decoding *decoding, content_cursor *cursor, mprof_block *block, block_body *body)
{
	record_cursor records;
	mprof_record record;

	content_cursor_clock(cursor, &block->start);
	if (block->kind == MPROF_BLOCK_HEAP_SUMMARY)
		block->as.heap_summary.collection = content_cursor_id(cursor);
	if (block_has_heap_notes(block->kind))
		block->as.heap_notes.number = content_cursor_id(cursor);
	body->list_start = cursor->position;
	record_cursor_init(&records, cursor, block->kind, decoding->directives, block->start.counter);
	while (record_cursor_next(&records, &record)) {
		if (decoding->sink != NULL)
			decoding->sink->record(decoding->sink->user, &record);
	}
	*cursor = records.content;
	decode_end_clock(cursor, block);
}

void sample_cursor_init(sample_cursor *cursor, const uint8_t *content, size_t length, const block_body *body)
{
	memset(cursor, 0, sizeof(*cursor));
	content_cursor_init(&cursor->content, content, length, 0);
	cursor->content.position = body->list_start;
}

int sample_cursor_next(sample_cursor *cursor, uint32_t *id)
{
	while (!cursor->at_end) {
		*id = content_cursor_id(&cursor->content);
		if (cursor->content.status != MPROF_OK)
			return 0;
		if (*id != 0)
			return 1;
		cursor->at_end = cursor->in_functions;
		cursor->in_functions = 1;
	}
	return 0;
}

static void decode_samples_start(content_cursor *cursor, mprof_block *block, block_body *body)
{
	block->as.statistical.start_counter = content_cursor_varint(cursor);
	block->as.statistical.end_counter = block->as.statistical.start_counter;
	body->list_start = cursor->position;
	body->list_end = cursor->length;
}

/* Decodes a STATISTICAL block of two lists of IDs. Its content starts at the cursor. */
static mprof_status decode_samples(content_cursor *cursor, mprof_block *block, block_body *body)
{
	sample_cursor lists;
	uint32_t id;

	decode_samples_start(cursor, block, body);
	if (cursor->status != MPROF_OK)
		return cursor->status;
	sample_cursor_init(&lists, cursor->bytes, cursor->length, body);
	while (sample_cursor_next(&lists, &id))
		continue;
	*cursor = lists.content;
	block->as.statistical.end_counter = content_cursor_varint(cursor);
	return content_cursor_finish(cursor);
}

static int counters_run_backwards(const mprof_block *block)
{
	return (int64_t)(block->as.statistical.end_counter - block->as.statistical.start_counter) < 0;
}

static void decode_tokens(const block_decoding *decoding, content_cursor *cursor, int is_truncated, mprof_block *block,
			  block_body *body)
{
	mprof_clock end;

	content_cursor_clock(cursor, &block->start);
	body->list_start = cursor->position;
	statistical_decode(cursor, decoding->rules, decoding->statistical, &decoding->known, is_truncated,
			   &body->statistical, &end);
	body->list_end = body->statistical.list_end;
	block->as.statistical.start_counter = block->start.counter;
	block->as.statistical.end_counter = block->start.counter;
	if (is_truncated)
		return;
	block->end = end;
	block->as.statistical.end_counter = end.counter;
	block->has_clocks = 1;
}

void block_statistical_begin(statistical_cursor *cursor, const block_decoding *decoding, const uint8_t *content,
			     size_t length, const block_body *body)
{
	content_cursor whole;

	content_cursor_begin(&whole, decoding, content, length);
	whole.position = body->list_start;
	statistical_cursor_init(cursor, &whole, &body->statistical);
}

/*
 * If the content starts with a leftover block code, that byte is misread as the lowest group of the start counter,
 * which becomes larger than the end counter. Skipping the byte yields counters in the right order.
 */
static void decode_mail_statistical(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
				    block_body *body)
{
	content_cursor skipped = *cursor;
	mprof_block skipped_block = *block;
	block_body skipped_body = *body;
	mprof_status status = decode_samples(cursor, block, body);

	if (!decoding->rules->has_mail_variants || skipped.length == 0 || skipped.bytes[0] != MAIL_STATISTICAL_CODE ||
	    (status == MPROF_OK && !counters_run_backwards(block)))
		return;
	content_cursor_byte(&skipped);
	if (decode_samples(&skipped, &skipped_block, &skipped_body) == MPROF_OK &&
	    !counters_run_backwards(&skipped_block)) {
		*cursor = skipped;
		*block = skipped_block;
		*body = skipped_body;
	}
}

/*
 * Returns the block kinds that a directive affects, as #MPROF_BLOCK_BIT. In mprof2 a block code follows the directive.
 */
static uint64_t decode_directive_kinds(const dialect_rules *rules, content_cursor *cursor)
{
	uint64_t code;

	if (!rules->directives_name_blocks)
		return BLOCK_KINDS_OF_DIRECTIVES;
	code = content_cursor_varint(cursor);
	return code != 0 && code <= UINT16_MAX ? MPROF_BLOCK_BIT(dialect_block_kind(rules, (uint32_t)code)) : 0;
}

static void decode_directives(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			      block_body *body)
{
	content_cursor_clock(cursor, &block->start);
	block->as.directives.declared.bits[0] = decoding->directives;
	for (;;) {
		uint64_t directive = content_cursor_amount(cursor);
		uint64_t kinds;

		if (directive == 0)
			break;
		kinds = decode_directive_kinds(decoding->rules, cursor);
		if (dialect_has_directive(decoding->rules, directive))
			mprof_number_set_add(&block->as.directives.declared, (uint32_t)directive);
		else
			body->unreadable_kinds |= kinds;
	}
	/* Blocks with an unknown code are not decoded, so they cannot be misread. */
	body->unreadable_kinds &= ~MPROF_BLOCK_BIT(MPROF_BLOCK_UNKNOWN);
	decode_end_clock(cursor, block);
}

int block_property_decode(content_cursor *cursor, const char **key, const char **value)
{
	size_t key_length;

	*key = content_cursor_string(cursor, &key_length);
	if (key_length == 0)
		return 0;
	*value = content_cursor_string(cursor, NULL);
	return cursor->status == MPROF_OK;
}

static void decode_session(content_cursor *cursor, mprof_block *block, block_body *body)
{
	const char *key;
	const char *value;

	decode_only_clock(cursor, block);
	body->list_start = cursor->position;
	while (block_property_decode(cursor, &key, &value))
		continue;
}

static void decode_thread(content_cursor *cursor, mprof_block *block)
{
	decode_only_clock(cursor, block);
	block->thread = content_cursor_varint(cursor);
	block->as.thread_name.name = content_cursor_string(cursor, &block->as.thread_name.name_length);
}

static void decode_mark(content_cursor *cursor, mprof_block *block)
{
	block->as.mark.counter = content_cursor_varint(cursor);
	block->thread = content_cursor_varint(cursor);
	block->as.mark.text = content_cursor_string(cursor, &block->as.mark.text_length);
}

static void decode_application(content_cursor *cursor, mprof_block *block)
{
	mprof_application_block *application = &block->as.application;

	content_cursor_clock(cursor, &block->start);
	application->name = content_cursor_string(cursor, &application->name_length);
	application->kind = content_cursor_id(cursor);
	application->flags = content_cursor_id(cursor);
	application->bytes = content_cursor_bytes(cursor, &application->size);
	decode_end_clock(cursor, block);
}

static void decode_index(const block_decoding *decoding, content_cursor *cursor, mprof_block *block)
{
	index_cursor items;
	index_item item;

	index_cursor_init(&items, decoding->rules, cursor->bytes, cursor->length);
	block->as.index.previous_distance = items.previous;
	block->as.index.count = items.count;
	while (index_cursor_next(&items, &item)) {
	}
	*cursor = items.content;
}

static void decode_lost(content_cursor *cursor, mprof_block *block, block_body *body)
{
	block->as.lost.counts = body->losses;
	block->as.lost.count = LOSS_CAUSE_COUNT;
	decode_clock_and_thread(cursor, block);
	for (;;) {
		uint64_t cause = content_cursor_varint(cursor);

		if (cause == 0)
			break;
		body->losses[cause < LOSS_CAUSE_COUNT ? cause : 0] += content_cursor_varint(cursor);
	}
	decode_end_clock(cursor, block);
}

static void decode_heap_data(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			     block_body *body)
{
	if (decoding->rules->has_heap_records)
		decode_until_list(decoding, cursor, block, body);
	else
		decode_heap_items(decoding, cursor, 0, block, body);
}

static void decode_statistical(const block_decoding *decoding, content_cursor *cursor, mprof_block *block,
			       block_body *body)
{
	if (decoding->rules->has_sample_tokens)
		decode_tokens(decoding, cursor, 0, block, body);
	else
		decode_mail_statistical(decoding, cursor, block, body);
}

static void decode_kind(const block_decoding *decoding, content_cursor *cursor, mprof_block *block, block_body *body)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		decode_intro(decoding, cursor, block);
		break;
	case MPROF_BLOCK_END:
		decode_end_block(decoding, cursor, block);
		break;
	case MPROF_BLOCK_MAPPING:
		decode_mapping(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		decode_element(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		decode_heap_data(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		decode_until_list(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_MARK:
		decode_mark(cursor, block);
		break;
	case MPROF_BLOCK_APPLICATION:
		decode_application(cursor, block);
		break;
	case MPROF_BLOCK_WATERMARK:
		block->as.watermark.counter = content_cursor_varint(cursor);
		break;
	case MPROF_BLOCK_INDEX:
		decode_index(decoding, cursor, block);
		break;
	case MPROF_BLOCK_STATISTICAL:
		decode_statistical(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		decode_directives(decoding, cursor, block, body);
		break;
	case MPROF_BLOCK_SESSION:
		decode_session(cursor, block, body);
		break;
	case MPROF_BLOCK_THREAD:
		decode_thread(cursor, block);
		break;
	case MPROF_BLOCK_LOST:
		decode_lost(cursor, block, body);
		break;
	default:
		/* The grammar of an unknown block is not known: the caller gets the content undecoded. */
		if (block_has_records(block->kind))
			decode_records(decoding, cursor, block, body);
		else
			cursor->position = cursor->length;
		break;
	}
}

mprof_status block_decode(const block_decoding *decoding, const uint8_t *content, size_t length, mprof_block *block,
			  block_body *body, content_cursor *cursor)
{
	memset(body, 0, sizeof(*body));
	content_cursor_begin(cursor, decoding, content, length);
	decode_kind(decoding, cursor, block, body);
	return content_cursor_finish(cursor);
}

mprof_status block_decode_list_start(const block_decoding *decoding, const uint8_t *content, size_t length,
				     mprof_block *block, block_body *body, content_cursor *cursor)
{
	memset(body, 0, sizeof(*body));
	content_cursor_begin(cursor, decoding, content, length);
	if (block->kind == MPROF_BLOCK_HEAP_DATA && !decoding->rules->has_heap_records)
		decode_heap_items(decoding, cursor, 1, block, body);
	else if (block->kind == MPROF_BLOCK_STATISTICAL && decoding->rules->has_sample_tokens)
		decode_tokens(decoding, cursor, 1, block, body);
	else if (block->kind == MPROF_BLOCK_STATISTICAL)
		decode_samples_start(cursor, block, body);
	else
		decode_list_start(decoding, cursor, block, body);
	if (cursor->status == MPROF_OK && has_columns(decoding, block)) {
		content_cursor columns = *cursor;

		body->has_columns = 1;
		event_columns_open(&body->columns, &columns, decoding->directives);
	}
	return cursor->status;
}

uint64_t block_base_counter(const dialect_rules *rules, const uint8_t *bytes, size_t length)
{
	content_cursor cursor;
	mprof_clock start;

	content_cursor_init(&cursor, bytes + rules->header_length, length - rules->header_length, UINT64_MAX);
	content_cursor_clock(&cursor, &start);
	/* The thread. */
	(void)content_cursor_varint(&cursor);
	return content_cursor_varint(&cursor);
}

int block_is_definition_of_application(const dialect_rules *rules, const uint8_t *bytes, size_t length)
{
	content_cursor cursor;
	mprof_block block;

	memset(&block, 0, sizeof(block));
	content_cursor_init(&cursor, bytes + rules->header_length, length - rules->header_length, UINT64_MAX);
	decode_application(&cursor, &block);
	return (block.as.application.flags & MPROF_APPLICATION_FLAG_DEFINITION) != 0;
}

int block_defines_no_metric(const dialect_rules *rules, const uint8_t *bytes, size_t length)
{
	content_cursor cursor;
	mprof_clock start;

	content_cursor_init(&cursor, bytes + rules->header_length, length - rules->header_length, UINT64_MAX);
	content_cursor_clock(&cursor, &start);
	return content_cursor_varint(&cursor) == 0 && cursor.status == MPROF_OK;
}

/*
 * The fields of COMPRESSED blocks (doc/format.md, 3.23), and the parts of other blocks that stay uncompressed.
 */

int compressed_block_may_store(const dialect_rules *rules, uint32_t code)
{
	mprof_block_kind kind = dialect_block_kind(rules, code);

	return code > 0 && code <= UINT8_MAX && !block_is_compressed(rules, code) && kind != MPROF_BLOCK_INDEX &&
	       kind != MPROF_BLOCK_INTRO && kind != MPROF_BLOCK_END && kind != MPROF_BLOCK_DIRECTIVES;
}

static mprof_status fail_field(content_cursor *cursor, size_t position, const char *what)
{
	return content_cursor_fail(cursor, position, MPROF_ERR_MALFORMED, what);
}

/* Decodes a length that fits into what \p limit bytes leave. */
static uint32_t decode_length(content_cursor *cursor, uint64_t limit, const char *what)
{
	size_t start = cursor->position;
	uint64_t length = content_cursor_varint(cursor);

	if (length <= limit)
		return (uint32_t)length;
	fail_field(cursor, start, what);
	return 0;
}

static mprof_status decode_fields(const dialect_rules *rules, content_cursor *cursor, compressed_block *block)
{
	size_t start = cursor->position;
	uint64_t code = content_cursor_varint(cursor);

	if (cursor->status == MPROF_OK && (code > UINT8_MAX || !compressed_block_may_store(rules, (uint32_t)code)))
		return fail_field(cursor, start, "a block of this code is not stored in compressed blocks");
	block->code = (uint32_t)code;
	start = cursor->position;
	block->codec = content_cursor_varint(cursor);
	if (cursor->status == MPROF_OK && block->codec == 0)
		return fail_field(cursor, start, "the codec of the compressed block is 0");
	block->unpacked_length = decode_length(cursor, UINT32_MAX, "the unpacked length exceeds 32 bits");
	block->head_length = decode_length(cursor, block->unpacked_length, "the head is longer than the block");
	block->tail_length = decode_length(cursor, block->unpacked_length - block->head_length,
					   "head and tail are longer than the block");
	return cursor->status;
}

mprof_status compressed_block_decode(const dialect_rules *rules, content_cursor *cursor, size_t stored_length,
				     compressed_block *block)
{
	size_t start = cursor->position;
	size_t stored;
	size_t available;

	memset(block, 0, sizeof(*block));
	if (decode_fields(rules, cursor, block) != MPROF_OK)
		return cursor->status;
	stored = stored_length - cursor->position;
	if (stored < (uint64_t)block->head_length + block->tail_length)
		return fail_field(cursor, start, "head and tail are longer than the compressed block");
	available = cursor->length - cursor->position;
	block->head = cursor->bytes + cursor->position;
	block->head_available = block->head_length < available ? block->head_length : available;
	available -= block->head_available;
	stored -= block->head_length;
	block->packed = block->head + block->head_available;
	block->packed_available = stored - block->tail_length < available ? stored - block->tail_length : available;
	if (available == stored)
		block->tail = block->packed + block->packed_available;
	return MPROF_OK;
}

/* The number of INTs that a block begins with and that are of use without the rest. */
static unsigned int leading_ints(const dialect_rules *rules, uint32_t code)
{
	if (rules->column_code != 0 && code == rules->column_code)
		return 5;
	switch (dialect_block_kind(rules, code)) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		return 4;
	case MPROF_BLOCK_MAPPING:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_THREAD:
		return 3;
	case MPROF_BLOCK_HEAP_DATA:
		return 6;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
	case MPROF_BLOCK_UNKNOWN:
		return 0;
	case MPROF_BLOCK_STATISTICAL:
		return 1;
	default:
		return 2;
	}
}

size_t compressed_block_head_length(const dialect_rules *rules, uint32_t code, const uint8_t *content, size_t length)
{
	const uint8_t *cursor = content;
	uint64_t value;

	for (unsigned int remaining = leading_ints(rules, code); remaining > 0; remaining--) {
		if (varint_read(&cursor, content + length, &value) != 1)
			return 0;
	}
	return (size_t)(cursor - content);
}
