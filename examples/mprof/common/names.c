/* SPDX-License-Identifier: MIT */
/* Looks up the names of methods, classes, frames and sampled items in a log. */
#include "common/names.h"

#include "common/demangle.h"
#include "common/output.h"
#include "shared/function_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *format_undefined(char text[UNDEFINED_NAME_SIZE], uint32_t id)
{
	snprintf(text, UNDEFINED_NAME_SIZE, "#%" PRIu32, id);
	return text;
}

const char *names_object(const mprof_reader *reader, uint64_t object, char text[NAMES_OBJECT_SIZE])
{
	mprof_session session = {.struct_size = sizeof(session)};

	mprof_reader_get_session(reader, &session);
	if (session.has_object_numbers)
		snprintf(text, NAMES_OBJECT_SIZE, "#%" PRIu64, object);
	else
		snprintf(text, NAMES_OBJECT_SIZE, "0x%" PRIx64, object);
	return text;
}

const char *names_separator(const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};

	return mprof_reader_get_session(reader, &session) == MPROF_OK ? session.method_separator : ".";
}

void names_class(const mprof_reader *reader, uint32_t id, class_name *name)
{
	mprof_mapping mapping;

	memset(name, 0, sizeof(*name));
	if (mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK) {
		name->name = mapping.name;
		name->assembly_id = mapping.assembly_id;
	} else {
		name->name = format_undefined(name->undefined, id);
	}
}

void names_method(const mprof_reader *reader, uint32_t id, method_name *name)
{
	mprof_mapping mapping;

	memset(name, 0, sizeof(*name));
	name->class_name = "";
	if (mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) != MPROF_OK) {
		name->name = format_undefined(name->undefined, id);
		name->symbol = name->name;
		return;
	}
	name->name = demangle_shown(mapping.name);
	name->symbol = mapping.name;
	name->flags = mapping.flags;
	name->file = mapping.source_file[0] != '\0' ? mapping.source_file : NULL;
	name->line = mapping.source_line;
	name->class_id = mapping.class_id;
	if (mapping.class_id == 0)
		return;
	if (mprof_reader_lookup_class(reader, name->class_id, &mapping, sizeof(mapping)) == MPROF_OK) {
		name->class_name = mapping.name;
		name->assembly_id = mapping.assembly_id;
	} else {
		name->class_name = format_undefined(name->undefined_class, name->class_id);
	}
}

const char *names_class_or_none(const mprof_reader *reader, uint32_t id, class_name *name)
{
	if (id == 0)
		return NULL;
	names_class(reader, id, name);
	return name->name;
}

struct name_lookup {
	mprof_reader *reader;
	char *text; /* The last name returned. */
	size_t text_size;
	int is_readable;  /* Methods that the compiler made have the names of the source. */
	int uses_symbols; /* Functions have the names of the linker. */
	int is_short;     /* Methods have no arguments. */
	char *readable;   /* The last such name. */
	size_t readable_size;
	char *collapsed;           /* The name of collapsed frames; NULL if there are none. */
	mprof_stack_frame *frames; /* The last call stack returned. */
	size_t frame_capacity;
};

name_lookup *names_create(mprof_reader *reader)
{
	name_lookup *names = calloc(1, sizeof(*names));

	if (names != NULL)
		names->reader = reader;
	return names;
}

void names_destroy(name_lookup *names)
{
	if (names == NULL)
		return;
	free(names->text);
	free(names->readable);
	free(names->collapsed);
	free(names->frames);
	free(names);
}

typedef size_t (*format_function)(const mprof_reader *reader, uint32_t id, char *text, size_t size);

static const char *format_name(name_lookup *names, format_function format, uint32_t id)
{
	size_t length = format(names->reader, id, names->text, names->text_size);

	if (length >= names->text_size) {
		char *larger = realloc(names->text, length + 256);

		if (larger == NULL) {
			output_out_of_memory();
			return names->text != NULL ? names->text : "";
		}
		names->text = larger;
		names->text_size = length + 256;
		format(names->reader, id, names->text, names->text_size);
	}
	return names->text;
}

void names_use_readable(name_lookup *names)
{
	names->is_readable = 1;
}

void names_use_symbols(name_lookup *names)
{
	names->uses_symbols = 1;
}

void names_hide_signatures(name_lookup *names)
{
	mprof_session session = {.struct_size = sizeof(session)};

	names->is_short = mprof_reader_get_session(names->reader, &session) == MPROF_OK && session.hides_signatures;
}

int names_use_collapsed(name_lookup *names, const char *pattern)
{
	free(names->collapsed);
	if (asprintf(&names->collapsed, "[%s]", pattern) < 0)
		names->collapsed = NULL;
	return names->collapsed != NULL;
}

int names_is_collapsed(const name_lookup *names, uint32_t id)
{
	return id == NAMES_COLLAPSED && names->collapsed != NULL;
}

/* The full name as in the log; that of a C++ function as in its source. */
static const char *full_name(name_lookup *names, uint32_t id, int *is_cxx)
{
	method_name name;
	char *text;

	names_method(names->reader, id, &name);
	*is_cxx = name.name != name.symbol && !names->uses_symbols;
	if (!*is_cxx)
		return format_name(names, mprof_reader_format_method, id);
	if (asprintf(&text, "%s%s%s", name.class_name, name.class_name[0] != '\0' ? names_separator(names->reader) : "",
		     name.name) < 0)
		return format_name(names, mprof_reader_format_method, id);
	free(names->text);
	names->text = text;
	names->text_size = strlen(text) + 1;
	return names->text;
}

/* The name that a method has in the source, or NULL if out of memory. */
static char *readable_name(name_lookup *names, const char *generated)
{
	size_t length = mprof_name_format_readable(generated, names->readable, names->readable_size);

	if (length >= names->readable_size) {
		char *larger = realloc(names->readable, length + 256);

		if (larger == NULL) {
			output_out_of_memory();
			return NULL;
		}
		names->readable = larger;
		names->readable_size = length + 256;
		mprof_name_format_readable(generated, names->readable, names->readable_size);
	}
	return names->readable;
}

/* Removes the arguments of a method from the end of its name. */
static void cut_signature(const name_lookup *names, uint32_t id, char *text)
{
	const size_t length = text != NULL ? strlen(text) : 0;
	const char *arguments;
	method_name name;

	names_method(names->reader, id, &name);
	arguments = strstr(name.symbol, " (");
	if (arguments != NULL && arguments > name.symbol && length >= strlen(arguments) &&
	    strcmp(text + length - strlen(arguments), arguments) == 0)
		text[length - strlen(arguments)] = '\0';
}

const char *names_full_method(name_lookup *names, uint32_t id)
{
	const char *generated;
	char *readable = NULL;
	int is_cxx;

	if (names_is_collapsed(names, id))
		return names->collapsed;
	generated = full_name(names, id, &is_cxx);
	/* Names of C++ functions have these characters, too. */
	if (!is_cxx && names->is_readable && strchr(generated, '<') != NULL)
		readable = readable_name(names, generated);
	if (names->is_short && !is_cxx)
		cut_signature(names, id, readable != NULL ? readable : names->text);
	return readable != NULL ? readable : generated;
}

int names_is_runtime_work(const mprof_reader *reader, uint32_t id)
{
	mprof_mapping mapping;

	return mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) == MPROF_OK &&
	       (mapping.flags & MPROF_METHOD_FLAG_RUNTIME) != 0;
}

/* NULL if the log does not define it. */
static const char *function_name(name_lookup *names, uint32_t id)
{
	return function_name_format(names->reader, id, NULL, 0) > 0 ? format_name(names, function_name_format, id)
								    : NULL;
}

/* All locations in a function have its name, also if that is its place in the module. */
static const char *location_name(name_lookup *names, uint32_t id)
{
	mprof_record record;
	const char *name = NULL;

	if (mprof_reader_lookup_record(names->reader, MPROF_RECORD_LOCATION, id, &record, sizeof(record)) == MPROF_OK &&
	    record.as.location.function != 0)
		name = function_name(names, record.as.location.function);
	if (name == NULL)
		name = format_name(names, mprof_reader_format_location, id);
	return name;
}

/* The name as it is shown of one in the object file; NULL for NULL. */
static const char *shown_function(const name_lookup *names, const char *symbol)
{
	return names->uses_symbols || symbol == NULL ? symbol : demangle_shown(symbol);
}

/* Replaces the outer frames that were not recorded. */
static const char truncated_name[] = "[truncated]";
static const char idle_name[] = "[idle threads]";

const char *names_frame(name_lookup *names, const mprof_stack_frame *frame)
{
	if (frame->is_native && frame->id == 0)
		return truncated_name;
	if (frame->is_native)
		return shown_function(names, location_name(names, frame->id));
	return frame->id != 0 ? names_full_method(names, frame->id) : NULL;
}

const char *names_sample(name_lookup *names, uint32_t kind, uint32_t id)
{
	mprof_record record;

	if (kind == MPROF_SAMPLE_TRUNCATED)
		return truncated_name;
	if (kind == MPROF_SAMPLE_IDLE)
		return idle_name;
	if (kind == MPROF_SAMPLE_COLLAPSED)
		return names->collapsed;
	if (id == 0)
		return NULL;
	switch (kind) {
	case MPROF_SAMPLE_METHOD:
		return names_full_method(names, id);
	case MPROF_SAMPLE_FUNCTION:
		return shown_function(names, function_name(names, id));
	case MPROF_SAMPLE_MODULE:
		return mprof_reader_lookup_record(names->reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) ==
				       MPROF_OK
			       ? record.as.module.file
			       : NULL;
	case MPROF_SAMPLE_LOCATION:
		return shown_function(names, location_name(names, id));
	default:
		return NULL;
	}
}

const char *names_symbol(name_lookup *names, uint32_t kind, uint32_t id)
{
	method_name name;

	if (id == 0 || names->uses_symbols)
		return NULL;
	switch (kind) {
	case MPROF_SAMPLE_METHOD:
		if (names_is_collapsed(names, id))
			return NULL;
		names_method(names->reader, id, &name);
		return name.symbol != name.name ? name.symbol : NULL;
	case MPROF_SAMPLE_FUNCTION:
		return demangle_symbol(function_name(names, id));
	case MPROF_SAMPLE_LOCATION:
		return demangle_symbol(location_name(names, id));
	default:
		return NULL;
	}
}

const char *names_frame_symbol(name_lookup *names, const mprof_stack_frame *frame)
{
	return names_symbol(names, frame->is_native ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_METHOD, frame->id);
}

size_t names_stack(name_lookup *names, uint32_t stack, const mprof_stack_frame **frames)
{
	size_t count = 0;

	*frames = names->frames;
	if (stack == 0 || mprof_reader_lookup_stack(names->reader, stack, names->frames, sizeof(*names->frames),
						    names->frame_capacity, &count) != MPROF_OK)
		return 0;
	if (count > names->frame_capacity) {
		mprof_stack_frame *larger = realloc(names->frames, count * sizeof(*larger));

		if (larger == NULL) {
			output_out_of_memory();
			return 0;
		}
		names->frames = larger;
		names->frame_capacity = count;
		if (mprof_reader_lookup_stack(names->reader, stack, names->frames, sizeof(*names->frames),
					      names->frame_capacity, &count) != MPROF_OK)
			return 0;
	}
	*frames = names->frames;
	return count;
}

uint32_t names_stack_at(const name_lookup *names, uint64_t thread, uint32_t stack, uint64_t counter)
{
	uint32_t named = stack;

	if (mprof_reader_name_stack(names->reader, thread, stack, counter, &named) == MPROF_ERR_MEMORY)
		output_out_of_memory();
	return named;
}

static int compare_entries(const void *left, const void *right)
{
	const struct assembly_entry *a = left;
	const struct assembly_entry *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

int assembly_names_init(assembly_names *names, const mprof_profile *profile)
{
	size_t count = mprof_profile_get_row_count(profile, MPROF_TABLE_ELEMENTS);
	mprof_element_stats element;

	names->count = 0;
	names->entries = calloc(count + 1, sizeof(*names->entries));
	if (names->entries == NULL)
		return 0;
	element.struct_size = sizeof(element);
	for (size_t i = 0; i < count; i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_ELEMENTS, i, &element) != MPROF_OK || element.id == 0 ||
		    !(element.kind & MPROF_ELEMENT_ASSEMBLY))
			continue;
		names->entries[names->count].id = element.id;
		/* Only .NET has names of several parts. */
		names->entries[names->count++].name =
			element.assembly != NULL && element.assembly[0] != '\0' ? element.assembly : element.name;
	}
	qsort(names->entries, names->count, sizeof(*names->entries), compare_entries);
	return 1;
}

void assembly_names_release(assembly_names *names)
{
	free(names->entries);
	names->entries = NULL;
	names->count = 0;
}

const char *assembly_names_get(const assembly_names *names, uint32_t id)
{
	struct assembly_entry wanted = {id, NULL};
	const struct assembly_entry *found = NULL;

	if (names->count > 0 && id != 0)
		found = bsearch(&wanted, names->entries, names->count, sizeof(*names->entries), compare_entries);
	return found != NULL ? found->name : NULL;
}
