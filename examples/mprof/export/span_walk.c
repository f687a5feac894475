/* SPDX-License-Identifier: MIT */
/* Pairs the starts and the ends of spans, and finds lanes for them. */
#include "export/span_walk.h"

#include "common/elements.h"
#include <stdlib.h>
#include <string.h>

/*
 * Limits: of open spans of a stack, of spans with the same number that are compared, of lanes, and of spans that are
 * kept for one that may contain them. The first two are those of the profile, so that both find the same pairs.
 */
#define MAX_OPEN 1024
#define MAX_COMPARED 64
#define MAX_LANES 64
#define MAX_KEPT 1024

/* Room for a name. */
#define NAME_SIZE 1024

/* An event with copies of what it refers to. */
typedef struct kept_event {
	mprof_event event;
	mprof_event_detail detail;
	uint8_t *bytes;
} kept_event;

typedef struct open_walk_span {
	kept_event first;
	uint64_t start;   /* Counter. */
	const char *name; /* Allocated. */
	int is_passed;    /* The sink has received its start. */
	struct walk_span shown;
} open_walk_span;

typedef struct interval {
	uint64_t start;
	uint64_t end;
} interval;

typedef struct span_lane {
	walk_lane lane;
	interval *ended; /* Spans that have ended and that no other one contains yet. */
	size_t count;
	uint64_t forgotten; /* The end of the last one that is not kept any more. */
} span_lane;

/* An entry of span_walk::begun and over: spans with a number. */
typedef struct loose_entry {
	uint64_t number;
	struct loose_event *first;
} loose_entry;

typedef struct loose_event {
	kept_event kept;
	const walk_thread *thread;
	struct loose_event *next;
} loose_event;

/* A link from a span to another one. */
typedef struct span_link {
	uint64_t id;
	size_t next; /* From the same span: an index plus 1. */
} span_link;

/* An entry of span_walk::numbers. */
typedef struct span_number {
	uint64_t number;
	uint64_t first; /* An index of a link plus 1. */
	uint64_t begins;
} span_number;

void span_walk_init(span_walk *walk)
{
	memset(walk, 0, sizeof(*walk));
	walk->begun.value_size = sizeof(loose_entry) - sizeof(uint64_t);
	walk->over.value_size = sizeof(loose_entry) - sizeof(uint64_t);
	walk->numbers.value_size = sizeof(span_number) - sizeof(uint64_t);
}

/* Returns 0 if out of memory. */
static int keep_event(kept_event *kept, const mprof_event *event)
{
	kept->event = *event;
	kept->bytes = NULL;
	memset(&kept->detail, 0, sizeof(kept->detail));
	kept->detail.struct_size = sizeof(kept->detail);
	if (event->more.detail != NULL && event->more.detail->argument_size > 0) {
		kept->bytes = malloc(event->more.detail->argument_size);
		if (kept->bytes == NULL)
			return 0;
		memcpy(kept->bytes, event->more.detail->arguments, event->more.detail->argument_size);
		kept->detail.arguments = kept->bytes;
		kept->detail.argument_size = event->more.detail->argument_size;
	}
	return 1;
}

/* An event that was kept may have moved. */
static const mprof_event *event_of(kept_event *kept)
{
	kept->event.more.detail = &kept->detail;
	return &kept->event;
}

/* Returns NULL if there are too many lanes, or out of memory. */
static span_lane *add_lane(event_walk *walk, walk_stack *stack)
{
	walk_spans *spans = &stack->spans;
	span_lane *lane;

	if (spans->lane_count == MAX_LANES)
		return NULL;
	if (spans->lane_count == spans->lane_capacity) {
		const size_t capacity = 2 * spans->lane_capacity + 1;
		span_lane *lanes = realloc(spans->lanes, capacity * sizeof(*lanes));

		if (lanes == NULL) {
			walk->has_failed = 1;
			return NULL;
		}
		spans->lanes = lanes;
		spans->lane_capacity = capacity;
	}
	lane = &spans->lanes[spans->lane_count];
	memset(lane, 0, sizeof(*lane));
	lane->ended = malloc(MAX_KEPT * sizeof(*lane->ended));
	if (lane->ended == NULL) {
		walk->has_failed = 1;
		return NULL;
	}
	lane->lane.number = ++walk->spans.lane_count;
	lane->lane.call_stack = stack->number;
	lane->lane.index = (uint32_t)spans->lane_count++;
	return lane;
}

/*
 * Whether a span that ends now may be in a lane: it contains others, or they ended before it began. One that contains
 * another one with the same start may not, since its start follows that one's in the file, and readers of the formats
 * go by that order.
 */
static int fits(const walk_spans *spans, const span_lane *lane, uint64_t start)
{
	size_t i = lane->count;

	/* Open spans are in the first lane. */
	if (lane->lane.index == 0 && spans->open_count > 0 && spans->open[spans->open_count - 1].start > start)
		return 0;
	while (i > 0 && lane->ended[i - 1].start > start)
		i--;
	return i > 0 ? lane->ended[i - 1].end <= start : lane->forgotten <= start;
}

/* Notes that a span has ended. */
static void keep_interval(span_lane *lane, uint64_t start, uint64_t end)
{
	while (lane->count > 0 && lane->ended[lane->count - 1].start >= start)
		lane->count--;
	if (lane->count == MAX_KEPT) {
		lane->forgotten = lane->ended[MAX_KEPT / 2 - 1].end;
		lane->count -= MAX_KEPT / 2;
		memmove(lane->ended, lane->ended + MAX_KEPT / 2, lane->count * sizeof(*lane->ended));
	}
	lane->ended[lane->count++] = (interval){start, end};
}

/* The lane of a span that ends now; NULL if there is none. */
static span_lane *find_lane(event_walk *walk, walk_stack *stack, uint64_t start)
{
	for (size_t i = 0; i < stack->spans.lane_count; i++) {
		if (fits(&stack->spans, &stack->spans.lanes[i], start))
			return &stack->spans.lanes[i];
	}
	return add_lane(walk, stack);
}

static void pass_span(event_walk *walk, const walk_thread *thread, const walk_span *span, int has_start, int has_end)
{
	if (has_start && walk->sink->begin_span != NULL)
		walk->sink->begin_span(walk->user, thread, span);
	if (has_end && walk->sink->end_span != NULL)
		walk->sink->end_span(walk->user, thread, span);
}

/* Passes on a span that has ended, or that is open at the end of the log, and whose start was not passed on. */
static void pass_whole(event_walk *walk, const walk_thread *thread, walk_stack *stack, walk_span *span,
		       const interval *counters)
{
	const interval shown = {walk_clamp(walk, counters->start), walk_clamp(walk, counters->end)};
	span_lane *lane = NULL;

	if (walk->is_bounded && (counters->start >= walk->window_end || counters->end < walk->window_start))
		return;
	if (stack != NULL) {
		lane = find_lane(walk, stack, shown.start);
		if (lane == NULL) {
			walk->spans.crowded++;
			return;
		}
		keep_interval(lane, shown.start, shown.end);
		span->lane = &lane->lane;
	}
	span->start = walk_time(walk, shown.start);
	span->end = walk_time(walk, shown.end);
	pass_span(walk, thread, span, 1, 1);
}

static void name_span(const event_walk *walk, walk_span *span, const mprof_event *event, char *name)
{
	mprof_record type;

	span->type = event->id;
	span->first = event;
	span->name = typed_name(walk->input.reader, event, name, NAME_SIZE);
	span->category = "";
	if (mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) ==
		    MPROF_OK &&
	    type.as.type.category != 0)
		span->category = typed_text(walk->input.reader, type.as.type.category);
}

static void release_open(open_walk_span *open)
{
	free(open->first.bytes);
	free((char *)(uintptr_t)open->name);
}

/* A span begins on the stack of the thread. */
static void begin_span(event_walk *walk, const walk_thread *thread, const mprof_event *event, walk_span *span)
{
	walk_stack *stack = thread->stack;
	walk_spans *spans = &stack->spans;
	open_walk_span *open;

	if (spans->open_count == MAX_OPEN || spans->deeper > 0) {
		walk->spans.crowded++;
		spans->deeper++;
		return;
	}
	if (spans->open_count == spans->open_capacity) {
		const size_t capacity = 2 * spans->open_capacity + 8;
		open_walk_span *grown = realloc(spans->open, capacity * sizeof(*grown));

		if (grown == NULL) {
			walk->has_failed = 1;
			return;
		}
		spans->open = grown;
		spans->open_capacity = capacity;
	}
	if (spans->lane_count == 0 && add_lane(walk, stack) == NULL)
		return;
	open = &spans->open[spans->open_count];
	open->name = strdup(span->name);
	if (open->name == NULL || !keep_event(&open->first, event)) {
		free((char *)(uintptr_t)open->name);
		walk->has_failed = 1;
		return;
	}
	spans->open_count++;
	open->start = thread->counter;
	open->is_passed = walk_has_counter(walk, thread->counter);
	span->start = walk_time(walk, walk_clamp(walk, thread->counter));
	span->end = span->start;
	span->lane = &spans->lanes[0].lane;
	if (open->is_passed)
		pass_span(walk, thread, span, 1, 0);
	open->shown = *span;
}

/* Ends the innermost open span. \p last is the event at its end, NULL if it does not have one. */
static void end_innermost(event_walk *walk, const walk_thread *thread, walk_stack *stack, const mprof_event *last,
			  int is_open)
{
	open_walk_span *open = &stack->spans.open[stack->spans.open_count - 1];
	const interval counters = {open->start, is_open ? walk->end : thread->counter};
	walk_span span = open->shown;

	stack->spans.open_count--;
	span.name = open->name;
	span.first = event_of(&open->first);
	span.last = last;
	span.is_unfinished = last == NULL;
	span.is_open = is_open;
	if (!open->is_passed) {
		pass_whole(walk, thread, stack, &span, &counters);
	} else {
		span.lane = &stack->spans.lanes[0].lane;
		span.end = walk_time(walk, walk_clamp(walk, counters.end));
		keep_interval(&stack->spans.lanes[0], walk_clamp(walk, counters.start), walk_clamp(walk, counters.end));
		pass_span(walk, thread, &span, 0, 1);
	}
	release_open(open);
}

static void end_span(event_walk *walk, const walk_thread *thread, const mprof_event *event, uint32_t pair)
{
	walk_stack *stack = thread->stack;
	size_t depth = stack->spans.open_count;

	/* Which spans above the maximum depth are open is not known: one of them ends, as in the profile. */
	if (stack->spans.deeper > 0) {
		stack->spans.deeper--;
		return;
	}
	while (depth > 0 && pair != 0 && stack->spans.open[depth - 1].shown.type != pair)
		depth--;
	if (depth == 0) {
		walk->spans.unmatched++;
		return;
	}
	while (stack->spans.open_count > depth)
		end_innermost(walk, thread, stack, NULL, 0);
	end_innermost(walk, thread, stack, event, 0);
}

void span_walk_abandon(event_walk *walk, const walk_thread *thread, walk_stack *stack)
{
	stack->spans.deeper = 0;
	while (stack->spans.open_count > 0)
		end_innermost(walk, thread, stack, NULL, 0);
}

void span_walk_finish_stack(event_walk *walk, const walk_thread *thread, walk_stack *stack)
{
	while (stack->spans.open_count > 0)
		end_innermost(walk, thread, stack, NULL, 1);
}

/* The number of an argument with a role; 0 if there is none. */
static uint64_t number_of(const event_walk *walk, const mprof_event *event, uint32_t role)
{
	typed_arguments arguments;
	typed_argument argument;

	if (!typed_begin(&arguments, walk->input.reader, event))
		return 0;
	while (typed_next(&arguments, &argument)) {
		if (argument.definition.role == role)
			return argument.value.number;
	}
	return 0;
}

/* Takes the event out of a list that belongs to a start or to an end: the last one before, or the first one after. */
static loose_event *take_loose(key_map *map, uint64_t number, uint64_t counter, int is_begin)
{
	loose_entry *entry = key_map_find(map, number);
	loose_event **best = NULL;
	loose_event *taken;
	size_t compared = 0;

	if (entry == NULL)
		return NULL;
	for (loose_event **at = &entry->first; *at != NULL && compared < MAX_COMPARED; at = &(*at)->next, compared++) {
		const uint64_t time = (*at)->kept.event.counter;
		const uint64_t found = best != NULL ? (*best)->kept.event.counter : 0;

		if (is_begin ? time <= counter && (best == NULL || time > found)
			     : time >= counter && (best == NULL || time < found))
			best = at;
	}
	if (best == NULL)
		return NULL;
	taken = *best;
	*best = taken->next;
	if (entry->first == NULL)
		key_map_remove(map, number);
	return taken;
}

static void keep_loose(event_walk *walk, key_map *map, uint64_t number, const walk_thread *thread,
		       const mprof_event *event)
{
	loose_event *added = calloc(1, sizeof(*added));
	loose_entry *entry = added != NULL ? key_map_put(map, number) : NULL;

	if (entry == NULL || !keep_event(&added->kept, event)) {
		free(added);
		walk->has_failed = 1;
		return;
	}
	added->thread = thread;
	added->next = entry->first;
	entry->first = added;
}

/* The start or the end of a span that any thread may end. */
static void add_loose(event_walk *walk, const walk_thread *thread, const mprof_event *event, int is_end)
{
	const uint64_t number = number_of(walk, event, MPROF_ROLE_SPAN);
	loose_event *other =
		take_loose(is_end ? &walk->spans.begun : &walk->spans.over, number, event->counter, is_end);
	walk_span span = {.number = number};
	char name[NAME_SIZE];
	interval counters;

	if (other == NULL) {
		keep_loose(walk, is_end ? &walk->spans.over : &walk->spans.begun, number, thread, event);
		return;
	}
	name_span(walk, &span, is_end ? event_of(&other->kept) : event, name);
	span.last = is_end ? event : event_of(&other->kept);
	counters = (interval){span.first->counter, span.last->counter};
	pass_whole(walk, is_end ? other->thread : thread, NULL, &span, &counters);
	free(other->kept.bytes);
	free(other);
}

/* A span that is recorded as a whole, at its end. */
static void add_whole(event_walk *walk, const walk_thread *thread, const mprof_event *event, walk_span *span)
{
	const uint64_t duration = number_of(walk, event, MPROF_ROLE_DURATION);
	const interval counters = {thread->counter - duration, thread->counter};

	/* One that would have begun before all time has no begin that could be shown. */
	if (duration > thread->counter)
		walk->spans.unmatched++;
	else
		pass_whole(walk, thread, thread->stack, span, &counters);
}

static void add_instant(const event_walk *walk, const walk_thread *thread, walk_span *span)
{
	if (!walk_has_counter(walk, thread->counter) || walk->sink->described == NULL)
		return;
	span->start = thread->time;
	span->end = thread->time;
	walk->sink->described(walk->user, thread, span);
}

void span_walk_add(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	walk_span span = {0};
	char name[NAME_SIZE];
	mprof_record type;

	if (walk->sink->begin_span == NULL && walk->sink->end_span == NULL)
		return;
	if (mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) !=
	    MPROF_OK) {
		walk->spans.undefined++;
		return;
	}
	switch (type.as.type.form) {
	case MPROF_TYPE_END:
		end_span(walk, thread, event, type.as.type.pair);
		return;
	case MPROF_TYPE_ASYNC_BEGIN:
	case MPROF_TYPE_ASYNC_END:
		add_loose(walk, thread, event, type.as.type.form == MPROF_TYPE_ASYNC_END);
		return;
	default:
		break;
	}
	name_span(walk, &span, event, name);
	if (type.as.type.form == MPROF_TYPE_BEGIN)
		begin_span(walk, thread, event, &span);
	else if (type.as.type.form == MPROF_TYPE_SPAN)
		add_whole(walk, thread, event, &span);
	else
		add_instant(walk, thread, &span);
}

int span_walk_next_argument(const event_walk *walk, typed_arguments *arguments, typed_argument *argument)
{
	do {
		if (!typed_next(arguments, argument))
			return 0;
	} while (argument->definition.role == MPROF_ROLE_DURATION);
	if (argument->definition.kind == MPROF_ARGUMENT_DURATION)
		argument->value.number = (uint64_t)((double)argument->value.number * walk->nanoseconds_per_count + 0.5);
	return 1;
}

static int is_link(const mprof_argument_record *argument)
{
	return argument->role == MPROF_ROLE_PARENT || argument->role == MPROF_ROLE_CAUSE;
}

int span_walk_has_links(const mprof_reader *reader)
{
	mprof_record argument;

	for (uint32_t id = 1;
	     mprof_reader_lookup_record(reader, MPROF_RECORD_ARGUMENT, id, &argument, sizeof(argument)) == MPROF_OK;
	     id++) {
		if (is_link(&argument.as.argument))
			return 1;
	}
	return 0;
}

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
	return value ^ value >> 33;
}

/* Distinguishes links by both of their ends: an event is found by its thread, its time and its type. */
static uint64_t link_id(uint64_t thread, const mprof_event *event, const typed_argument *argument)
{
	const uint64_t to = mix(mix(mix(thread) + event->counter) + event->id);
	const uint64_t id = mix(to + mix(argument->value.number) + argument->definition.role);

	return id != 0 ? id : 1;
}

static void add_link(event_walk *walk, uint64_t number, uint64_t id)
{
	span_walk *spans = &walk->spans;
	span_number *entry = key_map_put(&spans->numbers, number);

	if (entry == NULL || !elements_reserve((void **)&spans->links, &spans->link_capacity, spans->link_count,
					       sizeof(*spans->links))) {
		walk->has_failed = 1;
		return;
	}
	spans->links[spans->link_count] = (span_link){.id = id, .next = (size_t)entry->first};
	entry->first = ++spans->link_count;
}

void span_walk_note(event_walk *walk, uint64_t thread, const mprof_event *event)
{
	typed_arguments arguments;
	typed_argument argument;
	span_number *entry;

	if (!typed_begin(&arguments, walk->input.reader, event) || arguments.type.form == MPROF_TYPE_ASYNC_END ||
	    arguments.type.form == MPROF_TYPE_END)
		return;
	while (typed_next(&arguments, &argument)) {
		if (argument.value.number == 0)
			continue;
		if (argument.definition.role == MPROF_ROLE_SPAN) {
			entry = key_map_put(&walk->spans.numbers, argument.value.number);
			walk->has_failed |= entry == NULL;
			if (entry != NULL)
				entry->begins++;
		} else if (is_link(&argument.definition)) {
			add_link(walk, argument.value.number, link_id(thread, event, &argument));
		}
	}
}

int span_walk_has_number(const event_walk *walk, uint64_t number)
{
	const span_number *entry = key_map_find(&walk->spans.numbers, number);

	return entry != NULL && entry->begins == 1;
}

void span_walk_links_from(const event_walk *walk, uint64_t number, void (*visit)(void *user, uint64_t link), void *user)
{
	const span_number *entry = number != 0 ? key_map_find(&walk->spans.numbers, number) : NULL;

	if (entry == NULL || entry->begins != 1)
		return;
	for (size_t i = (size_t)entry->first; i != 0; i = walk->spans.links[i - 1].next)
		visit(user, walk->spans.links[i - 1].id);
}

uint64_t span_walk_link_to(event_walk *walk, uint64_t thread, const mprof_event *event, const typed_argument *argument)
{
	if (!is_link(&argument->definition) || argument->value.number == 0)
		return 0;
	if (span_walk_has_number(walk, argument->value.number))
		return link_id(thread, event, argument);
	walk->spans.unresolved++;
	return 0;
}

int span_walk_is_message(const event_walk *walk, const mprof_event *event)
{
	mprof_record type;

	return mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) ==
		       MPROF_OK &&
	       strcmp(type.as.type.name, "mprof.log") == 0;
}

walk_message_part span_walk_message_part(const typed_argument *argument)
{
	const mprof_argument_record *definition = &argument->definition;
	const uint64_t number = argument->value.number;

	switch (typed_class_of(definition)) {
	case TYPED_TEXT:
		if (definition->kind != MPROF_ARGUMENT_TEXT && definition->kind != MPROF_ARGUMENT_TEXT_ID)
			return WALK_MESSAGE_OTHER;
		return definition->role == MPROF_ROLE_MESSAGE || strcmp(definition->name, "text") == 0
			       ? WALK_MESSAGE_TEXT
		       : strcmp(definition->name, "source") == 0 ? WALK_MESSAGE_SOURCE
								 : WALK_MESSAGE_OTHER;
	case TYPED_DOUBLE:
		return WALK_MESSAGE_OTHER;
	default:
		return (definition->role == MPROF_ROLE_SEVERITY || strcmp(definition->name, "severity") == 0) &&
				       number >= WALK_MIN_SEVERITY && number <= WALK_MAX_SEVERITY
			       ? WALK_MESSAGE_SEVERITY
			       : WALK_MESSAGE_OTHER;
	}
}

/* Passes on the spans of a number that have not ended, or forgets the ends that have no start. */
static void finish_entry(event_walk *walk, loose_entry *entry, int is_begun)
{
	while (entry->first != NULL) {
		loose_event *at = entry->first;
		walk_span span = {.number = entry->number, .is_unfinished = 1, .is_open = 1};
		const interval counters = {at->kept.event.counter, walk->end};
		char name[NAME_SIZE];

		entry->first = at->next;
		if (is_begun) {
			name_span(walk, &span, event_of(&at->kept), name);
			pass_whole(walk, at->thread, NULL, &span, &counters);
		}
		walk->spans.unmatched += !is_begun;
		free(at->kept.bytes);
		free(at);
	}
}

static void finish_entries(event_walk *walk, key_map *map, int is_begun)
{
	for (size_t i = 0; map->capacity > 0 && i <= map->capacity; i++) {
		loose_entry *entry = key_map_slot(map, i);

		if (entry != NULL)
			finish_entry(walk, entry, is_begun);
	}
	key_map_clear(map);
}

void span_walk_finish(event_walk *walk)
{
	finish_entries(walk, &walk->spans.begun, 1);
	finish_entries(walk, &walk->spans.over, 0);
}

void span_walk_release_stack(walk_spans *spans)
{
	while (spans->open_count > 0)
		release_open(&spans->open[--spans->open_count]);
	for (size_t i = 0; i < spans->lane_count; i++)
		free(spans->lanes[i].ended);
	free(spans->lanes);
	free(spans->open);
	memset(spans, 0, sizeof(*spans));
}
