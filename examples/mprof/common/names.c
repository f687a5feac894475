/* SPDX-License-Identifier: MIT */
#include "common/names.h"

#include "common/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *undefined(char text[UNDEFINED_NAME_SIZE], uint32_t id)
{
	snprintf(text, UNDEFINED_NAME_SIZE, "#%" PRIu32, id);
	return text;
}

void names_class(const mprof_reader *reader, uint32_t id, class_name *name)
{
	mprof_mapping mapping;

	memset(name, 0, sizeof(*name));
	if (mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK) {
		name->name = mapping.name;
		name->assembly_id = mapping.assembly_id;
	} else {
		name->name = undefined(name->undefined, id);
	}
}

void names_method(const mprof_reader *reader, uint32_t id, method_name *name)
{
	mprof_mapping mapping;

	memset(name, 0, sizeof(*name));
	name->class_name = "";
	if (mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) != MPROF_OK) {
		name->name = undefined(name->undefined, id);
		return;
	}
	name->name = mapping.name;
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
		name->class_name = undefined(name->undefined_class, name->class_id);
	}
}

const char *names_class_or_none(const mprof_reader *reader, uint32_t id, class_name *name)
{
	if (id == 0)
		return NULL;
	names_class(reader, id, name);
	return name->name;
}

/* Buffers for the last name returned, and for frames. */
static char *full_name;
static size_t full_name_size;
static mprof_stack_frame *stack_frames;
static size_t stack_capacity;

typedef size_t (*name_function)(const mprof_reader *reader, uint32_t id, char *text, size_t size);

static const char *full(name_function name, const mprof_reader *reader, uint32_t id)
{
	size_t length = name(reader, id, full_name, full_name_size);

	if (length >= full_name_size) {
		char *larger = realloc(full_name, length + 256);

		if (larger == NULL) {
			output_out_of_memory();
			return full_name != NULL ? full_name : "";
		}
		full_name = larger;
		full_name_size = length + 256;
		name(reader, id, full_name, full_name_size);
	}
	return full_name;
}

const char *names_full_method(const mprof_reader *reader, uint32_t id)
{
	return full(mprof_reader_format_method, reader, id);
}

const char *names_frame(const mprof_reader *reader, const mprof_stack_frame *frame)
{
	if (frame->is_native)
		return full(mprof_reader_format_location, reader, frame->id);
	return frame->id != 0 ? names_full_method(reader, frame->id) : NULL;
}

const char *names_sample(const mprof_reader *reader, uint32_t kind, uint32_t id)
{
	mprof_record record;

	if (id == 0)
		return NULL;
	switch (kind) {
	case MPROF_SAMPLE_METHOD:
		return names_full_method(reader, id);
	case MPROF_SAMPLE_FUNCTION:
		return mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, id, &record, sizeof(record)) ==
				       MPROF_OK
			       ? record.as.function.name
			       : NULL;
	case MPROF_SAMPLE_MODULE:
		return mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) == MPROF_OK
			       ? record.as.module.file
			       : NULL;
	case MPROF_SAMPLE_LOCATION:
		return full(mprof_reader_format_location, reader, id);
	default:
		return NULL;
	}
}

size_t names_stack(const mprof_reader *reader, uint32_t stack, const mprof_stack_frame **frames)
{
	size_t count = 0;

	*frames = stack_frames;
	if (stack == 0 || mprof_reader_lookup_stack(reader, stack, stack_frames, sizeof(*stack_frames), stack_capacity,
						    &count) != MPROF_OK)
		return 0;
	if (count > stack_capacity) {
		mprof_stack_frame *larger = realloc(stack_frames, count * sizeof(*larger));

		if (larger == NULL) {
			output_out_of_memory();
			return 0;
		}
		stack_frames = larger;
		stack_capacity = count;
		if (mprof_reader_lookup_stack(reader, stack, stack_frames, sizeof(*stack_frames), stack_capacity,
					      &count) != MPROF_OK)
			return 0;
	}
	*frames = stack_frames;
	return count;
}

void names_release(void)
{
	free(full_name);
	full_name = NULL;
	full_name_size = 0;
	free(stack_frames);
	stack_frames = NULL;
	stack_capacity = 0;
}

static int compare_entries(const void *left, const void *right)
{
	const struct assembly_entry *a = left;
	const struct assembly_entry *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

int assembly_names_init(assembly_names *names, const mprof_profile *profile)
{
	size_t count = mprof_profile_get_element_count(profile);
	mprof_element_stats element;

	names->count = 0;
	names->entries = calloc(count + 1, sizeof(*names->entries));
	if (names->entries == NULL)
		return 0;
	element.struct_size = sizeof(element);
	for (size_t i = 0; i < count; i++) {
		if (mprof_profile_get_element(profile, i, &element) != MPROF_OK || element.id == 0 ||
		    !(element.kind & MPROF_ELEMENT_ASSEMBLY))
			continue;
		names->entries[names->count].id = element.id;
		names->entries[names->count++].name = element.assembly != NULL ? element.assembly : element.name;
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
