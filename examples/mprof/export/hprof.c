/* SPDX-License-Identifier: MIT */
/*
 * Writes a heap snapshot as a heap dump of Java (HPROF 1.0.2).
 *
 * The ID of an object is its address; classes have IDs in a range without objects. The texts and the classes come
 * first, then segments with the fields of the classes, the roots, and the objects in the order of the graph.
 */
#include "export/targets.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "export/heap_source.h"
#include "export/hprof_layout.h"
#include "export/hprof_statics.h"
#include "export/hprof_stream.h"
#include "export/intern.h"
#include "export/plain_text.h"
#include "heap/labels.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BATCH 256U
#define TRACE 1
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
	mprof_heap_reference reference = {.has_offset = (uint32_t)layout->has_offsets};
	const char *name;
	char number[32];

	if (layout->has_offsets)
		reference.offset = layout->fields[field].offset;
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
	const char *name = label_root(&writer->view, field->area);
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
	};
	hprof_stream *out = &writer->out;
	uint32_t code = kinds[root->kind].code;
	uint32_t size = code == HPROF_ROOT_JNI_GLOBAL ? out->id_size : kinds[root->kind].size;

	hprof_begin_part(out, code, 1 + (uint64_t)out->id_size + size);
	hprof_id(out, address_id(writer, heap_view_object(&writer->view, root->object).address));
	if (code == HPROF_ROOT_JAVA_FRAME) {
		hprof_number(out, 0, 4);
		hprof_number(out, UINT32_MAX, 4);
	} else {
		hprof_zeros(out, size);
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
		for (size_t i = 0; i < count; i++)
			fields[hprof_layout_field(layout, &references[i], first + (uint32_t)i)] =
				reference_id(writer, object, &references[i]);
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
	for (size_t i = 0; i < writer->view.totals.roots; i++) {
		mprof_heap_root root = heap_source_root(&writer->view, i);

		if (!hprof_statics_have(&writer->view, &root))
			write_root(writer, &root);
	}
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
	.lacks =
		"fields without references are zeros; readers round the sizes of objects to multiples of 8 bytes; weak "
		"references and the keys of ephemerons are not in the log",
	.kind = EXPORT_OBJECTS,
	.options = EXPORT_HAS_AT,
	.write_logs = write_logs,
};
