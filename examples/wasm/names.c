/* SPDX-License-Identifier: MIT */
/* Formats names of methods, classes, frames and kinds, and looks up call stacks. */
#include "module.h"

#include "shared/function_name.h"
#include "shared/kinds.h"

#include <mprof/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of names in addition to those of mprof_sample_kind. names.js has the same numbers. */
enum {
	NAME_CLASS = 16,
	NAME_READABLE_METHOD = 17,
	NAME_EVENT_KIND = 18,
	NAME_BLOCK_KIND = 19,
	NAME_DIALECT = 20,
	NAME_LOSS = 21,
	NAME_STATUS = 22,
	NAME_EVENT_FORM = 23,
	NAME_HANDLE_TYPE = 24
};

/* The last name, which module.js copies at once. */
static char *text;
static size_t text_size;

/* Makes room for a text of this length. Returns 0 if there is no memory. */
static int reserve_text(size_t length)
{
	char *larger;

	if (length < text_size)
		return 1;
	larger = realloc(text, length + 256);
	if (larger == NULL)
		return 0;
	text = larger;
	text_size = length + 256;
	return 1;
}

typedef size_t (*format_function)(const mprof_reader *reader, uint32_t id, char *name, size_t size);

static const char *format_with(const mprof_reader *reader, format_function format, uint32_t id)
{
	if (!reserve_text(format(reader, id, NULL, 0)))
		return NULL;
	format(reader, id, text, text_size);
	return text;
}

static const char *class_name(const mprof_reader *reader, uint32_t id)
{
	mprof_mapping mapping;

	if (mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
		return mapping.name;
	if (!reserve_text(16))
		return NULL;
	snprintf(text, text_size, "#%u", (unsigned)id);
	return text;
}

static const char *module_file(const mprof_reader *reader, uint32_t id)
{
	mprof_record record;

	return mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) == MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

static const char *function_name(const mprof_reader *reader, uint32_t id)
{
	return function_name_format(reader, id, NULL, 0) > 0 ? format_with(reader, function_name_format, id) : NULL;
}

static const char *readable_method(const mprof_reader *reader, uint32_t id)
{
	const char *generated = format_with(reader, mprof_reader_format_method, id);
	char *copy;

	if (generated == NULL || strchr(generated, '<') == NULL)
		return generated;
	copy = strdup(generated);
	if (copy == NULL)
		return NULL;
	if (reserve_text(mprof_name_format_readable(copy, NULL, 0)))
		mprof_name_format_readable(copy, text, text_size);
	free(copy);
	return text;
}

static const char *name_of_number(uint32_t what, uint32_t number)
{
	switch (what) {
	case NAME_EVENT_KIND:
		return mprof_event_get_name(number);
	case NAME_BLOCK_KIND:
		return mprof_block_get_name(number);
	case NAME_DIALECT:
		return mprof_dialect_get_name(number);
	case NAME_LOSS:
		return mprof_loss_get_name(number);
	case NAME_STATUS:
		return mprof_status_get_text((mprof_status)number);
	case NAME_EVENT_FORM:
		return kind_of_form(number);
	case NAME_HANDLE_TYPE:
		return kind_of_handle(number);
	default:
		return NULL;
	}
}

/* The name, NULL if there is none. It is valid until the next call. view may be NULL for names of numbers. */
const char *WASM_EXPORT(mprof_js_get_name)(const log_view *view, uint32_t what, uint32_t id)
{
	if (what == MPROF_SAMPLE_TRUNCATED)
		return "[truncated]";
	if (what == MPROF_SAMPLE_IDLE)
		return "[idle threads]";
	if (what >= NAME_EVENT_KIND)
		return name_of_number(what, id);
	if (id == 0)
		return NULL;
	switch (what) {
	case MPROF_SAMPLE_METHOD:
		return format_with(view->reader, mprof_reader_format_method, id);
	case NAME_READABLE_METHOD:
		return readable_method(view->reader, id);
	case MPROF_SAMPLE_FUNCTION:
		return function_name(view->reader, id);
	case MPROF_SAMPLE_MODULE:
		return module_file(view->reader, id);
	case MPROF_SAMPLE_LOCATION:
		return format_with(view->reader, mprof_reader_format_location, id);
	case NAME_CLASS:
		return class_name(view->reader, id);
	default:
		return NULL;
	}
}

/* The number of definitions: of classes and methods as for names, else of an mprof_record_kind after 32. */
double WASM_EXPORT(mprof_js_get_definition_count)(const log_view *view, uint32_t what)
{
	if (what == NAME_CLASS)
		return (double)mprof_reader_get_class_count(view->reader);
	if (what == MPROF_SAMPLE_METHOD)
		return (double)mprof_reader_get_method_count(view->reader);
	return (double)mprof_reader_get_record_count(view->reader, (what - 32));
}

/* Gets the frames of a call stack, the innermost first. Returns their number, which may exceed capacity. */
uint32_t WASM_EXPORT(mprof_js_get_stack)(const log_view *view, uint32_t stack, mprof_stack_frame *frames,
					 uint32_t capacity)
{
	size_t count = 0;

	(void)mprof_reader_lookup_stack(view->reader, stack, frames, sizeof(*frames), capacity, &count);
	return (uint32_t)count;
}

/* The call stack of a site of the table "age_sites". */
uint32_t WASM_EXPORT(mprof_js_get_age_site_stack)(const log_view *view, uint32_t index, mprof_stack_frame *frames,
						  uint32_t capacity)
{
	size_t count = 0;

	(void)mprof_profile_get_age_site_frames(view->profile, index, frames, sizeof(*frames), capacity, &count);
	return (uint32_t)count;
}

/* The field of a class at an offset, NULL if not known; of an array, index receives that of the element. */
const char *WASM_EXPORT(mprof_js_get_field)(const log_view *view, uint32_t class_id, uint64_t offset, uint64_t *index)
{
	static mprof_record field;

	if (mprof_reader_lookup_field(view->reader, class_id, offset, &field, sizeof(field), index) != MPROF_OK)
		return NULL;
	return field.as.field.name;
}

/* What the IDs of events of a kind identify: an mprof_event_id. */
uint32_t WASM_EXPORT(mprof_js_get_event_subject)(uint32_t kind)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	return mprof_event_get_info(kind, &info) == MPROF_OK ? info.id : MPROF_EVENT_ID_NONE;
}

const char *WASM_EXPORT(mprof_js_get_version)(void)
{
	return mprof_version_get_string();
}
