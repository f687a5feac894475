/* SPDX-License-Identifier: MIT */
/* Counts events that the log describes, measures spans, and keeps the longest ones. */
#include "model/records/event_types.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "model/records/lists.h"

#include <string.h>

/*
 * The longest spans.
 */

static void span_list_init(span_list *list, memory_budget *budget, size_t limit)
{
	memset(list, 0, sizeof(*list));
	list->budget = budget;
	list->is_enabled = limit > 0;
	list->limit = limit;
}

static void span_list_destroy(span_list *list)
{
	const mprof_allocator *allocator = &list->budget->allocator;

	allocator_release(allocator, list->spans, list->capacity * sizeof(*list->spans));
	allocator_release(allocator, list->shown, list->shown_capacity * sizeof(*list->shown));
}

static int compare_numbers(uint64_t first, uint64_t second)
{
	return (first > second) - (first < second);
}

/* Of spans with the same duration, the first one is kept, whichever was read first. */
static int compare_lengths(const void *first, const void *second)
{
	const listed_span *one = first;
	const listed_span *other = second;
	const int order = compare_numbers(other->end - other->start, one->end - one->start);

	return order != 0 ? order : compare_numbers(one->start, other->start);
}

/* What contains others comes before these. */
static int compare_starts(const void *first, const void *second)
{
	const listed_span *one = first;
	const listed_span *other = second;
	int order = compare_numbers(one->start, other->start);

	if (order == 0)
		order = compare_numbers(other->end, one->end);
	if (order == 0)
		order = compare_numbers(one->thread, other->thread);
	return order != 0 ? order : compare_numbers(one->record, other->record);
}

/* Room for one span more. Returns 0 without room; *has_failed is set if the allocator refused it. */
static int reserve(const span_list *list, listed_span **spans, size_t *capacity, size_t count, int *has_failed)
{
	void *elements = *spans;
	const int is_reserved = array_reserve(&list->budget->paths, &elements, capacity, count + 1, sizeof(**spans));

	*spans = elements;
	if (!is_reserved)
		*has_failed = !memory_budget_is_exceeded(list->budget);
	return is_reserved;
}

static void make_heap(span_list *list)
{
	for (size_t i = list->count / 2; i > 0; i--)
		sort_sift_down((char *)list->spans, i - 1, list->count, sizeof(*list->spans), compare_lengths);
}

/* Adds a span that has ended. Returns 0 if the allocator refused. */
static int span_list_add(span_list *list, const listed_span *span)
{
	int has_failed = 0;

	if (!list->is_enabled)
		return 1;
	if (list->count < list->limit) {
		if (reserve(list, &list->spans, &list->capacity, list->count, &has_failed)) {
			list->spans[list->count++] = *span;
			if (list->count == list->limit)
				make_heap(list);
			return 1;
		}
		if (has_failed)
			return 0;
		/* The budget is used up: there are no more than now. */
		list->limit = list->count;
		make_heap(list);
	}
	list->left_out++;
	if (list->count == 0 || compare_lengths(span, &list->spans[0]) >= 0)
		return 1;
	list->spans[0] = *span;
	sort_sift_down((char *)list->spans, 0, list->count, sizeof(*list->spans), compare_lengths);
	return 1;
}

int span_list_begin_show(span_list *list)
{
	void *shown = list->shown;
	int is_reserved;

	list->shown_count = 0;
	if (list->count == 0)
		return 1;
	is_reserved = array_reserve(&list->budget->allocator, &shown, &list->shown_capacity, list->count,
				    sizeof(*list->shown));
	list->shown = shown;
	if (!is_reserved)
		return 0;
	memcpy(list->shown, list->spans, list->count * sizeof(*list->shown));
	list->shown_count = list->count;
	return 1;
}

/* Shows a span that has not ended, too. Returns 0 if there is no memory. */
static int span_list_show_open(span_list *list, const listed_span *span)
{
	void *shown = list->shown;
	const int is_reserved = array_reserve(&list->budget->allocator, &shown, &list->shown_capacity,
					      list->shown_count + 1, sizeof(*list->shown));

	list->shown = shown;
	if (is_reserved)
		list->shown[list->shown_count++] = *span;
	return is_reserved;
}

void span_list_end_show(span_list *list)
{
	sort_in_place(list->shown, list->shown_count, sizeof(*list->shown), compare_starts);
}

/** Limits: of open spans on a stack, and of spans in it that have ended. */
#define MAX_OPEN 1024
#define MAX_ENDED 1024

/** Spans with the same number that are compared. There is more than one only if a number is used again too early. */
#define MAX_COMPARED 64

/** Longer names of events are cut. */
#define NAME_SIZE 1024

/** Number of no record. */
#define NONE SIZE_MAX

/* How an argument is read. */
typedef struct argument_use {
	uint8_t encoding;
	uint8_t role;
	uint16_t kind;
} argument_use;

/* A type that is defined. */
typedef struct event_type {
	uint32_t id;
	uint32_t form;
	uint32_t pair;
	uint32_t is_named; /* An argument is the name of its events. */
	size_t record;     /* Number of the record with the name of the type plus 1; 0: none yet. */
	argument_use *uses;
	size_t use_count; /* Up to the last argument that matters. */
} event_type;

/* What the arguments of an event state. */
typedef struct event_facts {
	uint64_t duration;
	uint64_t number;
	uint64_t status;
	const char *name; /* NULL: that of the type. */
	char text[NAME_SIZE];
} event_facts;

/* A span that any thread may end: its start, or its end. */
typedef struct loose_span {
	open_span span; /* Of an end: start is when it ended. */
	int is_error;
	size_t next; /* In the list of its number, plus 1. */
} loose_span;

/*
 * Events by type and name.
 */

void event_types_init(event_types *all, memory_budget *budget, size_t max_spans)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_index_init(&all->numbers, &budget->paths);
	record_table_init(&all->types, &budget->allocator, sizeof(event_type));
	call_durations_init(&all->durations, budget, 0);
	wait_list_init(&all->waits, budget);
	hash_map_init(&all->begun, &budget->allocator);
	hash_map_init(&all->over, &budget->allocator);
	span_list_init(&all->spans, budget, max_spans);
}

static int has_position(const void *slot)
{
	return hash_index_has_position(slot);
}

static uint64_t hash_of(const event_types *all, uint32_t type, const char *name)
{
	return hash_key(hash_mix_text(all->numbers.seed, name), type);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const event_types *all = owner;
	const event_type_record *record = &all->records[*(const uint32_t *)slot - 1];

	return hash_of(all, record->type, record->name);
}

/* Records without a name of their own are not in the index. */
static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const event_type_record *key = searched;
	const event_type_record *record;

	if (position == 0)
		return 0;
	record = &((const event_types *)owner)->records[position - 1];
	return record->type == key->type && strcmp(record->name, key->name) == 0;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = has_position,
	.hash = slot_hash,
};

void event_types_destroy(event_types *all)
{
	const mprof_allocator *allocator = &all->budget->allocator;

	for (size_t i = 0; i < all->count; i++) {
		text_release(allocator, all->records[i].name);
		text_release(allocator, all->records[i].category);
	}
	for (size_t i = 0; i < all->types.count; i++) {
		event_type *type = record_table_at(&all->types, i);

		allocator_release(allocator, type->uses, type->use_count * sizeof(*type->uses));
	}
	allocator_release(allocator, all->records, all->capacity * sizeof(*all->records));
	allocator_release(allocator, all->loose, all->loose_capacity * sizeof(*all->loose));
	hash_index_destroy(&all->numbers, &slots);
	record_table_destroy(&all->types);
	call_durations_destroy(&all->durations);
	wait_list_destroy(&all->waits);
	hash_map_destroy(&all->begun);
	hash_map_destroy(&all->over);
	span_list_destroy(&all->spans);
}

static int lookup(const mprof_reader *reader, uint32_t kind, uint32_t id, mprof_record *record)
{
	return mprof_reader_lookup_record(reader, kind, id, record, sizeof(*record)) == MPROF_OK;
}

/* A form that is not known is that of an instant. */
static uint32_t known_form(uint32_t form)
{
	return form <= MPROF_TYPE_ASYNC_END || form == MPROF_TYPE_SAMPLE ? form : MPROF_TYPE_INSTANT;
}

/* Whether the model reads an argument with a role. */
static int matters(uint32_t role)
{
	return role == MPROF_ROLE_DURATION || role == MPROF_ROLE_SPAN || role == MPROF_ROLE_NAME ||
	       role == MPROF_ROLE_STATUS;
}

/* Finds how the arguments of a type are read. Returns 0 if there is no memory. */
static int read_uses(const event_types *all, const mprof_reader *reader, event_type *type,
		     const mprof_type_record *definition)
{
	argument_use uses[MPROF_TYPE_MAX_ARGUMENTS];
	size_t count = 0;

	for (uint32_t i = 0; i < definition->argument_count && i < MPROF_TYPE_MAX_ARGUMENTS; i++) {
		mprof_record record;

		if (!lookup(reader, MPROF_RECORD_ARGUMENT, definition->first_argument + i, &record))
			break;
		uses[i].encoding = (uint8_t)record.as.argument.encoding;
		uses[i].role = matters(record.as.argument.role) ? (uint8_t)record.as.argument.role : MPROF_ROLE_NONE;
		uses[i].kind = record.as.argument.kind <= UINT16_MAX ? (uint16_t)record.as.argument.kind
								     : MPROF_ARGUMENT_NUMBER;
		type->is_named |= uses[i].role == MPROF_ROLE_NAME;
		if (uses[i].role != MPROF_ROLE_NONE)
			count = i + 1;
	}
	if (count == 0)
		return 1;
	type->uses = allocator_allocate(&all->budget->allocator, count * sizeof(*type->uses));
	if (type->uses == NULL)
		return 0;
	memcpy(type->uses, uses, count * sizeof(*uses));
	type->use_count = count;
	return 1;
}

/* The type of an event. NULL if it is not defined; \p has_failed is set if there is no memory. */
static event_type *find_type(event_types *all, const mprof_reader *reader, uint32_t id, int *has_failed)
{
	event_type *type = record_table_find(&all->types, id);
	event_type found = {.id = id};
	mprof_record record;

	if (type != NULL)
		return type;
	if (!lookup(reader, MPROF_RECORD_TYPE, id, &record))
		return NULL;
	found.form = known_form(record.as.type.form);
	found.pair = record.as.type.pair;
	if (read_uses(all, reader, &found, &record.as.type)) {
		type = record_table_add(&all->types, id);
		if (type != NULL) {
			*type = found;
			return type;
		}
		allocator_release(&all->budget->allocator, found.uses, found.use_count * sizeof(*found.uses));
	}
	*has_failed = 1;
	return NULL;
}

/* Sets the name of an event to one of its arguments. */
static void set_name(event_facts *facts, const mprof_reader *reader, const argument_use *use,
		     const mprof_argument_value *value)
{
	size_t length = value->length < NAME_SIZE ? value->length : NAME_SIZE - 1;
	mprof_record record;

	if (use->kind == MPROF_ARGUMENT_TEXT_ID) {
		if (value->number <= UINT32_MAX && lookup(reader, MPROF_RECORD_TEXT, (uint32_t)value->number, &record))
			facts->name = record.as.text.text;
		return;
	}
	if (use->encoding != MPROF_ENCODING_BYTES)
		return;
	/* A cut does not divide a character. */
	while (length < value->length && length > 0 && (value->bytes[length] & 0xc0) == 0x80)
		length--;
	if (length > 0)
		memcpy(facts->text, value->bytes, length);
	facts->text[length] = '\0';
	facts->name = facts->text;
}

static void read_facts(event_facts *facts, const mprof_reader *reader, const event_type *type, const mprof_event *event)
{
	mprof_argument_value value;
	size_t position = 0;

	facts->duration = 0;
	facts->number = 0;
	facts->status = 0;
	facts->name = NULL;
	for (size_t i = 0; i < type->use_count; i++) {
		const argument_use *use = &type->uses[i];

		if (mprof_argument_decode(event->more.detail, use->encoding, &position, &value) <= 0)
			return;
		switch (use->role) {
		case MPROF_ROLE_DURATION:
			facts->duration = value.number;
			break;
		case MPROF_ROLE_SPAN:
			facts->number = value.number;
			break;
		case MPROF_ROLE_STATUS:
			facts->status = value.number | (uint64_t)value.length;
			break;
		case MPROF_ROLE_NAME:
			set_name(facts, reader, use, &value);
			break;
		default:
			break;
		}
	}
}

static char *copy_category(const event_types *all, const mprof_reader *reader, uint32_t category)
{
	mprof_record text;

	if (category == 0 || !lookup(reader, MPROF_RECORD_TEXT, category, &text))
		return text_copy(&all->budget->allocator, "");
	return text_copy(&all->budget->allocator, text.as.text.text);
}

/* Completes the texts of a record. \p name is NULL for that of the type. Returns 0 if there is no memory. */
static int name_record(const event_types *all, const mprof_reader *reader, event_type_record *record, const char *name)
{
	mprof_record type;

	if (!lookup(reader, MPROF_RECORD_TYPE, record->type, &type))
		return 1;
	record->form = known_form(type.as.type.form);
	record->name = text_copy(&all->budget->allocator, name != NULL ? name : type.as.type.name);
	record->category = copy_category(all, reader, type.as.type.category);
	return record->name != NULL && record->category != NULL;
}

/* Returns the number of the new record, or NONE if there is no memory. */
static size_t add_record(event_types *all, const mprof_reader *reader, uint32_t type, const char *name)
{
	const mprof_allocator *allocator = &all->budget->allocator;
	event_type_record record = {.type = type, .is_named = name != NULL};
	void *records = all->records;
	int is_reserved;

	if (all->count >= UINT32_MAX - 1)
		return NONE;
	is_reserved = array_reserve(name != NULL ? &all->budget->paths : allocator, &records, &all->capacity,
				    all->count + 1, sizeof(*all->records));
	all->records = records;
	if (!is_reserved || (name != NULL && !hash_index_reserve(&all->numbers, &slots, all)))
		return NONE;
	if (!name_record(all, reader, &record, name)) {
		text_release(allocator, record.name);
		text_release(allocator, record.category);
		return NONE;
	}
	all->records[all->count++] = record;
	return all->count - 1;
}

/* The number of the record of a name of events. NONE if there is no memory. */
static size_t find_named(event_types *all, const mprof_reader *reader, uint32_t type, const char *name)
{
	const event_type_record key = {.type = type, .name = (char *)(uintptr_t)name};
	const uint64_t hash = hash_of(all, type, name);
	uint32_t *slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, &key);
	size_t number;

	if (slot != NULL)
		return *slot - 1;
	number = add_record(all, reader, type, name);
	if (number == NONE)
		return NONE;
	slot = hash_index_take_slot(&all->numbers, &slots, hash);
	*slot = (uint32_t)number + 1;
	return number;
}

/* As find_named(), for the name of the type; \p number is the number of the record plus 1, 0 if it is new. */
static size_t find_unnamed(event_types *all, const mprof_reader *reader, uint32_t type, size_t *number)
{
	if (*number == 0)
		*number = add_record(all, reader, type, NULL) + 1;
	return *number - 1;
}

/* Events for whose name there is no memory are among those with the name of the type. */
static size_t find_record(event_types *all, const mprof_reader *reader, event_type *type, const event_facts *facts)
{
	if (facts->name != NULL) {
		const size_t number = find_named(all, reader, type->id, facts->name);

		if (number != NONE)
			return number;
		if (!memory_budget_is_exceeded(all->budget))
			return NONE;
		all->folded++;
	}
	return find_unnamed(all, reader, type->id, &type->record);
}

void span_stack_clear(span_stack *spans)
{
	spans->open_count = 0;
	spans->ended_count = 0;
	spans->deeper = 0;
	spans->forgotten = 0;
}

void span_stack_destroy(span_stack *spans, const mprof_allocator *allocator)
{
	allocator_release(allocator, spans->open, spans->open_capacity * sizeof(*spans->open));
	allocator_release(allocator, spans->ended, spans->ended_capacity * sizeof(*spans->ended));
	memset(spans, 0, sizeof(*spans));
}

/* Keeps a span that has ended for one that contains it. Returns 0 if there is no memory. */
static int keep_ended(const event_types *all, span_stack *spans, uint64_t start, uint64_t end)
{
	void *ended = spans->ended;
	int is_reserved;

	if (spans->ended_count == MAX_ENDED) {
		const size_t dropped = MAX_ENDED / 2;

		spans->forgotten = spans->ended[dropped - 1].end;
		spans->ended_count -= dropped;
		memmove(spans->ended, spans->ended + dropped, spans->ended_count * sizeof(*spans->ended));
	}
	is_reserved = array_reserve(&all->budget->allocator, &ended, &spans->ended_capacity, spans->ended_count + 1,
				    sizeof(*spans->ended));
	spans->ended = ended;
	if (is_reserved)
		spans->ended[spans->ended_count++] = (ended_span){start, end};
	return is_reserved;
}

/*
 * The time of a span outside those in it. Sets is_known to 0 if they are not all known. One that only overlaps it is
 * not in it.
 */
static uint64_t take_self(span_stack *spans, uint64_t start, uint64_t end, int *is_known)
{
	uint64_t self = end - start;

	while (spans->ended_count > 0 && spans->ended[spans->ended_count - 1].start >= start) {
		const ended_span *inner = &spans->ended[--spans->ended_count];
		const uint64_t duration = inner->end - inner->start;

		self -= duration < self ? duration : self;
	}
	*is_known = spans->ended_count > 0 || spans->forgotten <= start;
	return self;
}

static listed_span listed(const open_span *span, uint64_t end)
{
	const listed_span entry = {.start = span->start < end ? span->start : end,
				   .end = end,
				   .thread = span->thread,
				   .stack = span->stack,
				   .record = (uint32_t)span->record};

	return entry;
}

/* Counts a span that has ended. spans is NULL if it is on no call stack. Returns 0 if there is no memory. */
static int count_span(event_types *all, span_stack *spans, const open_span *span, uint64_t end, uint32_t counts)
{
	listed_span entry = listed(span, end);
	const uint64_t start = entry.start;
	event_type_record *record = &all->records[span->record];
	int is_known = 0;
	uint64_t self = 0;

	if (spans != NULL) {
		self = take_self(spans, start, end, &is_known);
		if (!keep_ended(all, spans, start, end))
			return 0;
	}
	if (!counts)
		return 1;
	record->ended += span->counts;
	record->self += self;
	record->without_self += !is_known;
	(void)call_durations_add(&all->durations, (uint32_t)span->record, end - start);
	entry.is_loose = spans == NULL;
	if (span->wait != 0 && !wait_list_end(&all->waits, span->wait, end - start, span->counts))
		return 0;
	return !all->durations.has_failed && span_list_add(&all->spans, &entry);
}

/* Returns 0 if there is no memory. */
static int begin_span(const event_types *all, span_stack *spans, const open_span *span)
{
	void *open = spans->open;
	int is_reserved;

	if (spans->open_count == MAX_OPEN || spans->deeper > 0) {
		spans->deeper++;
		return 1;
	}
	is_reserved = array_reserve(&all->budget->allocator, &open, &spans->open_capacity, spans->open_count + 1,
				    sizeof(*spans->open));
	spans->open = open;
	if (is_reserved)
		spans->open[spans->open_count++] = *span;
	return is_reserved;
}

/* Ends a span of a type, 0 for any. Those that began inside it have no end. Returns 0 if there is no memory. */
static int end_span(event_types *all, span_stack *spans, const event_type *type, const open_span *end, int is_error)
{
	size_t depth = spans->open_count;
	open_span span;

	/* Which spans above the maximum depth are open is not known: one of them ends. */
	if (spans->deeper > 0) {
		spans->deeper--;
		return 1;
	}
	while (depth > 0 && type->pair != 0 && spans->open[depth - 1].type != type->pair)
		depth--;
	if (depth == 0) {
		all->records[end->record].unmatched += end->counts;
		return 1;
	}
	spans->open_count = depth - 1;
	span = spans->open[depth - 1];
	all->records[span.record].errors += (uint32_t)is_error & end->counts;
	return count_span(all, spans, &span, end->start, end->counts);
}

/* Takes the span with a number out of a list: the last one up to a time, or the first one from it on. */
static int take_loose(event_types *all, hash_map *lists, uint64_t number, uint64_t counter, int is_begin,
		      loose_span *taken)
{
	uint64_t *first = hash_map_get(lists, number);
	size_t best = 0;
	size_t before_best = 0;
	size_t before = 0;
	size_t compared = 0;

	for (size_t i = first != NULL ? (size_t)*first : 0; i != 0 && compared < MAX_COMPARED; compared++) {
		const uint64_t time = all->loose[i - 1].span.start;
		const int fits = is_begin ? time <= counter : time >= counter;

		if (fits && (best == 0 || (is_begin ? time > all->loose[best - 1].span.start
						    : time < all->loose[best - 1].span.start))) {
			best = i;
			before_best = before;
		}
		before = i;
		i = all->loose[i - 1].next;
	}
	if (best == 0)
		return 0;
	*taken = all->loose[best - 1];
	if (before_best != 0)
		all->loose[before_best - 1].next = all->loose[best - 1].next;
	else if (all->loose[best - 1].next != 0)
		*first = all->loose[best - 1].next;
	else
		hash_map_remove(lists, number);
	all->loose[best - 1].next = all->loose_free;
	all->loose_free = best;
	return 1;
}

/* Keeps the start or the end of a span until the other one is read. Returns 0 if there is no memory. */
static int keep_loose(event_types *all, hash_map *lists, uint64_t number, const loose_span *kept)
{
	const uint64_t *first = hash_map_get(lists, number);
	const size_t next = first != NULL ? (size_t)*first : 0;
	size_t index = all->loose_free;

	if (index == 0) {
		void *loose = all->loose;
		const int is_reserved = array_reserve(&all->budget->allocator, &loose, &all->loose_capacity,
						      all->loose_count + 1, sizeof(*all->loose));

		all->loose = loose;
		if (!is_reserved)
			return 0;
		index = all->loose_count + 1;
	}
	if (!hash_map_put(lists, number, index))
		return 0;
	if (index == all->loose_free)
		all->loose_free = all->loose[index - 1].next;
	else
		all->loose_count++;
	all->loose[index - 1] = *kept;
	all->loose[index - 1].next = next;
	return 1;
}

/*
 * The start and the end of a span of any thread. The blocks of threads are not in the order of time, so that the end
 * may be read first. Returns 0 if there is no memory.
 */
static int add_loose(event_types *all, const event_type *type, const event_facts *facts, const open_span *span)
{
	const int is_end = type->form == MPROF_TYPE_ASYNC_END;
	const loose_span added = {*span, facts->status != 0, 0};
	const loose_span *begin = &added;
	const loose_span *end = &added;
	loose_span other;

	if (!take_loose(all, is_end ? &all->begun : &all->over, facts->number, span->start, is_end, &other)) {
		all->records[span->record].unmatched += is_end ? span->counts : 0;
		return keep_loose(all, is_end ? &all->over : &all->begun, facts->number, &added);
	}
	if (is_end) {
		begin = &other;
	} else {
		end = &other;
		all->records[other.span.record].unmatched -= other.span.counts;
	}
	all->records[begin->span.record].errors += (uint32_t)end->is_error & end->span.counts;
	return count_span(all, NULL, &begin->span, end->span.start, end->span.counts);
}

static int add_by_form(event_types *all, span_stack *spans, const event_type *type, const event_facts *facts,
		       const open_span *span)
{
	event_type_record *record = &all->records[span->record];
	const int is_error = facts->status != 0;

	/* On no call stack, nothing begins or ends in a certain order. */
	if (spans == NULL && (type->form == MPROF_TYPE_BEGIN || type->form == MPROF_TYPE_END)) {
		record->errors += (uint32_t)is_error & span->counts;
		return 1;
	}
	switch (type->form) {
	case MPROF_TYPE_BEGIN:
		return begin_span(all, spans, span);
	case MPROF_TYPE_END:
		return end_span(all, spans, type, span, is_error);
	case MPROF_TYPE_SPAN: {
		open_span whole = *span;

		record->errors += (uint32_t)is_error & span->counts;
		if (facts->duration > span->start) {
			/* It would have begun before all time. */
			record->unmatched += span->counts;
			return 1;
		}
		whole.start -= facts->duration;
		return count_span(all, spans, &whole, span->start, span->counts);
	}
	case MPROF_TYPE_ASYNC_BEGIN:
	case MPROF_TYPE_ASYNC_END:
		return add_loose(all, type, facts, span);
	default:
		record->errors += (uint32_t)is_error & span->counts;
		return 1;
	}
}

int event_types_add(event_types *all, const mprof_reader *reader, span_stack *spans, const mprof_event *event,
		    const event_context *context)
{
	open_span span = {.type = event->id,
			  .counts = context->counts,
			  .start = context->counter,
			  .thread = context->thread,
			  .stack = context->stack,
			  .wait = context->wait};
	int has_failed = 0;
	event_facts facts;
	event_type *type = find_type(all, reader, event->id, &has_failed);

	if (has_failed)
		return 0;
	if (type == NULL) {
		span.record = find_unnamed(all, reader, 0, &all->undefined);
		if (span.record == NONE)
			return 0;
		all->records[span.record].count += context->counts;
		return 1;
	}
	if (type->form == MPROF_TYPE_SAMPLE)
		return EVENT_TYPES_SAMPLE;
	read_facts(&facts, reader, type, event);
	span.record = find_record(all, reader, type, &facts);
	if (span.record == NONE || !add_by_form(all, spans, type, &facts, &span))
		return 0;
	all->records[span.record].count += context->counts;
	return 1;
}

/* Shows a span that has begun. Those that began outside the window do not count. */
static int show_open(event_types *all, const open_span *span, uint64_t end, uint32_t is_loose)
{
	listed_span entry = listed(span, end);

	entry.is_unfinished = 1;
	entry.is_loose = is_loose;
	return !span->counts || span_list_show_open(&all->spans, &entry);
}

int event_types_show_open(event_types *all, const span_stack *spans, uint64_t end)
{
	for (size_t i = 0; all->spans.is_enabled && i < spans->open_count; i++) {
		if (!show_open(all, &spans->open[i], end, 0))
			return 0;
	}
	return 1;
}

int event_types_show_loose(event_types *all, uint64_t end)
{
	const hash_map_entry *entry;

	if (!all->spans.is_enabled)
		return 1;
	for (size_t slot = 0; (entry = hash_map_next(&all->begun, &slot)) != NULL;) {
		for (size_t i = (size_t)entry->value; i != 0; i = all->loose[i - 1].next) {
			if (!show_open(all, &all->loose[i - 1].span, end, 1))
				return 0;
		}
	}
	return 1;
}
