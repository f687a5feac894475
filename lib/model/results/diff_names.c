/* SPDX-License-Identifier: MIT */
/* Names by which methods and classes of two profiles are compared. */
#include "model/results/diff_names.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "model/records/samples.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * C#: "<Main>b__0_1", "<>c__DisplayClass3_0", "<Work>d__5", "<Run>g__Local|2_0" (csc), "<Main>m__0",
 * "<Work>c__async1", "<Main>c__AnonStorey2" (mcs). Clones of native functions: "work.part.0", "work.constprop.1".
 * Mangled names of Rust end with a hash of the build: "17h0123456789abcdefE".
 */

static int is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static int is_letter(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static int is_of_identifier(char character)
{
	return is_digit(character) || is_letter(character) || character == '_' || character == '$' || character == '|';
}

/* The length of the part before the number of an identifier of C# that was generated; 0 if it was not. */
static size_t length_before_number(const char *start, const char *text, size_t length)
{
	static const char *const prefixes[] = {"c__async", "c__Iterator", "c__AnonStorey", "c__DisplayClass"};
	int is_generated = text > start && text[-1] == '>' && length > 3 && memcmp(text + 1, "__", 2) == 0;
	size_t end = length;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		is_generated |= length > strlen(prefixes[i]) && memcmp(text, prefixes[i], strlen(prefixes[i])) == 0;
	if (!is_generated)
		return 0;
	while (end > 3 && (is_digit(text[end - 1]) || text[end - 1] == '_'))
		end--;
	return end < length && (is_digit(text[end]) || is_digit(text[length - 1])) ? end : 0;
}

/* The length of a suffix that marks a clone of a native function, without its number; 0 if there is none. */
static size_t length_of_clone(const char *text)
{
	static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm."};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i]);

		if (strncmp(text, suffixes[i], length) == 0 && is_digit(text[length]))
			return length;
	}
	return 0;
}

/* The length of the part before a hash of Rust; 0 if there is none. */
static size_t length_before_hash(const char *text)
{
	size_t digits = 0;

	if (strncmp(text, "17h", 3) != 0)
		return 0;
	while (is_digit(text[3 + digits]) || (text[3 + digits] >= 'a' && text[3 + digits] <= 'f'))
		digits++;
	return digits == 16 && text[19] == 'E' ? 3 : 0;
}

typedef struct stripped_name {
	const char *in;
	char *out;
	int has_number;
} stripped_name;

static void copy_text(stripped_name *name, size_t length)
{
	memmove(name->out, name->in, length);
	name->in += length;
	name->out += length;
}

static void replace_number(stripped_name *name, size_t length)
{
	name->in += length;
	*name->out++ = '#';
	name->has_number = 1;
}

/* Strips the text up to the end of an identifier. */
static void strip_identifier(stripped_name *name, const char *start)
{
	size_t before;
	size_t length = 0;

	while (is_of_identifier(name->in[length]))
		length++;
	before = length_before_number(start, name->in, length);
	if (before > 0) {
		copy_text(name, before);
		replace_number(name, length - before);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		if (length_before_hash(name->in) > 0) {
			copy_text(name, 3);
			replace_number(name, 16);
			return;
		}
		copy_text(name, 1);
	}
}

/*
 * Replaces each such number in a name by '#'. The name gets shorter or stays the same. Returns 1 if there was a number.
 */
static int generated_name_strip(char *name)
{
	stripped_name stripped = {name, name, 0};

	while (*stripped.in != '\0') {
		size_t clone = length_of_clone(stripped.in);

		if (clone > 0) {
			copy_text(&stripped, clone);
			replace_number(&stripped, strspn(stripped.in, "0123456789"));
		} else if (is_of_identifier(*stripped.in)) {
			strip_identifier(&stripped, name);
		} else {
			copy_text(&stripped, 1);
		}
	}
	*stripped.out = '\0';
	return stripped.has_number;
}

/* Compares two names as text, but digits as numbers. Returns less than, equal to or greater than 0. */
static int generated_name_compare(const char *left, const char *right)
{
	while (*left != '\0' && *right != '\0') {
		size_t left_digits = strspn(left, "0123456789");
		size_t right_digits = strspn(right, "0123456789");
		int order;

		if (left_digits == 0 || right_digits == 0) {
			if (*left != *right)
				break;
			left++;
			right++;
			continue;
		}
		if (left_digits != right_digits)
			return left_digits < right_digits ? -1 : 1;
		order = memcmp(left, right, left_digits);
		if (order != 0)
			return order;
		left += left_digits;
		right += right_digits;
	}
	return (unsigned char)*left - (unsigned char)*right;
}

/* The number of "". */
#define TEXT_TABLE_EMPTY 0

/* Returned if there is no memory. */
#define TEXT_TABLE_NONE UINT32_MAX

typedef struct wanted_text {
	uint64_t hash;
	const char *text;
	size_t length;
} wanted_text;

static uint64_t hash_of_entry(const void *owner, const void *slot)
{
	return ((const text_table *)owner)->entries[*(const uint32_t *)slot - 1].hash;
}

static int matches_text(const void *owner, const void *slot, const void *key)
{
	const text_table *table = owner;
	const wanted_text *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const text_entry *entry;

	if (position == 0)
		return 0;
	entry = &table->entries[position - 1];
	return entry->hash == wanted->hash && entry->length == wanted->length &&
	       memcmp(table->bytes + entry->offset, wanted->text, wanted->length) == 0;
}

static const hash_index_type text_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 256,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = hash_of_entry,
};

static int reserve(text_table *table, size_t length)
{
	void *entries = table->entries;
	void *bytes = table->bytes;
	size_t needed;
	int is_reserved = table->count < TEXT_TABLE_NONE && checked_add(table->length, length, &needed) &&
			  checked_add(needed, 1, &needed) && hash_index_reserve(&table->numbers, &text_slots, table) &&
			  array_reserve(&table->allocator, &entries, &table->capacity, table->count + 1,
					sizeof(*table->entries)) &&
			  array_reserve(&table->allocator, &bytes, &table->size, needed, 1);

	table->entries = entries;
	table->bytes = bytes;
	return is_reserved;
}

/*
 * The number of a text of length bytes, which is added if missing; it must not be in the table's own memory.
 * TEXT_TABLE_NONE, changing nothing, if there is no memory.
 */
static uint32_t text_table_add(text_table *table, const char *text, size_t length)
{
	wanted_text wanted = {table->numbers.seed, text, length};
	const uint32_t *found;

	for (size_t i = 0; i < length; i++)
		wanted.hash = hash_mix(wanted.hash, (unsigned char)text[i]);
	wanted.hash = hash_key(wanted.hash, length);
	found = hash_index_find(&table->numbers, &text_slots, wanted.hash, matches_text, table, &wanted);
	if (found != NULL)
		return *found - 1;
	if (!reserve(table, length))
		return TEXT_TABLE_NONE;
	table->entries[table->count++] = (text_entry){wanted.hash, table->length, length};
	memcpy(table->bytes + table->length, text, length);
	table->length += length;
	table->bytes[table->length++] = '\0';
	*(uint32_t *)hash_index_take_slot(&table->numbers, &text_slots, wanted.hash) = (uint32_t)table->count;
	return (uint32_t)table->count - 1;
}

/* Creates a table that has only "". Returns 0 if there is no memory; text_table_destroy() may be called then, too. */
static int text_table_init(text_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	hash_index_init(&table->numbers, &table->allocator);
	return text_table_add(table, "", 0) == TEXT_TABLE_EMPTY;
}

static void text_table_destroy(text_table *table)
{
	hash_index_destroy(&table->numbers, &text_slots);
	allocator_release(&table->allocator, table->entries, table->capacity * sizeof(*table->entries));
	allocator_release(&table->allocator, table->bytes, table->size);
	table->entries = NULL;
	table->bytes = NULL;
	table->count = 0;
}

/* Returned if there is no memory. */
#define DIFF_NAME_NONE UINT32_MAX

/* A module, whose name is cut if it is too long, and an offset. */
#define PLACE_SIZE 320
#define PLACE_MODULE "%.255s+0x%" PRIx64

/* What stands for a text. */
typedef struct text_key {
	const char *text;
	size_t length;
} text_key;

/** Texts that identify an item: borrowed from the reader. */
typedef struct item_texts {
	const char *class_name;
	const char *name;
	text_key class_key;
	text_key name_key;
	uint32_t assembly; /* Number of the text. */
	uint32_t assembly_key;
	char address_name[PLACE_SIZE]; /* The name of a function that has none, and its key. */
	char address_key[PLACE_SIZE];
} item_texts;

int diff_names_init(diff_names *names, const mprof_allocator *allocator)
{
	memset(names, 0, sizeof(*names));
	names->allocator = *allocator;
	hash_map_init(&names->entity_by_key, &names->allocator);
	for (int side = 0; side < DIFF_SIDES; side++) {
		hash_map_init(&names->sides[side].assemblies, &names->allocator);
		hash_map_init(&names->sides[side].subjects[0], &names->allocator);
		hash_map_init(&names->sides[side].subjects[1], &names->allocator);
	}
	return text_table_init(&names->texts, &names->allocator);
}

void diff_names_release_items(diff_names *names)
{
	hash_map_destroy(&names->entity_by_key);
	for (int side = 0; side < DIFF_SIDES; side++) {
		hash_map_destroy(&names->sides[side].assemblies);
		hash_map_destroy(&names->sides[side].subjects[0]);
		hash_map_destroy(&names->sides[side].subjects[1]);
	}
	allocator_release(&names->allocator, names->subjects, names->subject_capacity * sizeof(*names->subjects));
	allocator_release(&names->allocator, names->scratch, names->scratch_size);
	names->subjects = NULL;
	names->subject_count = 0;
	names->subject_capacity = 0;
	names->scratch = NULL;
	names->scratch_size = 0;
}

void diff_names_destroy(diff_names *names)
{
	diff_names_release_items(names);
	text_table_destroy(&names->texts);
	allocator_release(&names->allocator, names->entities, names->entity_capacity * sizeof(*names->entities));
	allocator_release(&names->allocator, names->names, names->name_capacity * sizeof(*names->names));
	names->entities = NULL;
	names->names = NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static const char *find_program(const mprof_profile *profile)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK &&
		    strcmp(property.key, "program") == 0)
			return base_name(property.value);
	}
	return "";
}

int diff_names_set_log(diff_names *names, int side, const mprof_profile *profile, const mprof_reader *reader)
{
	mprof_element_stats element = {.struct_size = sizeof(element)};

	names->sides[side].reader = reader;
	names->sides[side].program = find_program(profile);
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_ELEMENTS); i++) {
		const char *name;
		uint32_t text;

		if (mprof_profile_get_row(profile, MPROF_TABLE_ELEMENTS, i, &element) != MPROF_OK || element.id == 0 ||
		    !(element.kind & MPROF_ELEMENT_ASSEMBLY))
			continue;
		/* "Name, Version=...": another version of the same assembly matches. */
		name = element.assembly != NULL ? element.assembly : element.name;
		text = text_table_add(&names->texts, name, strcspn(name, ","));
		if (text == TEXT_TABLE_NONE || !hash_map_put(&names->sides[side].assemblies, element.id, text))
			return 0;
	}
	return 1;
}

static text_key key_of(const char *text)
{
	return (text_key){text, strlen(text)};
}

/*
 * The file of a program or library has another name in another version: the recorded program counts as that of the
 * second log, and a library without what follows ".so".
 */
static text_key key_of_file(const diff_names *names, int side, const char *name)
{
	const char *other = names->sides[DIFF_AFTER].program;
	text_key key = key_of(name);

	if (key.length > 0 && strcmp(name, names->sides[side].program) == 0 && other[0] != '\0')
		return key_of(other);
	for (const char *end = strstr(name, ".so."); end != NULL; end = strstr(end + 1, ".so.")) {
		if (strspn(end + 4, "0123456789.") == strlen(end + 4))
			key.length = (size_t)(end + 3 - name);
	}
	return key;
}

static int find_class(const diff_names *names, int side, uint32_t id, item_texts *texts)
{
	const diff_side_names *log = &names->sides[side];
	const uint64_t *assembly;
	mprof_mapping mapping;

	if (id == 0 || mprof_reader_lookup_class(log->reader, id, &mapping, sizeof(mapping)) != MPROF_OK)
		return 0;
	texts->class_name = mapping.name;
	assembly = mapping.assembly_id != 0 ? hash_map_get(&log->assemblies, mapping.assembly_id) : NULL;
	texts->assembly = assembly != NULL ? (uint32_t)*assembly : TEXT_TABLE_EMPTY;
	texts->assembly_key = texts->assembly;
	texts->class_key = key_of(mapping.name);
	return 1;
}

static void find_method(const diff_names *names, int side, uint32_t id, item_texts *texts)
{
	mprof_mapping mapping;

	if (id == 0 || mprof_reader_lookup_method(names->sides[side].reader, id, &mapping, sizeof(mapping)) != MPROF_OK)
		return;
	texts->name = mapping.name;
	texts->name_key = key_of(mapping.name);
	/* The class of a native function is its file, without an assembly. */
	if (find_class(names, side, mapping.class_id, texts) && texts->assembly == TEXT_TABLE_EMPTY)
		texts->class_key = key_of_file(names, side, texts->class_name);
}

/* Sets the module of native code. Returns 0 if there is no memory. */
static int find_module(diff_names *names, int side, uint32_t id, item_texts *texts)
{
	mprof_record record;
	const char *file;
	text_key key;

	if (id == 0 || mprof_reader_lookup_record(names->sides[side].reader, MPROF_RECORD_MODULE, id, &record,
						  sizeof(record)) != MPROF_OK)
		return 1;
	file = base_name(record.as.module.file);
	key = key_of_file(names, side, file);
	texts->assembly = text_table_add(&names->texts, file, strlen(file));
	texts->assembly_key = text_table_add(&names->texts, key.text, key.length);
	return texts->assembly != TEXT_TABLE_NONE && texts->assembly_key != TEXT_TABLE_NONE;
}

/* Names a function after its place in the module, which means nothing in another build. */
static void name_by_address(const mprof_reader *reader, const mprof_function_record *function, item_texts *texts)
{
	const char *file = "";
	const char *build = "";
	mprof_record module;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, function->module, &module, sizeof(module)) ==
	    MPROF_OK) {
		file = base_name(module.as.module.file);
		build = module.as.module.build_id[0] != '\0' ? module.as.module.build_id : module.as.module.file;
	}
	snprintf(texts->address_name, PLACE_SIZE, PLACE_MODULE, file, function->offset);
	snprintf(texts->address_key, PLACE_SIZE, PLACE_MODULE, build, function->offset);
	texts->name = texts->address_name;
	texts->name_key = key_of(texts->address_key);
}

static int find_native(diff_names *names, int side, const diff_item *item, item_texts *texts)
{
	const mprof_reader *reader = names->sides[side].reader;
	mprof_record record;

	if (item->kind == MPROF_SAMPLE_FUNCTION &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, item->id, &record, sizeof(record)) == MPROF_OK) {
		texts->name = record.as.function.name;
		texts->name_key = key_of(texts->name);
		if (texts->name[0] == '\0')
			name_by_address(reader, &record.as.function, texts);
		return find_module(names, side, record.as.function.module, texts);
	}
	if (item->kind == MPROF_SAMPLE_MODULE &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, item->id, &record, sizeof(record)) == MPROF_OK) {
		texts->name = base_name(record.as.module.file);
		texts->name_key = key_of_file(names, side, texts->name);
	}
	return 1;
}

/* Stores texts one after the other, each with the NUL that no name contains. Returns their text, or none. */
static uint32_t add_key(diff_names *names, const char *kind, const item_texts *texts, int is_stripped)
{
	size_t kind_length = strlen(kind);
	size_t class_end = kind_length + texts->class_key.length;
	size_t length = class_end + 1 + texts->name_key.length;
	void *scratch = names->scratch;
	int has_number;
	char *end;

	if (!array_reserve(&names->allocator, &scratch, &names->scratch_size, length + 1, 1))
		return TEXT_TABLE_NONE;
	names->scratch = scratch;
	memcpy(names->scratch, kind, kind_length);
	memcpy(names->scratch + kind_length, texts->class_key.text, texts->class_key.length);
	names->scratch[class_end] = '\0';
	memcpy(names->scratch + class_end + 1, texts->name_key.text, texts->name_key.length);
	names->scratch[length] = '\0';
	if (!is_stripped)
		return text_table_add(&names->texts, names->scratch, length);
	has_number = generated_name_strip(names->scratch + class_end + 1);
	has_number |= generated_name_strip(names->scratch + kind_length);
	if (!has_number)
		return TEXT_TABLE_EMPTY;
	/* The class may have become shorter. */
	end = names->scratch + kind_length + strlen(names->scratch + kind_length) + 1;
	length = strlen(names->scratch + class_end + 1);
	memmove(end, names->scratch + class_end + 1, length + 1);
	return text_table_add(&names->texts, names->scratch, (size_t)(end - names->scratch) + length);
}

static int add_entity(diff_names *names, const diff_item *item, const item_texts *texts, uint32_t skeleton,
		      uint32_t key)
{
	void *entities = names->entities;
	uint32_t class_text = text_table_add(&names->texts, texts->class_name, strlen(texts->class_name));
	uint32_t name_text = text_table_add(&names->texts, texts->name, strlen(texts->name));
	named_entity *entity;

	if (class_text == TEXT_TABLE_NONE || name_text == TEXT_TABLE_NONE || names->entity_count >= DIFF_NAME_NONE ||
	    !array_reserve(&names->allocator, &entities, &names->entity_capacity, names->entity_count + 1,
			   sizeof(*names->entities)))
		return 0;
	names->entities = entities;
	if (!hash_map_put(&names->entity_by_key, key, names->entity_count))
		return 0;
	entity = &names->entities[names->entity_count];
	memset(entity, 0, sizeof(*entity));
	entity->kind = item->kind;
	entity->flags = item->flags;
	entity->class_text = class_text;
	entity->name_text = name_text;
	entity->skeleton = skeleton;
	for (int side = 0; side < DIFF_SIDES; side++)
		entity->shown[side] = (uint32_t)names->entity_count;
	names->entity_count++;
	return 1;
}

/* The entity of an item; #DIFF_NAME_NONE if there is no memory. */
static uint32_t get_entity(diff_names *names, int side, const diff_item *item, const item_texts *texts)
{
	const char kind[] = {(char)('0' + item->kind), item->flags != 0 ? 'c' : ' ', item->id == DIFF_ROOT ? 'r' : ' ',
			     '\0'};
	uint32_t key = add_key(names, kind, texts, 0);
	uint32_t skeleton = key != TEXT_TABLE_NONE ? add_key(names, kind, texts, 1) : TEXT_TABLE_NONE;
	const uint64_t *known;
	named_entity *entity;

	if (skeleton == TEXT_TABLE_NONE)
		return DIFF_NAME_NONE;
	known = hash_map_get(&names->entity_by_key, key);
	if (known == NULL) {
		if (!add_entity(names, item, texts, skeleton, key))
			return DIFF_NAME_NONE;
		known = hash_map_get(&names->entity_by_key, key);
	}
	entity = &names->entities[*known];
	if (!(entity->sides & (1 << side)))
		entity->assemblies[side] = texts->assembly_key;
	else if (entity->assemblies[side] != texts->assembly_key)
		entity->is_ambiguous = 1;
	entity->sides |= (uint8_t)(1 << side);
	return (uint32_t)*known;
}

/* Native code is counted by function, or by module; without one, addresses of two runs cannot be compared. */
static diff_item item_of(const diff_names *names, int side, const diff_item *input)
{
	const mprof_stack_frame frame = {.id = input->id, .is_native = 1};
	diff_item item = *input;

	if (item.kind == MPROF_SAMPLE_LOCATION)
		samples_item_of_frame(names->sides[side].reader, &frame, &item.kind, &item.id);
	if (item.kind == MPROF_SAMPLE_LOCATION)
		item.id = 0;
	item.flags = item.flags != 0;
	return item;
}

static uint64_t subject_key(const diff_item *item)
{
	return (uint64_t)item->kind << 32 | item->id;
}

int diff_names_add(diff_names *names, int side, const diff_item *input)
{
	const diff_item item = item_of(names, side, input);
	hash_map *known = &names->sides[side].subjects[item.flags];
	item_texts texts = {.class_name = "", .name = "", .class_key = {"", 0}, .name_key = {"", 0}};
	void *subjects = names->subjects;
	uint32_t entity;

	if (hash_map_get(known, subject_key(&item)) != NULL)
		return 1;
	if (item.kind == MPROF_SAMPLE_METHOD)
		find_method(names, side, item.id, &texts);
	else if (item.kind == DIFF_CLASS)
		find_class(names, side, item.id != DIFF_ROOT ? item.id : 0, &texts);
	else if (!find_native(names, side, &item, &texts))
		return 0;
	entity = get_entity(names, side, &item, &texts);
	if (entity == DIFF_NAME_NONE || !array_reserve(&names->allocator, &subjects, &names->subject_capacity,
						       names->subject_count + 1, sizeof(*names->subjects)))
		return 0;
	names->subjects = subjects;
	if (!hash_map_put(known, subject_key(&item), names->subject_count))
		return 0;
	names->subjects[names->subject_count++] =
		(diff_subject){item.id, entity, texts.assembly, texts.assembly_key, DIFF_NAME_NONE, (uint32_t)side};
	return 1;
}

/* An entity with its name, for sorting. */
typedef struct sorted_entity {
	uint32_t skeleton;
	uint32_t entity;
	const char *class_name;
	const char *name;
} sorted_entity;

static int compare_sorted(const void *left, const void *right)
{
	const sorted_entity *a = left;
	const sorted_entity *b = right;
	int order = (a->skeleton > b->skeleton) - (a->skeleton < b->skeleton);

	order = order != 0 ? order : generated_name_compare(a->class_name, b->class_name);
	order = order != 0 ? order : generated_name_compare(a->name, b->name);
	return order != 0 ? order : (a->entity > b->entity) - (a->entity < b->entity);
}

/* Replaces the name of an entity by its skeleton, for all of a group. Returns 0 if there is no memory. */
static int merge_group(diff_names *names, const sorted_entity *group, size_t count)
{
	named_entity *first = &names->entities[group[0].entity];
	const char *text = text_table_get(&names->texts, first->skeleton) + 3;
	size_t class_length = strlen(text);
	size_t length = class_length + 1 + strlen(text + class_length + 1) + 1;
	void *scratch = names->scratch;

	if (!array_reserve(&names->allocator, &scratch, &names->scratch_size, length, 1))
		return 0;
	names->scratch = scratch;
	memcpy(names->scratch, text, length);
	first->class_text = text_table_add(&names->texts, names->scratch, class_length);
	first->name_text = text_table_add(&names->texts, names->scratch + class_length + 1, length - class_length - 2);
	first->match = MPROF_DIFF_MERGED;
	for (size_t i = 0; i < count; i++) {
		names->entities[group[i].entity].shown[DIFF_BEFORE] = group[0].entity;
		names->entities[group[i].entity].shown[DIFF_AFTER] = group[0].entity;
	}
	return first->class_text != TEXT_TABLE_NONE && first->name_text != TEXT_TABLE_NONE;
}

/* Gives the first name of the log before the first name of the log after it, and so on. */
static void pair_group(diff_names *names, const sorted_entity *group, size_t count)
{
	size_t after = 0;

	for (size_t before = 0; before < count; before++) {
		if (!(names->entities[group[before].entity].sides & 1 << DIFF_BEFORE))
			continue;
		while (!(names->entities[group[after].entity].sides & 1 << DIFF_AFTER))
			after++;
		names->entities[group[before].entity].shown[DIFF_BEFORE] = group[after].entity;
		names->entities[group[after].entity].match = MPROF_DIFF_RENAMED;
		after++;
	}
}

/* Matches the entities that differ only in numbers that a compiler chose. Returns 0 if there is no memory. */
static int match_group(diff_names *names, const sorted_entity *group, size_t count)
{
	size_t sides[DIFF_SIDES] = {0, 0};
	size_t in_both = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int bits = names->entities[group[i].entity].sides;

		sides[DIFF_BEFORE] += (bits >> DIFF_BEFORE) & 1;
		sides[DIFF_AFTER] += (bits >> DIFF_AFTER) & 1;
		in_both += bits == 3;
	}
	if (in_both == count || sides[DIFF_BEFORE] == 0 || sides[DIFF_AFTER] == 0)
		return 1;
	if (in_both > 0 || sides[DIFF_BEFORE] != sides[DIFF_AFTER])
		return merge_group(names, group, count);
	pair_group(names, group, count);
	return 1;
}

/* Returns 0 if there is no memory or it was stopped, like the functions below. */
static int match_groups(diff_names *names, sorted_entity *sorted, size_t count, progress *going)
{
	for (size_t i = 0; i < count; i++) {
		const named_entity *entity = &names->entities[sorted[i].entity];

		sorted[i].class_name = text_table_get(&names->texts, entity->class_text);
		sorted[i].name = text_table_get(&names->texts, entity->name_text);
	}
	if (!sort_with_progress(sorted, count, sizeof(*sorted), compare_sorted, going))
		return 0;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && sorted[end].skeleton == sorted[first].skeleton;)
			end++;
		if (!progress_step(going) || !match_group(names, &sorted[first], end - first))
			return 0;
	}
	return 1;
}

static int match_generated(diff_names *names, progress *going)
{
	sorted_entity *sorted;
	size_t count = 0;
	size_t size;
	int is_matched;

	for (size_t i = 0; i < names->entity_count; i++)
		count += names->entities[i].skeleton != 0;
	if (count == 0)
		return 1;
	size = count * sizeof(*sorted);
	sorted = allocator_allocate_zeroed(&names->allocator, size);
	if (sorted == NULL)
		return 0;
	count = 0;
	for (size_t i = 0; i < names->entity_count; i++) {
		if (names->entities[i].skeleton != 0) {
			sorted[count].skeleton = names->entities[i].skeleton;
			sorted[count++].entity = (uint32_t)i;
		}
	}
	is_matched = match_groups(names, sorted, count, going);
	allocator_release(&names->allocator, sorted, size);
	return is_matched;
}

static int add_name(diff_names *names, uint32_t entity, uint32_t assembly)
{
	void *all = names->names;

	if (!array_reserve(&names->allocator, &all, &names->name_capacity, names->name_count + 1,
			   sizeof(*names->names)))
		return 0;
	names->names = all;
	names->names[names->name_count++] = (diff_name){.entity = entity, .assembly = assembly};
	return 1;
}

/* Adds an item to its name. The assembly of a name is known if all items have the same one, on the side shown last. */
static void add_to_name(diff_names *names, diff_subject *subject, uint32_t number)
{
	diff_name *name = &names->names[number];
	uint32_t bit = subject->side == DIFF_BEFORE ? MPROF_DIFF_BEFORE : MPROF_DIFF_AFTER;

	name->has_several[subject->side] |= (name->match & bit) != 0;
	name->match |= bit | names->entities[name->entity].match;
	name->ids[subject->side] = name->has_several[subject->side] ? 0 : subject->id;
	subject->name = number;
}

/* Makes the names that the items have after matching. */
static int make_names(diff_names *names, progress *going)
{
	hash_map numbers;
	int is_created = 1;

	hash_map_init(&numbers, &names->allocator);
	for (size_t i = 0; is_created && i < names->subject_count && progress_step(going); i++) {
		diff_subject *subject = &names->subjects[i];
		uint32_t shown = names->entities[subject->entity].shown[subject->side];
		int is_ambiguous = names->entities[shown].is_ambiguous || names->entities[subject->entity].is_ambiguous;
		/* The assembly plus 1, or 0 if it does not count. */
		uint32_t key = is_ambiguous ? subject->assembly_key + 1 : 0;
		const uint64_t *known = hash_map_get(&numbers, (uint64_t)shown << 32 | key);

		if (known == NULL) {
			is_created = add_name(names, shown, subject->assembly) &&
				     hash_map_put(&numbers, (uint64_t)shown << 32 | key, names->name_count - 1);
			if (is_created)
				add_to_name(names, subject, (uint32_t)names->name_count - 1);
			continue;
		}
		/* Items before come first, so this is the assembly in the second log if both have the name. */
		names->names[*known].assembly = subject->assembly;
		add_to_name(names, subject, (uint32_t)*known);
	}
	hash_map_destroy(&numbers);
	return is_created && !going->is_stopped;
}

uint64_t diff_names_steps(const diff_names *names)
{
	return sort_steps(names->entity_count) + names->entity_count + names->subject_count;
}

int diff_names_match(diff_names *names, progress *going)
{
	return match_generated(names, going) && make_names(names, going);
}

uint32_t diff_names_find(const diff_names *names, int side, const diff_item *input)
{
	const diff_item item = item_of(names, side, input);
	const uint64_t *known = hash_map_get(&names->sides[side].subjects[item.flags], subject_key(&item));

	return known != NULL ? names->subjects[*known].name : DIFF_NAME_NONE;
}
