/* SPDX-License-Identifier: MIT */
/*
 * Writes a heap snapshot as a heap dump of Java (HPROF 1.0.2).
 *
 * The ID of an object is its address; classes have IDs in a range without objects. The texts and the classes come
 * first, then segments with the fields of the classes, the roots, and the objects in the order of the graph.
 */
#include "common/elements.h"
#include "common/arguments.h"
#include "common/output.h"
#include "export/heap_source.h"
#include "export/hprof_layouts.h"
#include "export/intern.h"
#include "export/targets.h"
#include "export/text_stream.h"
#include "heap/view.h"
#include "shared/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Writes the records of an HPROF file.
 *
 * The objects are sub-records of HEAP_DUMP_SEGMENT records. A segment is buffered, since its length comes first; a
 * sub-record that exceeds the buffer is a segment of its own. A write error need not be checked at each call.
 */

/* Codes of records. */
enum { HPROF_STRING = 0x01, HPROF_LOAD_CLASS = 0x02, HPROF_STACK_TRACE = 0x05 };

/* Codes of sub-records. */
enum {
	HPROF_ROOT_JNI_GLOBAL = 0x01,
	HPROF_ROOT_JNI_LOCAL = 0x02,
	HPROF_ROOT_JAVA_FRAME = 0x03,
	HPROF_ROOT_STICKY_CLASS = 0x05,
	HPROF_ROOT_THREAD_BLOCK = 0x06,
	HPROF_ROOT_MONITOR_USED = 0x07,
	HPROF_ROOT_THREAD_OBJECT = 0x08,
	HPROF_CLASS_DUMP = 0x20,
	HPROF_INSTANCE_DUMP = 0x21,
	HPROF_OBJECT_ARRAY_DUMP = 0x22,
	HPROF_ROOT_UNKNOWN = 0xff
};

/* Types of fields. */
enum { HPROF_OBJECT = 2, HPROF_BYTE = 8, HPROF_LONG = 11 };

#define HPROF_BUFFER_SIZE (UINT32_C(1) << 20)

typedef struct hprof_stream {
	FILE *stream;
	uint32_t id_size; /* Of the IDs of objects, classes and texts: 4 or 8 bytes. */
	int can_skip;     /* The stream is a new file, in which bytes that are skipped are 0. */
	int is_direct;    /* The header of the segment has been written. */
	size_t used;
	unsigned char buffer[HPROF_BUFFER_SIZE];
} hprof_stream;

#define SEGMENT 0x1c
#define SEGMENT_END 0x2c
#define HEADER_SIZE 9
#define MAX_NUMBER_SIZE 8

static void encode(unsigned char *bytes, uint64_t number, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> 8 * (size - 1 - i));
}

/* The time of all records is that of the head. */
static void write_header(hprof_stream *stream, uint32_t code, uint64_t length)
{
	unsigned char header[HEADER_SIZE] = {(unsigned char)code};

	encode(header + 5, length, 4);
	fwrite(header, 1, sizeof(header), stream->stream);
}

/* Writes what is buffered: a whole segment, or a part of one whose header has been written. */
static void write_buffer(hprof_stream *stream)
{
	if (stream->used > 0 && !stream->is_direct)
		write_header(stream, SEGMENT, stream->used);
	fwrite(stream->buffer, 1, stream->used, stream->stream);
	stream->used = 0;
}

/* Writes a number of 1, 2, 4 or 8 bytes. */
static void hprof_number(hprof_stream *stream, uint64_t number, uint32_t size)
{
	/* Only a record whose header has been written can exceed the buffer. */
	if (HPROF_BUFFER_SIZE - stream->used < MAX_NUMBER_SIZE && stream->is_direct)
		write_buffer(stream);
	encode(stream->buffer + stream->used, number, size);
	stream->used += size;
}

static void hprof_bytes(hprof_stream *stream, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size > 0) {
		size_t part = HPROF_BUFFER_SIZE - stream->used;

		part = part < size ? part : size;
		memcpy(stream->buffer + stream->used, from, part);
		stream->used += part;
		from += part;
		size -= part;
		if (size > 0)
			write_buffer(stream);
	}
}

/* Writes the head of the file. time_ms: milliseconds since 1970. */
static void hprof_begin(hprof_stream *stream, FILE *file, uint32_t id_size, uint64_t time_ms)
{
	static const char magic[] = "JAVA PROFILE 1.0.2";

	stream->stream = file;
	stream->id_size = id_size;
	stream->is_direct = 1;
	hprof_bytes(stream, magic, sizeof(magic));
	hprof_number(stream, id_size, 4);
	hprof_number(stream, time_ms, 8);
}

/* Begins a record that is not a segment. length is that of its content in bytes, less than 2^32. */
static void hprof_begin_record(hprof_stream *stream, uint32_t code, uint64_t length)
{
	write_buffer(stream);
	write_header(stream, code, length);
	stream->is_direct = 1;
}

/* Begins a sub-record. length includes its code; it is less than 2^32. */
static void hprof_begin_part(hprof_stream *stream, uint32_t code, uint64_t length)
{
	if (stream->is_direct || length > HPROF_BUFFER_SIZE - stream->used)
		write_buffer(stream);
	stream->is_direct = length > HPROF_BUFFER_SIZE;
	if (stream->is_direct)
		write_header(stream, SEGMENT, length);
	hprof_number(stream, code, 1);
}

static void hprof_id(hprof_stream *stream, uint64_t id)
{
	hprof_number(stream, id, stream->id_size);
}

static void hprof_zeros(hprof_stream *stream, uint64_t count)
{
	while (count > 0) {
		uint64_t part = HPROF_BUFFER_SIZE - stream->used;

		part = part < count ? part : count;
		memset(stream->buffer + stream->used, 0, (size_t)part);
		stream->used += (size_t)part;
		count -= part;
		if (count == 0)
			return;
		write_buffer(stream);
		/* The end of the heap dump follows, so the file does not end with what is skipped. */
		if (stream->can_skip && count <= INT64_MAX && fseeko(stream->stream, (off_t)count, SEEK_CUR) == 0)
			return;
	}
}

/* Writes the last segment and the end of the heap dump. */
static void hprof_end(hprof_stream *stream)
{
	write_buffer(stream);
	write_header(stream, SEGMENT_END, 0);
}

/* Collects the roots that are static fields of a class. */

/* A static field. */
typedef struct hprof_static {
	uint32_t class_id;
	uint32_t object;
	uint32_t area;
	uint32_t slot; /* Of its class: its index, or the number of classes plus an index of class_ids. */
} hprof_static;

typedef struct hprof_statics {
	hprof_static *fields; /* In the order of classes. */
	size_t count;
	uint32_t *class_ids; /* Of classes that the snapshot has no objects of, or that have too many fields. */
	size_t class_count;
} hprof_statics;

/* Readers take the number of static fields as one with 15 bits. */
#define MAX_STATICS 32767U

/* The class of a root, 0 if it is not a static field of a known class. */
static uint32_t class_of(const heap_view *view, const mprof_heap_root *root)
{
	mprof_record record;

	if (root->kind != MPROF_ROOT_STATIC || root->area == 0 ||
	    mprof_reader_lookup_record(view->input.reader, MPROF_RECORD_ROOT, root->area, &record, sizeof(record)) !=
		    MPROF_OK)
		return 0;
	return record.as.root.class_id;
}

/* Whether a root is a static field of a known class. */
static int hprof_statics_have(const heap_view *view, const mprof_heap_root *root)
{
	return class_of(view, root) != 0;
}

static int compare_classes(const void *left, const void *right)
{
	const hprof_static *a = left;
	const hprof_static *b = right;

	if (a->class_id != b->class_id)
		return a->class_id < b->class_id ? -1 : 1;
	if (a->area != b->area)
		return a->area < b->area ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int compare_slots(const void *left, const void *right)
{
	const hprof_static *a = left;
	const hprof_static *b = right;

	return a->slot != b->slot ? (a->slot < b->slot ? -1 : 1) : compare_classes(left, right);
}

/* The index of a class among those with objects, which are in the order of their IDs; else their number. */
static uint32_t find_class(const heap_view *view, uint32_t class_id)
{
	size_t count = (size_t)view->totals.classes;
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap_view_class(view, middle).class_id < class_id)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)(low < count && heap_view_class(view, low).class_id == class_id ? low : count);
}

/* Assigns slots, a further one to a class that has too many fields. Returns 0 if out of memory. */
static int assign_slots(hprof_statics *statics, const heap_view *view)
{
	uint32_t classes = (uint32_t)view->totals.classes;
	size_t capacity = 0;
	uint32_t used = 0;

	for (size_t i = 0; i < statics->count; i++) {
		hprof_static *field = &statics->fields[i];
		int is_same = i > 0 && field[-1].class_id == field->class_id;
		void *ids = statics->class_ids;

		field->slot = is_same ? field[-1].slot : find_class(view, field->class_id);
		used = is_same ? used + 1 : 1;
		if (used <= MAX_STATICS && (is_same || field->slot != classes))
			continue;
		if (!elements_reserve(&ids, &capacity, statics->class_count, sizeof(*statics->class_ids)))
			return 0;
		statics->class_ids = ids;
		field->slot = classes + (uint32_t)statics->class_count;
		statics->class_ids[statics->class_count++] = field->class_id;
		used = 1;
	}
	return 1;
}

/* Collects the static fields. Initialize statics with 0. Returns 0 if out of memory. */
static int hprof_statics_build(hprof_statics *statics, const heap_view *view)
{
	size_t capacity = 0;

	for (size_t i = 0; i < view->totals.roots; i++) {
		mprof_heap_root root = heap_source_root(view, i);
		uint32_t class_id = class_of(view, &root);
		void *fields = statics->fields;

		if (class_id == 0)
			continue;
		if (!elements_reserve(&fields, &capacity, statics->count, sizeof(*statics->fields)))
			return 0;
		statics->fields = fields;
		statics->fields[statics->count++] =
			(hprof_static){.class_id = class_id, .object = root.object, .area = root.area};
	}
	if (statics->count == 0)
		return 1;
	qsort(statics->fields, statics->count, sizeof(*statics->fields), compare_classes);
	if (!assign_slots(statics, view))
		return 0;
	qsort(statics->fields, statics->count, sizeof(*statics->fields), compare_slots);
	return 1;
}

static void hprof_statics_release(hprof_statics *statics)
{
	free(statics->fields);
	free(statics->class_ids);
	memset(statics, 0, sizeof(*statics));
}

/* The number of fields with the slot of the field at an index, from this one on. */
static uint32_t hprof_statics_run(const hprof_statics *statics, size_t first)
{
	uint32_t count = 0;

	while (first + count < statics->count && statics->fields[first + count].slot == statics->fields[first].slot)
		count++;
	return count;
}

/* The index of the first field of a slot; hprof_statics::count if it has none. */
static size_t hprof_statics_find(const hprof_statics *statics, uint32_t slot)
{
	size_t low = 0;
	size_t high = statics->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (statics->fields[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < statics->count && statics->fields[low].slot == slot ? low : statics->count;
}

#define TRACE 1

/* References that are read at once. */
#define BATCH 256U
#define ID_STEP 8U
#define PADDING_NAME "(data)"
#define MAX_FILE (UINT64_C(1) << 40)

/* IDs that are no address of an object, in the order of the range. */
enum { ID_OBJECT, ID_JAVA_REFERENCE = 8, ID_NOTE, ID_ADDRESS_0, ID_FIRST_CLASS };

/* The classes that readers expect, by ID. VisualVM also expects the field of the last one. */
static const char *const java_classes[] = {
	"java/lang/Object",
	"java/lang/Class",
	"java/lang/String",
	"java/lang/ClassLoader",
	"java/lang/ref/WeakReference",
	"java/lang/ref/SoftReference",
	"java/lang/ref/FinalReference",
	"java/lang/ref/PhantomReference",
	"java/lang/ref/Reference",
};
#define JAVA_CLASSES (ID_JAVA_REFERENCE + 1)
#define JAVA_REFERENCE_FIELD "referent"

typedef struct hprof_writer {
	hprof_stream out;
	heap_view view;
	hprof_layouts layouts;
	hprof_statics statics;
	intern_table texts;
	plain_buffer plain;
	uint64_t left_out; /* References of unreachable objects. */
	uint64_t labels;   /* Left out, like the next two. */
	uint64_t names;    /* Of references. */
	uint64_t root_names;
	uint64_t threads;  /* Roots that are threads, which have numbers from 1. */
	uint64_t first_id; /* Of the range of IDs for classes. */
	char note[128];
	int has_failed; /* Out of memory. */
} hprof_writer;

static uint64_t number_id(const hprof_writer *writer, uint64_t number)
{
	return writer->first_id + number * ID_STEP;
}

static uint64_t address_id(const hprof_writer *writer, uint64_t address)
{
	/* The ID 0 is the null reference. */
	return address != 0 ? address : number_id(writer, ID_ADDRESS_0);
}

/* The ID of a text. Equal texts have one ID, so asking again adds nothing. */
static uint64_t text_id(hprof_writer *writer, const char *text)
{
	uint32_t index = 0;

	if (intern_add(&writer->texts, text, strlen(text) + 1, &index) < 0)
		writer->has_failed = 1;
	return (uint64_t)index + 1;
}

static int has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t size = strlen(suffix);

	return length >= size && strcmp(text + length - size, suffix) == 0;
}

/* The classes with objects are followed by those that only have static fields. */
static size_t slot_count(const hprof_writer *writer)
{
	return writer->layouts.count + writer->statics.class_count;
}

static const char *class_label(const hprof_writer *writer, size_t slot, class_name *buffer)
{
	if (slot < writer->layouts.count)
		return label_class(&writer->view, slot, buffer);
	return names_class_or_none(writer->view.input.reader, writer->statics.class_ids[slot - writer->layouts.count],
				   buffer);
}

/*
 * Readers take a class for an array if its name ends with "[]", and decode a name that begins with "[" as that of a
 * Java array.
 */
static uint64_t class_text(hprof_writer *writer, size_t slot)
{
	class_name buffer;
	const char *name = plain_text(&writer->plain, class_label(writer, slot, &buffer));
	int is_array = slot < writer->layouts.count && writer->layouts.classes[slot].is_array;
	int is_bracket = name != NULL && name[0] == '[';
	uint64_t id = 0;
	char *text;

	if (name != NULL && name[0] == '\0')
		name = "(unnamed)";
	if (name == NULL || asprintf(&text, "%s%s%s", is_bracket ? "\\x5b" : "", is_bracket ? name + 1 : name,
				     is_array && !has_suffix(name, "[]") ? " []" : "") < 0) {
		writer->has_failed = 1;
		return 0;
	}
	id = text_id(writer, text);
	free(text);
	return id;
}

static uint64_t field_text(hprof_writer *writer, const hprof_layout *layout, uint32_t field)
{
	mprof_heap_reference reference = {.has_offset = layout->kind == HPROF_BY_OFFSET, .name = ""};
	const char *name;
	char number[32];

	if (layout->kind == HPROF_BY_OFFSET)
		reference.offset = layout->fields[field].offset;
	else if (layout->kind == HPROF_BY_NAME)
		reference.name = layout->fields[field].name;
	name = label_field(&writer->view, layout->class_id, &reference);
	if (name == NULL || name[0] == '\0') {
		snprintf(number, sizeof(number), "ref%u", (unsigned int)field);
		return text_id(writer, number);
	}
	name = plain_text(&writer->plain, name);
	if (name == NULL)
		writer->has_failed = 1;
	return text_id(writer, name != NULL ? name : "");
}

/* The name of a static field, without that of its class. */
static uint64_t static_text(hprof_writer *writer, const hprof_static *field)
{
	class_name buffer;
	const char *owner = names_class_or_none(writer->view.input.reader, field->class_id, &buffer);
	const char *name = label_area(&writer->view, field->area);
	size_t length = owner != NULL ? strlen(owner) : 0;

	if (length > 0 && strncmp(name, owner, length) == 0 && name[length] == '.')
		name += length + 1;
	name = plain_text(&writer->plain, name[0] != '\0' ? name : "(static field)");
	if (name == NULL)
		writer->has_failed = 1;
	return text_id(writer, name != NULL ? name : "");
}

/*
 * Chooses the size of IDs and the range of those of classes: after the objects, else before or between them. A log of a
 * process with 32 bits needs short IDs, since readers compute the sizes of references and headers from it. Returns 0 if
 * there is no such range.
 */
static int choose_ids(hprof_writer *writer, uint32_t id_size)
{
	const heap_view *view = &writer->view;
	uint64_t limit = id_size == 4 ? UINT32_MAX : INT64_MAX;
	uint64_t needed = (ID_FIRST_CLASS + view->totals.classes + writer->statics.class_count) * ID_STEP;
	uint64_t page = 4096;
	uint64_t before = 0;

	if (view->totals.objects > 0) {
		uint64_t last = heap_view_object(view, (uint32_t)view->totals.objects - 1).address;

		if (id_size == 4 && last > limit)
			return 0;
		before = last;
	}
	if (before < limit - page - needed) {
		writer->first_id = (before / page + 1) * page;
		return 1;
	}
	before = 0;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		uint64_t address = heap_view_object(view, i).address;

		if (address - before > needed + ID_STEP) {
			writer->first_id = before + ID_STEP;
			return 1;
		}
		before = address;
	}
	return 0;
}

static void collect_texts(hprof_writer *writer)
{
	for (size_t i = 0; i < JAVA_CLASSES; i++)
		text_id(writer, java_classes[i]);
	text_id(writer, writer->note);
	text_id(writer, PADDING_NAME);
	text_id(writer, JAVA_REFERENCE_FIELD);
	for (size_t i = 0; i < slot_count(writer) && !writer->has_failed; i++)
		class_text(writer, i);
	for (size_t i = 0; i < writer->statics.count && !writer->has_failed; i++)
		static_text(writer, &writer->statics.fields[i]);
	for (size_t i = 0; i < writer->layouts.count && !writer->has_failed; i++) {
		const hprof_layout *layout = &writer->layouts.classes[i];

		for (uint32_t field = 0; field < layout->field_count; field++)
			field_text(writer, layout, field);
	}
}

static void write_texts(hprof_writer *writer)
{
	hprof_stream *out = &writer->out;

	for (size_t i = 0; i < writer->texts.count; i++) {
		const intern_entry *entry = &writer->texts.entries[i];

		hprof_begin_record(out, HPROF_STRING, out->id_size + entry->size - 1);
		hprof_id(out, i + 1);
		hprof_bytes(out, writer->texts.bytes + entry->offset, entry->size - 1);
	}
}

static void write_load_class(hprof_writer *writer, uint64_t number, uint64_t text)
{
	hprof_stream *out = &writer->out;

	hprof_begin_record(out, HPROF_LOAD_CLASS, 8 + 2 * (uint64_t)out->id_size);
	hprof_number(out, number + 1, 4);
	hprof_id(out, number_id(writer, number));
	hprof_number(out, TRACE, 4);
	hprof_id(out, text);
}

static void write_class_names(hprof_writer *writer)
{
	hprof_stream *out = &writer->out;

	for (size_t i = 0; i < JAVA_CLASSES; i++)
		write_load_class(writer, i, text_id(writer, java_classes[i]));
	write_load_class(writer, ID_NOTE, text_id(writer, writer->note));
	for (size_t i = 0; i < slot_count(writer); i++)
		write_load_class(writer, ID_FIRST_CLASS + i, class_text(writer, i));
	/* A call stack without frames, which objects refer to. */
	hprof_begin_record(out, HPROF_STACK_TRACE, 12);
	hprof_number(out, TRACE, 4);
	hprof_number(out, 0, 4);
	hprof_number(out, 0, 4);
}

static void write_field(hprof_writer *writer, uint64_t text, uint32_t type)
{
	hprof_id(&writer->out, text);
	hprof_number(&writer->out, type, 1);
}

/*
 * Begins the description of a class, up to the values of its static fields. \p bytes: of the fields. The size of its
 * objects includes a header of two IDs: VisualVM takes that of java/lang/Object for the header.
 */
static void begin_class(hprof_writer *writer, uint64_t number, uint64_t bytes, uint32_t statics, uint32_t fields)
{
	hprof_stream *out = &writer->out;
	uint64_t field_size = (uint64_t)out->id_size + 1;

	hprof_begin_part(out, HPROF_CLASS_DUMP,
			 1 + 7 * (uint64_t)out->id_size + 4 + 4 + 3 * 2 + statics * (field_size + out->id_size) +
				 fields * field_size);
	hprof_id(out, number_id(writer, number));
	hprof_number(out, TRACE, 4);
	hprof_id(out, number != ID_OBJECT ? number_id(writer, ID_OBJECT) : 0);
	hprof_zeros(out, 5 * (uint64_t)out->id_size);
	hprof_number(out, 2 * (uint64_t)out->id_size + bytes, 4);
	hprof_number(out, 0, 2); /* Constants. */
	hprof_number(out, statics, 2);
}

/* Writes a class that readers expect. */
static void write_java_class(hprof_writer *writer, uint64_t number)
{
	uint32_t fields = number == ID_JAVA_REFERENCE;

	begin_class(writer, number, (uint64_t)fields * writer->out.id_size, 0, fields);
	hprof_number(&writer->out, fields, 2);
	if (fields > 0)
		write_field(writer, text_id(writer, JAVA_REFERENCE_FIELD), HPROF_OBJECT);
}

static void write_statics(hprof_writer *writer, size_t first, uint32_t count)
{
	for (size_t i = first; i < first + count; i++) {
		const hprof_static *field = &writer->statics.fields[i];

		write_field(writer, static_text(writer, field), HPROF_OBJECT);
		hprof_id(&writer->out, address_id(writer, heap_view_object(&writer->view, field->object).address));
	}
}

static void write_class(hprof_writer *writer, size_t slot)
{
	static const hprof_layout none;
	const hprof_layout *layout = slot < writer->layouts.count ? &writer->layouts.classes[slot] : &none;
	size_t first = hprof_statics_find(&writer->statics, (uint32_t)slot);
	uint32_t statics = hprof_statics_run(&writer->statics, first);
	uint32_t longs = layout->padding / 8;
	uint32_t bytes = layout->padding % 8;
	uint32_t fields = layout->field_count + longs + bytes;

	begin_class(writer, ID_FIRST_CLASS + slot,
		    (uint64_t)layout->field_count * writer->out.id_size + layout->padding, statics, fields);
	write_statics(writer, first, statics);
	hprof_number(&writer->out, fields, 2);
	for (uint32_t field = 0; field < layout->field_count; field++)
		write_field(writer, field_text(writer, layout, field), HPROF_OBJECT);
	for (uint32_t i = 0; i < longs + bytes; i++)
		write_field(writer, text_id(writer, PADDING_NAME), i < longs ? HPROF_LONG : HPROF_BYTE);
}

static void write_classes(hprof_writer *writer)
{
	for (uint64_t i = 0; i <= ID_NOTE; i++)
		write_java_class(writer, i);
	for (size_t i = 0; i < slot_count(writer); i++)
		write_class(writer, i);
}

/* Writes the classes that have static fields as roots. */
static void write_class_roots(hprof_writer *writer)
{
	hprof_stream *out = &writer->out;

	for (size_t i = 0; i < writer->statics.count; i += hprof_statics_run(&writer->statics, i)) {
		hprof_begin_part(out, HPROF_ROOT_STICKY_CLASS, 1 + (uint64_t)out->id_size);
		hprof_id(out, number_id(writer, ID_FIRST_CLASS + writer->statics.fields[i].slot));
	}
}

static void write_root(hprof_writer *writer, const mprof_heap_root *root)
{
	static const struct {
		uint32_t code;
		uint32_t size; /* Of what follows the ID: threads and frames, which are not known. */
	} kinds[HEAP_ROOT_KINDS] = {
		[MPROF_ROOT_OTHER] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_STATIC] = {HPROF_ROOT_STICKY_CLASS, 0},
		[MPROF_ROOT_THREAD_STATIC] = {HPROF_ROOT_THREAD_BLOCK, 4},
		[MPROF_ROOT_STACK] = {HPROF_ROOT_JAVA_FRAME, 8},
		[MPROF_ROOT_HANDLE] = {HPROF_ROOT_JNI_GLOBAL, 0},
		[MPROF_ROOT_FINALIZER] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_RUNTIME] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_NATIVE] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_MONITOR] = {HPROF_ROOT_MONITOR_USED, 0},
		[MPROF_ROOT_THREAD] = {HPROF_ROOT_THREAD_OBJECT, 8},
		[MPROF_ROOT_CLASS] = {HPROF_ROOT_STICKY_CLASS, 0},
		[MPROF_ROOT_INTERNED] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_SYMBOL] = {HPROF_ROOT_UNKNOWN, 0},
		[MPROF_ROOT_LOCAL] = {HPROF_ROOT_JNI_LOCAL, 8},
		[MPROF_ROOT_GLOBAL] = {HPROF_ROOT_JNI_GLOBAL, 0},
	};
	hprof_stream *out = &writer->out;
	uint32_t code = kinds[root->kind].code;
	uint32_t size = code == HPROF_ROOT_JNI_GLOBAL ? out->id_size : kinds[root->kind].size;

	writer->root_names += label_root(&writer->view, root)[0] != '\0';
	hprof_begin_part(out, code, 1 + (uint64_t)out->id_size + size);
	hprof_id(out, address_id(writer, heap_view_object(&writer->view, root->object).address));
	if (code == HPROF_ROOT_JAVA_FRAME || code == HPROF_ROOT_JNI_LOCAL) {
		hprof_number(out, 0, 4);
		hprof_number(out, UINT32_MAX, 4);
	} else if (code == HPROF_ROOT_THREAD_OBJECT) {
		hprof_number(out, ++writer->threads, 4);
		hprof_number(out, TRACE, 4);
	} else {
		hprof_zeros(out, size);
	}
}

/* Writes the roots that are no static fields. */
static void write_roots(hprof_writer *writer)
{
	for (size_t i = 0; i < writer->view.totals.roots; i++) {
		const mprof_heap_root root = heap_source_root(&writer->view, i);
		const mprof_heap_object object = heap_view_object(&writer->view, root.object);

		if (!hprof_leaves_out(&object) && !hprof_statics_have(&writer->view, &root))
			write_root(writer, &root);
	}
}

/*
 * The ID of the object that a reference of \p from leads to. A reference of an unreachable object to a reachable one is
 * left out: VisualVM would take it for one more reason to keep that object.
 */
static uint64_t reference_id(hprof_writer *writer, const mprof_heap_object *from, const mprof_heap_reference *reference)
{
	mprof_heap_object target;

	if (reference->object == MPROF_HEAP_NO_OBJECT)
		return 0;
	target = heap_view_object(&writer->view, reference->object);
	if (hprof_leaves_out(&target))
		return 0;
	if (writer->view.has_retained && !from->is_reachable && target.is_reachable) {
		writer->left_out++;
		return 0;
	}
	return address_id(writer, target.address);
}

static void write_instance(hprof_writer *writer, uint32_t index, const mprof_heap_object *object)
{
	static uint64_t fields[HPROF_MAX_FIELDS];
	const hprof_layout *layout = &writer->layouts.classes[object->class_index];
	mprof_heap_reference references[BATCH];
	hprof_stream *out = &writer->out;
	uint64_t bytes = (uint64_t)layout->field_count * out->id_size + layout->padding;
	uint32_t first = 0;
	size_t count;

	memset(fields, 0, layout->field_count * sizeof(fields[0]));
	do {
		count = heap_source_references(&writer->view, index, first, references, BATCH);
		for (size_t i = 0; i < count; i++) {
			fields[hprof_layout_field(layout, &references[i], first + (uint32_t)i)] =
				reference_id(writer, object, &references[i]);
			writer->names += layout->kind != HPROF_BY_NAME && references[i].name[0] != '\0';
		}
		first += (uint32_t)count;
	} while (count == BATCH);
	hprof_begin_part(out, HPROF_INSTANCE_DUMP, 1 + 2 * (uint64_t)out->id_size + 4 + 4 + bytes);
	hprof_id(out, address_id(writer, object->address));
	hprof_number(out, TRACE, 4);
	hprof_id(out, number_id(writer, ID_FIRST_CLASS + object->class_index));
	hprof_number(out, bytes, 4);
	for (uint32_t field = 0; field < layout->field_count; field++)
		hprof_id(out, fields[field]);
	hprof_zeros(out, layout->padding);
}

/* The index of an element, or that after the previous one if it is not known. */
static uint64_t element_index(const hprof_writer *writer, const mprof_heap_object *object,
			      const mprof_heap_reference *reference, uint64_t next)
{
	mprof_record field;
	uint64_t index;

	if (!reference->has_offset ||
	    mprof_reader_lookup_field(writer->view.input.reader, object->class_id, reference->offset, &field,
				      sizeof(field), &index) != MPROF_OK)
		return next;
	return strcmp(field.as.field.name, "[]") == 0 && index > next ? index : next;
}

static void write_array(hprof_writer *writer, uint32_t index, const mprof_heap_object *object)
{
	mprof_heap_reference references[BATCH];
	hprof_stream *out = &writer->out;
	uint64_t elements = hprof_layout_elements(&writer->layouts, object);
	uint64_t next = 0;
	uint32_t first = 0;
	size_t count;

	hprof_begin_part(out, HPROF_OBJECT_ARRAY_DUMP, 1 + (2 + elements) * out->id_size + 4 + 4);
	hprof_id(out, address_id(writer, object->address));
	hprof_number(out, TRACE, 4);
	hprof_number(out, elements, 4);
	hprof_id(out, number_id(writer, ID_FIRST_CLASS + object->class_index));
	do {
		count = heap_source_references(&writer->view, index, first, references, BATCH);
		for (size_t i = 0; i < count && next < elements; i++, next++) {
			uint64_t element = element_index(writer, object, &references[i], next);

			/* There must be room for the references that follow. */
			if (element > next && element < elements &&
			    object->references - first - i <= elements - element) {
				hprof_zeros(out, (element - next) * out->id_size);
				next = element;
			}
			hprof_id(out, reference_id(writer, object, &references[i]));
			writer->names += references[i].name[0] != '\0';
		}
		first += (uint32_t)count;
	} while (count == BATCH && next < elements);
	hprof_zeros(out, (elements - next) * out->id_size);
}

static void write_objects(hprof_writer *writer, const export_file *file)
{
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(&writer->view, i);

		if (i % 65536 == 0 && export_file_has_failed(file))
			return;
		if (hprof_leaves_out(&object))
			continue;
		writer->labels += object.label[0] != '\0';
		if (writer->layouts.classes[object.class_index].is_array)
			write_array(writer, i, &object);
		else
			write_instance(writer, i, &object);
	}
}

/* When the snapshot was taken, in milliseconds since 1970. */
static uint64_t snapshot_time(const heap_view *view)
{
	mprof_session session = {.struct_size = sizeof(session)};

	mprof_reader_get_session(view->input.reader, &session);
	return session.start.time / 1000 + (uint64_t)(view->totals.time_ns > 0 ? view->totals.time_ns : 0) / 1000000;
}

/* Whether bytes that are skipped are 0: standard output may be a file that has content. */
static int is_new_file(const export_file *file)
{
	struct stat status;

	return strcmp(file->path, "-") != 0 && fstat(file->whole.fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void write_dump(hprof_writer *writer, export_file *file)
{
	writer->out.can_skip = is_new_file(file);
	hprof_begin(&writer->out, file->stream, writer->layouts.id_size, snapshot_time(&writer->view));
	write_texts(writer);
	write_class_names(writer);
	write_classes(writer);
	write_class_roots(writer);
	write_roots(writer);
	write_objects(writer, file);
	hprof_end(&writer->out);
}

static void note(const hprof_writer *writer, uint64_t count, const char *text)
{
	char number[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	text_begin_message(writer->view.input.name);
	fprintf(stderr, "%s %s\n", text_count(number, count), text);
}

/* What readers would get wrong. Returns the exit status. */
static int note_limits(const hprof_writer *writer, int status)
{
	note(writer, writer->layouts.too_small,
	     "objects have more than 2 GiB, the most that the format can state: their sizes are too small");
	note(writer, writer->layouts.too_large,
	     "objects are smaller than their references and the header of a Java object: their sizes are too large");
	note(writer, writer->left_out,
	     "references of unreachable objects to reachable ones are left out: readers would count them as reasons to "
	     "keep objects");
	note(writer, writer->labels, "labels of objects are left out: the format has none");
	note(writer, writer->names,
	     "names of references are left out: a field has the same name in all objects of a class");
	note(writer, writer->view.totals.weak_references,
	     "weak references are left out: those of the format are fields of Java's classes");
	note(writer, writer->root_names, "names of roots are left out: the format has only those of static fields");
	return writer->layouts.too_small + writer->layouts.too_large > 0 ? STATUS_DAMAGED : status;
}

static int refuse(const hprof_writer *writer, const char *message)
{
	text_begin_message(writer->view.input.name);
	fprintf(stderr, "%s\n", message);
	return STATUS_NOTHING;
}

static int write_snapshot(hprof_writer *writer, export_file *file, int status)
{
	uint32_t id_size = 8;

	snprintf(writer->note, sizeof(writer->note), "(heap snapshot %u of the log%s)",
		 (unsigned int)writer->view.totals.snapshot,
		 writer->view.totals.incomplete ? ", incomplete: objects or references are missing" : "");
	if (!hprof_statics_build(&writer->statics, &writer->view))
		writer->has_failed = 1;
	else if (choose_ids(writer, 4))
		id_size = 4;
	else if (!choose_ids(writer, 8))
		return refuse(writer, "the addresses of the objects leave no room for the IDs of classes");
	if (writer->has_failed || !hprof_layouts_build(&writer->layouts, &writer->view, id_size))
		writer->has_failed = 1;
	else if (writer->layouts.bytes > MAX_FILE)
		return refuse(writer, "the objects have more than 1 TiB, which the file would contain as zeros");
	else
		collect_texts(writer);
	if (!writer->has_failed)
		write_dump(writer, file);
	if (writer->has_failed) {
		output_out_of_memory();
		return STATUS_NOTHING;
	}
	return note_limits(writer, status);
}

static int write_logs(const export_job *job, export_file *file)
{
	static hprof_writer writer;
	int status;

	memset(&writer, 0, sizeof(writer));
	status = heap_source_read(job, &writer.view);
	if (status == STATUS_OK || status == STATUS_DAMAGED)
		status = write_snapshot(&writer, file, status);
	hprof_layouts_release(&writer.layouts);
	hprof_statics_release(&writer.statics);
	intern_release(&writer.texts);
	plain_text_release(&writer.plain);
	heap_view_release(&writer.view);
	return status;
}

const export_target export_hprof = {
	.name = "hprof",
	.extension = ".hprof",
	.description = "the objects of a heap snapshot, for Eclipse Memory Analyzer and VisualVM",
	.lacks = "fields without references are zeros; readers round the sizes of objects to multiples of 8 bytes; "
		 "labels, weak references and the keys of ephemerons are missing",
	.kind = EXPORT_OBJECTS,
	.options = EXPORT_HAS_AT,
	.write_logs = write_logs,
};
