/* SPDX-License-Identifier: MIT */
/* Labels and flags of objects, names of references, and weak references of a heap snapshot. */
#include "heap/object_notes.h"

#include "base/sort.h"

#include <string.h>

static uint64_t text_slot_hash(const void *owner, const void *slot)
{
	return ((const object_notes *)owner)->texts[*(const uint32_t *)slot - 1].hash;
}

static int text_slot_matches(const void *owner, const void *slot, const void *key)
{
	const object_notes *notes = owner;
	const uint32_t position = *(const uint32_t *)slot;
	const note_text *wanted = key;

	return position != 0 && notes->texts[position - 1].hash == wanted->hash &&
	       strcmp(notes->texts[position - 1].text, wanted->text) == 0;
}

static const hash_index_type text_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 6,
	.is_used = hash_index_has_position,
	.hash = text_slot_hash,
};

void object_notes_init(object_notes *notes, memory_budget *budget)
{
	memset(notes, 0, sizeof(*notes));
	notes->budget = budget;
	hash_index_init(&notes->numbers, &budget->allocator);
}

static void release_gathered(object_notes *notes, gathered_notes *list)
{
	allocator_release(&notes->budget->allocator, list->notes, list->capacity * sizeof(*list->notes));
	memset(list, 0, sizeof(*list));
}

static void release_all_gathered(object_notes *notes)
{
	release_gathered(notes, &notes->labels);
	release_gathered(notes, &notes->flagged);
	release_gathered(notes, &notes->names);
	release_gathered(notes, &notes->weak);
}

static void release_keyed(object_notes *notes, keyed_texts *list)
{
	allocator_release(&notes->budget->allocator, list->elements, list->capacity * sizeof(*list->elements));
}

void object_notes_destroy(object_notes *notes)
{
	memory_budget *budget = notes->budget;
	const mprof_allocator *allocator = &budget->allocator;

	for (size_t i = 0; i < notes->text_count; i++)
		allocator_release(allocator, notes->texts[i].text, strlen(notes->texts[i].text) + 1);
	allocator_release(allocator, notes->texts, notes->text_capacity * sizeof(*notes->texts));
	hash_index_destroy(&notes->numbers, &text_slots);
	release_all_gathered(notes);
	release_keyed(notes, &notes->object_labels);
	release_keyed(notes, &notes->object_flags);
	release_keyed(notes, &notes->reference_names);
	allocator_release(allocator, notes->weak_references, notes->weak_capacity * sizeof(*notes->weak_references));
	object_notes_init(notes, budget);
}

/* Stores a copy of a text that has no number yet. */
static mprof_status add_text(object_notes *notes, const note_text *added)
{
	void *texts = notes->texts;
	const size_t size = strlen(added->text) + 1;
	mprof_status status;
	char *copy;

	if (notes->text_count >= UINT32_MAX - 1)
		return MPROF_ERR_LIMIT;
	status = memory_budget_reserve(notes->budget, &texts, &notes->text_capacity, notes->text_count + 1,
				       sizeof(*notes->texts));
	notes->texts = texts;
	if (status != MPROF_OK)
		return status;
	copy = allocator_allocate(&notes->budget->allocator, size);
	if (copy == NULL)
		return memory_budget_status(notes->budget);
	memcpy(copy, added->text, size);
	notes->texts[notes->text_count++] = (note_text){copy, added->hash};
	if (!hash_index_reserve(&notes->numbers, &text_slots, notes))
		return memory_budget_status(notes->budget);
	*(uint32_t *)hash_index_take_slot(&notes->numbers, &text_slots, added->hash) = (uint32_t)notes->text_count;
	return MPROF_OK;
}

/* The number of a text, which is added if it is new; 0 for "". */
static mprof_status intern_text(object_notes *notes, const char *text, uint32_t *number)
{
	const note_text wanted = {(char *)(uintptr_t)text, hash_key(hash_mix_text(notes->numbers.seed, text), 0)};
	const uint32_t *slot;
	mprof_status status;

	*number = 0;
	if (text[0] == '\0')
		return MPROF_OK;
	slot = hash_index_find(&notes->numbers, &text_slots, wanted.hash, text_slot_matches, notes, &wanted);
	if (slot != NULL) {
		*number = *slot;
		return MPROF_OK;
	}
	status = add_text(notes, &wanted);
	if (status == MPROF_OK)
		*number = (uint32_t)notes->text_count;
	return status;
}

/* The text of a record; "" if it has none, or one that the log does not define. */
static const char *text_of(const mprof_reader *reader, const mprof_record *record)
{
	mprof_record text;

	if (record->kind == MPROF_RECORD_OBJECT_FLAGS)
		return "";
	if (record->kind == MPROF_RECORD_LABEL && record->id == 0)
		return record->as.label.text;
	if (record->id == 0 ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, record->id, &text, sizeof(text)) != MPROF_OK)
		return "";
	return text.as.text.text;
}

static mprof_status append_note(object_notes *notes, gathered_notes *list, gathered_note note)
{
	void *array = list->notes;
	mprof_status status = list->count < UINT32_MAX ? memory_budget_reserve(notes->budget, &array, &list->capacity,
									       list->count + 1, sizeof(*list->notes))
						       : MPROF_ERR_LIMIT;

	list->notes = array;
	if (status != MPROF_OK)
		return status;
	note.sequence = (uint32_t)list->count;
	list->notes[list->count++] = note;
	return MPROF_OK;
}

mprof_status object_notes_add(object_notes *notes, const mprof_reader *reader, const mprof_record *record)
{
	gathered_note note = {.object = 0};
	mprof_status status = intern_text(notes, text_of(reader, record), &note.text);

	if (status != MPROF_OK)
		return status;
	switch (record->kind) {
	case MPROF_RECORD_LABEL:
		note.object = record->as.label.object;
		break;
	case MPROF_RECORD_OBJECT_FLAGS:
		note.object = record->as.object_flags.object;
		note.index = record->id;
		return append_note(notes, &notes->flagged, note);
	case MPROF_RECORD_WEAK_REFERENCE:
		note.object = record->as.weak_reference.object;
		note.target = record->as.weak_reference.target;
		return append_note(notes, &notes->weak, note);
	case MPROF_RECORD_REFERENCE_NAME:
		note.object = record->as.reference_name.object;
		note.index = record->as.reference_name.index;
		break;
	default:
		return MPROF_OK;
	}
	/* A label or a name without its text has no meaning. */
	if (note.text == 0) {
		notes->missing++;
		return MPROF_OK;
	}
	return append_note(notes, record->kind == MPROF_RECORD_LABEL ? &notes->labels : &notes->names, note);
}

static int compare_numbers(uint32_t first, uint32_t second)
{
	return (first > second) - (first < second);
}

/* By object and index, then in the order of the log. */
static int compare_notes(const void *first, const void *second)
{
	const gathered_note *a = first;
	const gathered_note *b = second;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->index != b->index)
		return compare_numbers(a->index, b->index);
	return compare_numbers(a->sequence, b->sequence);
}

static int reserve_keyed(object_notes *notes, keyed_texts *list, size_t count)
{
	void *elements = NULL;

	if (count == 0)
		return 1;
	if (memory_budget_reserve(notes->budget, &elements, &list->capacity, count, sizeof(*list->elements)) !=
	    MPROF_OK)
		return 0;
	list->elements = elements;
	return 1;
}

/* Adds an element with a key that is not below those before; of equal keys the first counts. */
static void add_keyed(object_notes *notes, keyed_texts *list, uint32_t key, uint32_t text)
{
	if (list->count > 0 && list->elements[list->count - 1].key == key)
		notes->missing++;
	else
		list->elements[list->count++] = (keyed_text){key, text};
}

static int link_labels(object_notes *notes, const object_graph *graph)
{
	gathered_notes *labels = &notes->labels;

	if (!reserve_keyed(notes, &notes->object_labels, labels->count))
		return 0;
	sort_in_place(labels->notes, labels->count, sizeof(*labels->notes), compare_notes);
	for (size_t i = 0; i < labels->count; i++) {
		const uint32_t object = address_set_find(&graph->addresses, labels->notes[i].object);

		if (object == ADDRESS_SET_NONE)
			notes->missing++;
		else
			add_keyed(notes, &notes->object_labels, object, labels->notes[i].text);
	}
	return 1;
}

/* The flags of several records of an object add up. */
static int link_flags(object_notes *notes, const object_graph *graph)
{
	gathered_notes *flagged = &notes->flagged;
	keyed_texts *linked = &notes->object_flags;

	if (!reserve_keyed(notes, linked, flagged->count))
		return 0;
	sort_in_place(flagged->notes, flagged->count, sizeof(*flagged->notes), compare_notes);
	for (size_t i = 0; i < flagged->count; i++) {
		const uint32_t object = address_set_find(&graph->addresses, flagged->notes[i].object);

		if (object == ADDRESS_SET_NONE)
			notes->missing++;
		else if (linked->count > 0 && linked->elements[linked->count - 1].key == object)
			linked->elements[linked->count - 1].text |= flagged->notes[i].index;
		else
			linked->elements[linked->count++] = (keyed_text){object, flagged->notes[i].index};
	}
	for (size_t i = 0; i < linked->count; i++)
		notes->synthetic += (linked->elements[i].text & MPROF_OBJECT_FLAG_SYNTHETIC) != 0;
	return 1;
}

static int link_names(object_notes *notes, const object_graph *graph)
{
	gathered_notes *names = &notes->names;

	if (!reserve_keyed(notes, &notes->reference_names, names->count))
		return 0;
	sort_in_place(names->notes, names->count, sizeof(*names->notes), compare_notes);
	for (size_t i = 0; i < names->count; i++) {
		const gathered_note *name = &names->notes[i];
		const uint32_t object = address_set_find(&graph->addresses, name->object);

		if (object == ADDRESS_SET_NONE || name->index >= graph->first[object + 1] - graph->first[object])
			notes->missing++;
		else
			add_keyed(notes, &notes->reference_names, graph->first[object] + name->index, name->text);
	}
	return 1;
}

static int compare_weak(const void *first, const void *second)
{
	const weak_reference *a = first;
	const weak_reference *b = second;

	return a->object != b->object ? compare_numbers(a->object, b->object)
				      : compare_numbers(a->sequence, b->sequence);
}

static int link_weak(object_notes *notes, const object_graph *graph)
{
	const gathered_notes *weak = &notes->weak;
	void *references = NULL;

	if (weak->count == 0)
		return 1;
	if (memory_budget_reserve(notes->budget, &references, &notes->weak_capacity, weak->count,
				  sizeof(*notes->weak_references)) != MPROF_OK)
		return 0;
	notes->weak_references = references;
	for (size_t i = 0; i < weak->count; i++) {
		const uint32_t object = address_set_find(&graph->addresses, weak->notes[i].object);

		if (object == ADDRESS_SET_NONE)
			notes->missing++;
		else
			notes->weak_references[notes->weak_count++] =
				(weak_reference){object, address_set_find(&graph->addresses, weak->notes[i].target),
						 weak->notes[i].text, weak->notes[i].sequence};
	}
	sort_in_place(notes->weak_references, notes->weak_count, sizeof(*notes->weak_references), compare_weak);
	return 1;
}

static int is_synthetic(const void *user, uint32_t object)
{
	return (object_notes_flags(user, object) & MPROF_OBJECT_FLAG_SYNTHETIC) != 0;
}

int object_notes_link(object_notes *notes, object_graph *graph)
{
	if (!link_labels(notes, graph) || !link_flags(notes, graph) || !link_names(notes, graph) ||
	    !link_weak(notes, graph))
		return 0;
	release_all_gathered(notes);
	return notes->synthetic == 0 || object_graph_set_apart(graph, is_synthetic, notes);
}

/* The text of a key, 0 if it has none. */
static uint32_t find_keyed(const keyed_texts *list, uint32_t key)
{
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (list->elements[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->elements[low].key == key ? list->elements[low].text : 0;
}

const char *object_notes_text(const object_notes *notes, uint32_t number)
{
	return number != 0 ? notes->texts[number - 1].text : "";
}

const char *object_notes_label(const object_notes *notes, uint32_t object)
{
	return object_notes_text(notes, find_keyed(&notes->object_labels, object));
}

uint32_t object_notes_flags(const object_notes *notes, uint32_t object)
{
	return find_keyed(&notes->object_flags, object);
}

const char *object_notes_name(const object_notes *notes, uint32_t reference)
{
	return object_notes_text(notes, find_keyed(&notes->reference_names, reference));
}

/* The number of weak references of objects before one. */
static size_t count_weak_before(const object_notes *notes, uint64_t object)
{
	size_t low = 0;
	size_t high = notes->weak_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (notes->weak_references[middle].object < object)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const weak_reference *object_notes_weak(const object_notes *notes, uint32_t object, uint32_t *count)
{
	const size_t first = count_weak_before(notes, object);

	*count = (uint32_t)(count_weak_before(notes, (uint64_t)object + 1) - first);
	return notes->weak_count != 0 ? notes->weak_references + first : NULL;
}
