/* SPDX-License-Identifier: MIT */
/* Decodes the lists of MAPPING blocks, including those of logs that mark their ends ambiguously. */
#include "format/mapping_decode.h"

#include <string.h>

void mapping_cursor_init(mapping_cursor *cursor, const content_cursor *content, const mapping_lists *lists,
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

void mapping_lists_decode(content_cursor *cursor, const mapping_fields *fields, int allow_byte_ends,
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
