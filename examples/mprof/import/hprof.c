/* SPDX-License-Identifier: MIT */
/*
 * Reads heap dumps of Java virtual machines (jmap -dump, -XX:+HeapDumpOnOutOfMemoryError, Android).
 *
 * An object is written when it is read, as long as its class and those that it inherits from are known. Others wait in
 * memory until the end.
 */
#include "import/heap_log.h"
#include "import/import.h"
#include "shared/key_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records. */
enum {
	TAG_STRING = 0x01,
	TAG_LOAD_CLASS = 0x02,
	TAG_FRAME = 0x04,
	TAG_TRACE = 0x05,
	TAG_ALLOCATION_SITES = 0x06,
	TAG_HEAP_SUMMARY = 0x07,
	TAG_HEAP_DUMP = 0x0c,
	TAG_CPU_SAMPLES = 0x0d,
	TAG_HEAP_SEGMENT = 0x1c,
	TAG_HEAP_END = 0x2c
};

/* Parts of a heap dump that are not roots. */
enum {
	PART_CLASS = 0x20,
	PART_INSTANCE = 0x21,
	PART_OBJECTS = 0x22,
	PART_VALUES = 0x23,
	PART_VALUES_LEFT_OUT = 0xc3,
	PART_HEAP_INFO = 0xfe
};

enum { TYPE_OBJECT = 2, FIRST_VALUE_TYPE = 4, TYPES = 12, HEADER_SIZE = 13, MAX_NAME = 4096, MAX_TRACE_FRAMES = 1024 };

static const char out_of_memory[] = "out of memory";

/* The bytes of a value by its type; 0 if there is no such type, that of an object depends on the file. */
static const uint8_t value_sizes[TYPES] = {[4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8};
static const char *const value_arrays[TYPES] = {[4] = "boolean[]", [5] = "char[]",  [6] = "float[]", [7] = "double[]",
						[8] = "byte[]",    [9] = "short[]", [10] = "int[]",  [11] = "long[]"};

/* Entries of maps begin with the key. */
typedef struct text_entry {
	uint64_t id;
	const char *text;
} text_entry;

typedef struct field {
	uint64_t name;
	uint8_t type;
} field;

typedef struct java_class {
	uint64_t id, super;
	uint64_t name;     /* The ID of its text. */
	uint64_t size;     /* Bytes of the values of its objects. */
	uint64_t has_dump; /* Its fields are known. */
	uint64_t is_ready; /* It has an ID in the log, and so do the classes that it inherits from. */
	uint64_t log_id;   /* Its ID in the log, 0 if it is not defined yet. */
	uint64_t depth;    /* While it is looked at: protects from circles. */
	field *fields;     /* Of its own, without those that it inherits. */
	uint64_t field_count;
} java_class;

typedef struct frame {
	uint64_t id, method, file;
	uint64_t class_serial;
	int64_t line;
} frame;

/* The frames of a call stack, the innermost first. */
typedef struct trace {
	uint64_t serial, thread;
	uint64_t *frames;
	uint64_t count;
} trace;

typedef struct serial_entry {
	uint64_t serial, id;
} serial_entry;

/* An instance whose class is not known yet. */
typedef struct waiting {
	uint64_t object, class_id;
	uint8_t *bytes;
	uint32_t length;
} waiting;

static import_job *job;
static heap_log heap;
static uint32_t id_size;
static uint64_t start_ms, now, last;
static key_map texts = {.value_size = sizeof(text_entry) - 8}, classes = {.value_size = sizeof(java_class) - 8};
static key_map frames = {.value_size = sizeof(frame) - 8}, traces = {.value_size = sizeof(trace) - 8};
static key_map class_serials = {.value_size = 8}, thread_traces = {.value_size = 8}, local_roots = {.value_size = 8};
static uint64_t array_classes[TYPES], class_count, class_class;
static waiting *waiting_objects;
static size_t waiting_count, waiting_capacity;
static uint8_t *bytes;
static size_t byte_capacity;
static uint64_t part_end;   /* The offset at which the record ends. */
static const char *problem; /* Why reading ended. */
static uint64_t left_out[256], left_out_values, unknown_classes, instances, segments;

/* Bytes of the file. */

static int refuse(const char *why)
{
	if (problem == NULL)
		problem = job->source.problem != NULL ? job->source.problem : why;
	return 0;
}

/* Takes a number of up to 8 bytes of the current record; 0 after the end. */
static uint64_t take(size_t size)
{
	uint8_t number[8];
	uint64_t value = 0;

	if (problem != NULL)
		return 0;
	if (part_end - import_source_offset(&job->source) < size) {
		refuse("a record ends within one of its parts");
		return 0;
	}
	if (import_source_take(&job->source, number, size) < size) {
		refuse("the file ends within a record");
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value = value << 8 | number[i];
	return value;
}

static uint64_t take_id(void)
{
	return take(id_size);
}

static void skip(uint64_t size)
{
	if (problem != NULL)
		return;
	if (part_end - import_source_offset(&job->source) < size)
		refuse("a record ends within one of its parts");
	else if (import_source_skip(&job->source, size) < size)
		refuse("the file ends within a record");
}

/* Takes bytes to the buffer, which grows as they arrive: a length may be wrong. */
static const uint8_t *take_bytes(uint64_t size)
{
	size_t taken = 0;

	if (problem != NULL)
		return NULL;
	if (part_end - import_source_offset(&job->source) < size) {
		refuse("a record ends within one of its parts");
		return NULL;
	}
	while (taken < size || byte_capacity == 0) {
		size_t room = byte_capacity - taken;

		if (room == 0) {
			byte_capacity = 2 * byte_capacity + IMPORT_SOURCE_PEEK;
			bytes = realloc(bytes, byte_capacity);
			if (bytes == NULL)
				import_job_fail(job, out_of_memory);
			room = byte_capacity - taken;
		}
		room = room < size - taken ? room : (size_t)(size - taken);
		if (import_source_take(&job->source, bytes + taken, room) < room) {
			refuse("the file ends within a record");
			return NULL;
		}
		taken += room;
	}
	return bytes;
}

static uint64_t number_at(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

static uint64_t size_of(uint8_t type)
{
	return type == TYPE_OBJECT ? id_size : type < TYPES ? value_sizes[type] : 0;
}

/* Names. */

static const char *text_of(uint64_t id)
{
	const text_entry *entry = key_map_find(&texts, id);

	return entry != NULL ? entry->text : "";
}

/* Texts of Java are in a UTF-8 of their own, in which a NUL character has two bytes. */
static void read_text(uint64_t length)
{
	const uint64_t id = take_id();
	const uint64_t kept = length - id_size < MAX_NAME ? length - id_size : MAX_NAME;
	const uint8_t *start = length >= id_size ? take_bytes(kept) : NULL;
	text_entry *entry;
	char name[MAX_NAME + 1];
	size_t size = 0;

	if (start == NULL)
		return;
	for (size_t i = 0; i < kept; i++) {
		if (start[i] != '\0')
			name[size++] = (char)start[i];
	}
	name[size] = '\0';
	entry = import_job_put(job, &texts, id);
	if (entry->text == NULL)
		entry->text = heap_log_keep_text(&heap, name);
}

/* "[[Ljava/lang/String;" is java.lang.String[][]. */
static const char *class_name(uint64_t id)
{
	static const char letters[] = "ZCFDBSIJ";
	const char *name = text_of(id), *found;
	char readable[MAX_NAME + 2 * 256 + 16];
	size_t depth = 0, length;

	while (depth < 255 && name[depth] == '[')
		depth++;
	found = depth > 0 && name[depth] != '\0' ? strchr(letters, name[depth]) : NULL;
	if (found != NULL) {
		const char *array = value_arrays[FIRST_VALUE_TYPE + (found - letters)];

		length = (size_t)snprintf(readable, sizeof(readable), "%.*s", (int)strlen(array) - 2, array);
	} else {
		name += depth + (depth > 0 && name[depth] == 'L');
		length = (size_t)snprintf(readable, sizeof(readable), "%s", *name != '\0' ? name : "[unknown class]");
		if (depth > 0 && length > 1 && readable[length - 1] == ';')
			readable[--length] = '\0';
	}
	for (size_t i = 0; i < length; i++)
		readable[i] = readable[i] == '/' ? '.' : readable[i];
	for (size_t i = 0; i < depth; i++)
		length += (size_t)snprintf(readable + length, sizeof(readable) - length, "[]");
	return heap_log_keep_text(&heap, readable);
}

static uint64_t define_class(const char *name)
{
	mprof_class_definition definition = {.struct_size = sizeof(definition), .id = (uint32_t)++class_count};

	definition.name = name;
	definition.name_length = strlen(name);
	import_job_expect(job, mprof_writer_define_class(job->writer, &definition));
	return class_count;
}

/* The class of the arrays of a type of values. */
static uint32_t array_class(uint8_t type)
{
	if (array_classes[type] == 0)
		array_classes[type] = define_class(value_arrays[type]);
	return (uint32_t)array_classes[type];
}

/* The ID of a class in the log. Arrays of values have one class each, however they are named. */
static uint32_t class_in_log(java_class *class)
{
	const char *name;

	if (class->log_id != 0)
		return (uint32_t) class->log_id;
	name = class_name(class->name);
	for (uint8_t type = FIRST_VALUE_TYPE; type < TYPES; type++) {
		if (strcmp(name, value_arrays[type]) == 0)
			class->log_id = array_class(type);
	}
	if (class->log_id == 0)
		class->log_id = define_class(name);
	if (strcmp(name, "java.lang.Class") == 0 && class_class == 0)
		class_class = class->log_id;
	return (uint32_t) class->log_id;
}

static java_class *class_of(uint64_t id)
{
	java_class *class = import_job_put(job, &classes, id);

	return class;
}

/* Fields. */

/* Writes the fields of a class that hold references: those of its own are first in its objects. */
static void define_fields(java_class *class)
{
	uint64_t offset = 0;

	for (const java_class *from = class; from != NULL; from = key_map_find(&classes, from->super)) {
		for (uint64_t i = 0; i < from->field_count; i++) {
			mprof_record record = {.kind = MPROF_RECORD_FIELD, .id = (uint32_t) class->log_id};

			record.as.field.offset = (uint32_t)offset;
			record.as.field.class_id = from != class ? (uint32_t)from->log_id : 0;
			record.as.field.name = text_of(from->fields[i].name);
			if (from->fields[i].type == TYPE_OBJECT && offset <= UINT32_MAX)
				import_job_write_records(job, MPROF_BLOCK_FIELDS, 0, &record, 1);
			offset += size_of(from->fields[i].type);
		}
		if (from->super == 0)
			break;
	}
}

/* Whether the fields of a class and of those that it inherits from are known. Defines them when they are. */
static int is_ready(java_class *class)
{
	uint64_t depth = 0;

	if (class->is_ready)
		return 1;
	for (const java_class *from = class; from != NULL; from = key_map_find(&classes, from->super)) {
		if (!from->has_dump || depth++ > classes.count)
			return 0;
		if (from->super == 0)
			break;
		if (key_map_find(&classes, from->super) == NULL)
			return 0;
	}
	for (java_class *from = class; from != NULL; from = key_map_find(&classes, from->super)) {
		class_in_log(from);
		if (from->super == 0)
			break;
	}
	define_fields(class);
	class->is_ready = 1;
	return 1;
}

/* Objects. */

static void write_instance(java_class *class, uint64_t object, const uint8_t *values, uint64_t length)
{
	uint64_t offset = 0;

	heap_log_add_object(&heap, (uint32_t) class->log_id, object, length, 1);
	instances++;
	for (const java_class *from = class; from != NULL; from = key_map_find(&classes, from->super)) {
		for (uint64_t i = 0; i < from->field_count; i++) {
			const uint64_t size = size_of(from->fields[i].type);
			uint64_t target;

			if (length - offset < size)
				return;
			target = from->fields[i].type == TYPE_OBJECT ? number_at(values + offset, size) : 0;
			if (target != 0)
				heap_log_add_reference(&heap, target, offset, NULL);
			left_out_values += from->fields[i].type != TYPE_OBJECT;
			offset += size;
		}
		if (from->super == 0)
			break;
	}
}

static void keep_waiting(uint64_t object, uint64_t class_id, const uint8_t *values, uint64_t length)
{
	waiting *added;

	waiting_objects =
		import_job_grow(job, waiting_objects, waiting_count, &waiting_capacity, sizeof(*waiting_objects));
	added = &waiting_objects[waiting_count++];
	*added = (waiting){object, class_id, malloc((size_t)length + 1), (uint32_t)length};
	if (added->bytes == NULL)
		import_job_fail(job, out_of_memory);
	memcpy(added->bytes, values, (size_t)length);
}

static void read_instance(void)
{
	const uint64_t object = take_id(), serial = take(4), class_id = take_id(), length = take(4);
	const uint8_t *values = take_bytes(length);
	java_class *class;

	(void)serial;
	if (values == NULL)
		return;
	class = class_of(class_id);
	if (is_ready(class))
		write_instance(class, object, values, length);
	else
		keep_waiting(object, class_id, values, length);
}

/* Objects whose class is nowhere in the file have no known fields. */
static void write_waiting(void)
{
	for (size_t i = 0; i < waiting_count; i++) {
		const waiting *one = &waiting_objects[i];
		java_class *class = class_of(one->class_id);

		if (is_ready(class)) {
			write_instance(class, one->object, one->bytes, one->length);
		} else {
			heap_log_add_object(&heap, class_in_log(class), one->object, one->length, 0);
			unknown_classes++;
		}
		free(one->bytes);
	}
	free(waiting_objects);
}

/* The name of elements needs a class that has it: the first array of a class defines it. */
static void define_elements(java_class *class)
{
	mprof_record record = {.kind = MPROF_RECORD_FIELD, .id = class_in_log(class)};

	if (class->is_ready)
		return;
	record.as.field.stride = id_size;
	record.as.field.name = "[]";
	import_job_write_records(job, MPROF_BLOCK_FIELDS, 0, &record, 1);
	class->is_ready = 1;
}

static void read_objects(void)
{
	const uint64_t object = take_id(), serial = take(4), count = take(4), class_id = take_id();
	java_class *class;

	(void)serial;
	if (problem != NULL)
		return;
	class = class_of(class_id);
	define_elements(class);
	heap_log_add_object(&heap, class_in_log(class), object, count * id_size, 1);
	for (uint64_t i = 0; i < count && problem == NULL; i++) {
		const uint64_t target = take_id();

		if (target != 0)
			heap_log_add_reference(&heap, target, i * id_size, NULL);
	}
}

static void read_values(int has_values)
{
	const uint64_t object = take_id(), serial = take(4), count = take(4), type = take(1);

	(void)serial;
	if (problem == NULL && (type >= TYPES || value_sizes[type] == 0))
		refuse("an array of an unknown type of values");
	if (problem != NULL)
		return;
	if (has_values)
		skip(count * value_sizes[type]);
	if (problem != NULL)
		return;
	heap_log_add_object(&heap, array_class((uint8_t)type), object, count * value_sizes[type], 0);
	left_out_values += count;
}

/* Takes a value of a class. Returns the object that it refers to; 0 if none. */
static uint64_t take_static(uint8_t *type)
{
	uint64_t value;

	*type = (uint8_t)take(1);
	if (problem == NULL && size_of(*type) == 0)
		refuse("a field of an unknown type");
	value = take((size_t)size_of(*type));
	left_out_values += *type != TYPE_OBJECT;
	return *type == TYPE_OBJECT ? value : 0;
}

static void read_static_fields(uint64_t *size)
{
	const uint64_t count = take(2);

	for (uint64_t i = 0; i < count && problem == NULL; i++) {
		const uint64_t name = take_id();
		uint8_t type;
		const uint64_t target = take_static(&type);

		*size += size_of(type);
		if (target != 0)
			heap_log_add_reference(&heap, target, 0, text_of(name));
	}
}

static void read_constants(void)
{
	const uint64_t count = take(2);

	for (uint64_t i = 0; i < count && problem == NULL; i++) {
		uint8_t type;
		uint64_t target;

		take(2);
		target = take_static(&type);
		if (target != 0)
			heap_log_add_reference(&heap, target, 0, "<constant>");
	}
}

/* Reads the fields of the objects of a class. Of two definitions of a class, the first one counts. */
static void read_fields(uint64_t id)
{
	const uint64_t count = take(2);
	java_class *class = class_of(id);
	field *fields = calloc((size_t)count + 1, sizeof(*fields));
	uint64_t size = 0;

	if (fields == NULL)
		import_job_fail(job, out_of_memory);
	for (uint64_t i = 0; i < count && problem == NULL; i++) {
		fields[i].name = take_id();
		fields[i].type = (uint8_t)take(1);
		if (problem == NULL && size_of(fields[i].type) == 0)
			refuse("a field of an unknown type");
		size += size_of(fields[i].type);
	}
	if (problem != NULL || class->has_dump) {
		free(fields);
		return;
	}
	class->fields = fields;
	class->field_count = count;
	class->size = size;
	class->has_dump = 1;
}

/* A class is an object, which has references to what belongs to it and to its static fields. */
static void read_class(void)
{
	static const char *const names[] = {"<super>", "<class loader>", "<signers>", "<protection domain>"};
	const uint64_t id = take_id(), serial = take(4);
	uint64_t references[4], size = 0;
	char label[MAX_NAME + 600];

	(void)serial;
	for (size_t i = 0; i < 4; i++)
		references[i] = take_id();
	skip(2 * (uint64_t)id_size + 4);
	if (problem != NULL)
		return;
	if (class_class == 0)
		class_class = define_class("java.lang.Class");
	class_of(id)->super = class_of(id)->has_dump ? class_of(id)->super : references[0];
	heap_log_add_object(&heap, (uint32_t)class_class, id, 0, 0);
	snprintf(label, sizeof(label), "class %s", class_name(class_of(id)->name));
	heap_log_add_label(&heap, id, heap_log_keep_text(&heap, label), 0);
	for (size_t i = 0; i < 4; i++) {
		if (references[i] != 0)
			heap_log_add_reference(&heap, references[i], 0, names[i]);
	}
	read_constants();
	read_static_fields(&size);
	read_fields(id);
}

/* Roots. */

/* "Worker.run (Worker.java:12)" */
static const char *frame_name(uint64_t thread, uint64_t number)
{
	const serial_entry *entry = key_map_find(&thread_traces, thread);
	const trace *trace = entry != NULL ? key_map_find(&traces, entry->id) : NULL;
	const frame *frame =
		trace != NULL && number < trace->count ? key_map_find(&frames, trace->frames[number]) : NULL;
	const serial_entry *serial = frame != NULL ? key_map_find(&class_serials, frame->class_serial) : NULL;
	const java_class *class = serial != NULL ? key_map_find(&classes, serial->id) : NULL;
	char name[2 * MAX_NAME + 64];

	if (frame == NULL || class == NULL)
		return NULL;
	if (frame->line > 0)
		snprintf(name, sizeof(name), "%.4000s.%.2000s (%.1000s:%" PRId64 ")", class_name(class->name),
			 text_of(frame->method), text_of(frame->file), frame->line);
	else
		snprintf(name, sizeof(name), "%.4000s.%.2000s", class_name(class->name), text_of(frame->method));
	return heap_log_keep_text(&heap, name);
}

/* The root of a frame: one for each thread and frame. */
static uint32_t local_root(uint32_t kind, uint64_t thread, uint64_t number)
{
	serial_entry *entry = import_job_put(job, &local_roots,
					     thread << 33 | (number & UINT32_MAX) << 1 | (kind == MPROF_ROOT_STACK));
	const char *name;

	if (entry->id == 0) {
		name = frame_name(thread, number);
		entry->id = heap_log_define_root(&heap, kind, thread, name != NULL ? name : "");
	}
	return (uint32_t)entry->id;
}

/* What follows the object in a root: i an ID, t a thread, f a frame, u four bytes. */
typedef struct root_part {
	uint8_t tag;
	uint32_t kind;
	const char *layout;
} root_part;

static const root_part roots[] = {
	{0xff, MPROF_ROOT_OTHER, ""},    {0x01, MPROF_ROOT_GLOBAL, "i"},   {0x02, MPROF_ROOT_LOCAL, "tf"},
	{0x03, MPROF_ROOT_STACK, "tf"},  {0x04, MPROF_ROOT_STACK, "t"},    {0x05, MPROF_ROOT_CLASS, ""},
	{0x06, MPROF_ROOT_STACK, "t"},   {0x07, MPROF_ROOT_MONITOR, ""},   {0x08, MPROF_ROOT_THREAD, "tu"},
	{0x89, MPROF_ROOT_INTERNED, ""}, {0x8a, MPROF_ROOT_FINALIZER, ""}, {0x8b, MPROF_ROOT_OTHER, ""},
	{0x8c, MPROF_ROOT_RUNTIME, ""},  {0x8d, MPROF_ROOT_RUNTIME, ""},   {0x8e, MPROF_ROOT_MONITOR, "tf"},
	{0x90, MPROF_ROOT_OTHER, ""},
};

static void read_root(const root_part *root)
{
	const uint64_t object = take_id();
	uint64_t thread = 0, number = UINT32_MAX;
	uint32_t id = 0;

	for (const char *part = root->layout; *part != '\0'; part++) {
		if (*part == 'i')
			take_id();
		else if (*part == 't')
			thread = take(4);
		else if (*part == 'f')
			number = take(4);
		else
			take(4);
	}
	if (problem != NULL || object == 0)
		return;
	if (thread != 0)
		id = local_root(root->kind, thread, number);
	else if (root->kind == MPROF_ROOT_CLASS && key_map_find(&classes, object) != NULL)
		id = heap_log_define_root(&heap, root->kind, 0, class_name(class_of(object)->name));
	heap_log_add_root(&heap, root->kind, id, object);
}

/* Parts of a heap dump. */

static const root_part *find_root(uint64_t tag)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (roots[i].tag == tag)
			return &roots[i];
	}
	return NULL;
}

static void read_part(uint64_t tag)
{
	const root_part *root = find_root(tag);

	if (root != NULL)
		read_root(root);
	else if (tag == PART_CLASS)
		read_class();
	else if (tag == PART_INSTANCE)
		read_instance();
	else if (tag == PART_OBJECTS)
		read_objects();
	else if (tag == PART_VALUES || tag == PART_VALUES_LEFT_OUT)
		read_values(tag == PART_VALUES);
	else if (tag == PART_HEAP_INFO)
		skip(4 + (uint64_t)id_size);
	else
		refuse("a part of the heap dump is of an unknown kind");
}

static void read_dump(void)
{
	segments++;
	while (problem == NULL && import_source_offset(&job->source) < part_end)
		read_part(take(1));
}

/* Records. */

static void read_loaded_class(void)
{
	const uint64_t serial = take(4), id = take_id();
	uint64_t name;

	take(4);
	name = take_id();
	if (problem != NULL)
		return;
	class_of(id)->name = name;
	((serial_entry *)import_job_put(job, &class_serials, serial))->id = id;
}

static void read_frame(void)
{
	frame read = {.id = take_id()}, *added;

	read.method = take_id();
	take_id();
	read.file = take_id();
	read.class_serial = take(4);
	read.line = (int32_t)(uint32_t)take(4);
	if (problem != NULL)
		return;
	added = import_job_put(job, &frames, read.id);
	*added = read;
}

static void read_trace(void)
{
	const uint64_t serial = take(4), thread = take(4), count = take(4);
	trace *added;

	if (problem != NULL || count > MAX_TRACE_FRAMES)
		return;
	added = import_job_put(job, &traces, serial);
	if (added->frames != NULL)
		return;
	added->frames = calloc((size_t)count + 1, sizeof(*added->frames));
	if (added->frames == NULL)
		import_job_fail(job, out_of_memory);
	added->thread = thread;
	for (uint64_t i = 0; i < count && problem == NULL; i++)
		added->frames[i] = take_id();
	added->count = count;
	((serial_entry *)import_job_put(job, &thread_traces, thread))->id = serial;
}

static void read_record(uint64_t tag, uint64_t length)
{
	switch (tag) {
	case TAG_STRING:
		if (length < id_size)
			refuse("a text without an ID");
		else
			read_text(length);
		break;
	case TAG_LOAD_CLASS:
		read_loaded_class();
		break;
	case TAG_FRAME:
		read_frame();
		break;
	case TAG_TRACE:
		read_trace();
		break;
	case TAG_HEAP_DUMP:
	case TAG_HEAP_SEGMENT:
		read_dump();
		break;
	default:
		left_out[tag]++;
		break;
	}
}

static void read_records(void)
{
	for (;;) {
		uint64_t tag, time, length;
		int byte = import_source_byte(&job->source);

		if (byte < 0) {
			if (job->source.problem != NULL)
				refuse(job->source.problem);
			break;
		}
		tag = (uint64_t)byte;
		part_end = UINT64_MAX;
		time = take(4);
		length = take(4);
		last = time > last ? time : last;
		part_end = import_source_offset(&job->source) + length;
		if (problem == NULL)
			read_record(tag, length);
		if (problem != NULL)
			break;
		skip(part_end - import_source_offset(&job->source));
	}
}

/* "JAVA PROFILE 1.0.2", a NUL byte, the size of IDs, milliseconds since 1970. */
static void read_header(void)
{
	char magic[HEADER_SIZE + 1] = "";
	int byte;

	import_source_take(&job->source, magic, HEADER_SIZE - 1);
	if (strncmp(magic, "JAVA PROFILE", HEADER_SIZE - 1) != 0)
		import_job_fail(job, "not a heap dump of Java");
	do
		byte = import_source_byte(&job->source);
	while (byte > 0 && import_source_offset(&job->source) < IMPORT_SOURCE_PEEK);
	part_end = UINT64_MAX;
	id_size = (uint32_t)take(4);
	start_ms = take(8);
	if (problem != NULL)
		import_job_fail(job, problem);
	if (id_size != 4 && id_size != 8)
		import_job_fail(job, "IDs are not of 4 or 8 bytes");
}

static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = start_ms * 1000 + now;
}

static void begin_log(void)
{
	const mprof_property properties[] = {{"recorder", "mprof import"},
					     {"counter", "microseconds since the start of the dump"},
					     {"object_sizes", "values in the dump, without headers and alignment"}};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "java";
	options.clock = read_clock;
	options.counters_per_second = 1e6;
	import_job_begin_log(job, &options);
	import_job_expect(job, mprof_writer_write_session(job->writer, properties, sizeof(properties[0]),
							  sizeof(properties) / sizeof(properties[0])));
}

static void release(void)
{
	for (size_t i = 0; i <= classes.capacity && classes.capacity > 0; i++) {
		java_class *class = key_map_slot(&classes, i);

		if (class != NULL)
			free(class->fields);
	}
	for (size_t i = 0; i <= traces.capacity && traces.capacity > 0; i++) {
		trace *trace = key_map_slot(&traces, i);

		if (trace != NULL)
			free(trace->frames);
	}
	key_map_clear(&texts);
	key_map_clear(&classes);
	key_map_clear(&frames);
	key_map_clear(&traces);
	key_map_clear(&class_serials);
	key_map_clear(&thread_traces);
	key_map_clear(&local_roots);
	free(bytes);
}

static void report(void)
{
	import_job_report_left_out(job, left_out_values,
				   "values that are not references: contents of fields and arrays");
	import_job_report_left_out(job, left_out[TAG_CPU_SAMPLES], "records of samples");
	import_job_report_left_out(job, left_out[TAG_ALLOCATION_SITES], "records of allocation sites");
	import_job_report_left_out(job, unknown_classes, "fields of objects whose class is not in the dump");
}

static void convert_dump(import_job *started)
{
	job = started;
	read_header();
	begin_log();
	heap_log_begin(&heap, job, 0);
	read_records();
	write_waiting();
	if (problem != NULL)
		import_job_report_damage(job, import_source_offset(&job->source), problem);
	if (heap.objects == 0)
		import_job_fail(job, "no objects in the file");
	heap.is_incomplete = problem != NULL;
	now = last;
	report();
	heap_log_end(&heap);
	import_job_end_log(job);
	release();
}

static int recognizes(const uint8_t *start, size_t length)
{
	return length >= HEADER_SIZE && memcmp(start, "JAVA PROFILE ", HEADER_SIZE) == 0;
}

const import_format import_hprof = {
	.name = "hprof",
	.description = "a heap dump of Java (jmap -dump, Android)",
	.lacks = "values other than references are left out; sizes are those of the values, without headers and "
		 "alignment",
	.next = "heap",
	.recognizes = recognizes,
	.convert = convert_dump,
};
