/* SPDX-License-Identifier: MIT */
#include "format/hits_decode.h"

#include "format/record_texts.h"

#include <string.h>

void hit_cursor_init(hit_cursor *cursor, const content_cursor *content, const hits_reading *reading)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->content = *content;
	cursor->form = reading->form;
	cursor->tokens = hit_token_form_get(reading->form);
	cursor->is_chain_first = reading->is_chain_first;
}

static void fail(hit_cursor *cursor, size_t start, const char *what)
{
	content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, what);
}

static void record_begin(hit_item *item, uint32_t kind, uint32_t id)
{
	memset(item, 0, sizeof(*item));
	item->is_record = 1;
	record_clear(&item->record, kind);
	item->record.id = id;
}

/* A frame: the innermost of a hit, or a caller if a chain is due. */
static void frame_make(hit_cursor *cursor, hit_item *item, uint32_t flags, uint64_t id, uint64_t value)
{
	memset(item, 0, sizeof(*item));
	item->event.kind = MPROF_EVENT_SAMPLE;
	item->event.id = (uint32_t)id;
	item->event.value = value;
	if (cursor->has_leaf && cursor->callers_left > 0) {
		cursor->callers_left--;
		flags |= MPROF_EVENT_FLAG_CALLER;
	}
	item->event.flags = (uint8_t)flags;
	cursor->has_leaf = 1;
}

/* The writer of unity announces one caller too many, so a missing one is not a fault. */
static void chain_take(hit_cursor *cursor, size_t start, uint64_t count)
{
	if (!cursor->is_cut && count > cursor->content.length - cursor->content.position)
		fail(cursor, start, "more callers are announced than the block can hold");
	else if (!cursor->is_chain_first && (!cursor->has_leaf || cursor->callers_left > 0))
		fail(cursor, start, "a call stack follows no sample");
	cursor->has_leaf = !cursor->is_chain_first;
	cursor->callers_left = count;
}

/* The definition of a function; its sample is delivered next. */
static void function_define(hit_cursor *cursor, hit_item *item, size_t start, uint32_t id, uint32_t module)
{
	record_begin(item, MPROF_RECORD_FUNCTION, id);
	item->record.as.function.module = module != HITS_NO_MODULE ? module : 0;
	item->record.as.function.name = content_cursor_string(&cursor->content, NULL);
	if (id == 0)
		fail(cursor, start, "a function has the id 0");
	cursor->has_pending = 1;
	cursor->pending_function = id;
}

/* Takes the rest of a function's token with a count. Returns 1 if there is an item. */
static int counted_take(hit_cursor *cursor, hit_item *item, size_t start, uint32_t id)
{
	uint64_t count = content_cursor_varint(&cursor->content);

	if (count == 0) {
		function_define(cursor, item, start, id, 0);
		cursor->pending_samples = content_cursor_varint(&cursor->content);
		cursor->has_pending = cursor->pending_samples > 0;
		return 1;
	}
	frame_make(cursor, item, MPROF_EVENT_FLAG_NATIVE, id, 0);
	item->samples = count;
	return 1;
}

static void place_take(hit_cursor *cursor, hit_item *item, uint32_t module)
{
	uint64_t value = content_cursor_varint(&cursor->content);

	frame_make(cursor, item, MPROF_EVENT_FLAG_NATIVE | (module != 0 ? MPROF_EVENT_FLAG_IN_MODULE : 0), module,
		   value);
}

/* Takes a token. Returns 1 if that gives an item. */
static int token_take(hit_cursor *cursor, hit_item *item)
{
	const hit_token_form *form = cursor->tokens;
	content_cursor *content = &cursor->content;
	size_t start = content->position;
	uint64_t token = content_cursor_varint(content);
	uint64_t argument = token >> form->bits;
	hit_token type = (hit_token)form->tokens[token & ((1U << form->bits) - 1)];

	if (content->status != MPROF_OK)
		return 0;
	if (token == 0) {
		if (cursor->callers_left > 0 && !cursor->is_chain_first)
			fail(cursor, start, "the samples end inside a call stack");
		cursor->at_end = 1;
		return 0;
	}
	if (argument > UINT32_MAX)
		fail(cursor, start, "an id does not fit 32 bits");
	switch (type) {
	case HIT_TOKEN_METHOD:
		frame_make(cursor, item, 0, argument, 0);
		return 1;
	case HIT_TOKEN_FUNCTION:
		if (argument == 0)
			fail(cursor, start, "a function has the id 0");
		frame_make(cursor, item, MPROF_EVENT_FLAG_NATIVE, argument, 0);
		return 1;
	case HIT_TOKEN_NEW_FUNCTION:
		function_define(cursor, item, start, content_cursor_id(content), (uint32_t)argument);
		return 1;
	case HIT_TOKEN_COUNTED:
		if (argument == 0)
			fail(cursor, start, "a function has the id 0");
		return counted_take(cursor, item, start, (uint32_t)argument);
	case HIT_TOKEN_PLACE:
		place_take(cursor, item, (uint32_t)argument);
		return 1;
	case HIT_TOKEN_CHAIN:
		chain_take(cursor, start, argument);
		return 0;
	case HIT_TOKEN_MODULES:
		if (argument != 0)
			fail(cursor, start, "there is no token of this type");
		cursor->in_removed = 1;
		return 0;
	default:
		fail(cursor, start, "there is no token of this type");
		return 0;
	}
}

/* Takes an entry of a list of modules. Returns 0 if that gives no item, as at the end of the list. */
static int module_take(hit_cursor *cursor, hit_item *item)
{
	content_cursor *content = &cursor->content;
	uint32_t id = content_cursor_id(content);

	if (id == 0) {
		cursor->in_modules = cursor->in_removed && content->status == MPROF_OK;
		cursor->in_removed = 0;
		return 0;
	}
	record_begin(item, MPROF_RECORD_MODULE, id);
	if (cursor->in_removed) {
		item->record.as.module.is_removed = 1;
		return 1;
	}
	item->record.as.module.address = content_cursor_varint(content);
	item->record.as.module.size = content_cursor_varint(content);
	item->record.as.module.file_offset = content_cursor_varint(content);
	item->record.as.module.file = content_cursor_string(content, NULL);
	return id != HITS_NO_MODULE;
}

int hit_cursor_next(hit_cursor *cursor, hit_item *item)
{
	int has_item = 0;

	while (!has_item && !cursor->at_end && cursor->content.status == MPROF_OK) {
		if (cursor->has_pending) {
			frame_make(cursor, item, MPROF_EVENT_FLAG_NATIVE, cursor->pending_function, 0);
			item->samples = cursor->pending_samples;
			cursor->has_pending = 0;
			cursor->pending_samples = 0;
			has_item = 1;
		} else if (cursor->in_removed || cursor->in_modules) {
			has_item = module_take(cursor, item);
		} else {
			has_item = token_take(cursor, item);
		}
	}
	return has_item && cursor->content.status == MPROF_OK;
}

/* The result of decoding the block in one of the forms. */
typedef struct trial {
	content_cursor cursor; /* After the block's content, or at the fault. */
	hits_reading reading;
	mprof_clock end;
	int fits;
	int knows_ids; /* All IDs that it leads to are defined. */
} trial;

static void item_weigh(trial *trial, const hit_item *item)
{
	known_ids *known = &trial->reading.known;
	uint32_t highest = known->method_id;

	if (item->is_record) {
		if (item->record.kind != MPROF_RECORD_MODULE || !item->record.as.module.is_removed)
			known_id_add(item->record.kind == MPROF_RECORD_FUNCTION ? &known->function_id
										: &known->module_id,
				     item->record.id);
		return;
	}
	if ((item->event.flags & MPROF_EVENT_FLAG_NATIVE) != 0)
		highest = (item->event.flags & MPROF_EVENT_FLAG_IN_MODULE) != 0 ? known->module_id : known->function_id;
	trial->knows_ids &= item->event.id <= highest;
}

/* A block of unity may start with the token of a call stack; one of mono cannot. */
static int begins_with_chain(content_cursor cursor, hits_form form)
{
	const hit_token_form *tokens = hit_token_form_get(form);

	return tokens->tokens[content_cursor_varint(&cursor) & ((1U << tokens->bits) - 1)] == HIT_TOKEN_CHAIN;
}

/*
 * The position up to which all samples are complete, after an item was decoded whose first token is at \p start. One
 * that may have callers is complete after the last of them; in mono, only the next sample shows that it has none.
 */
static size_t whole_end(const hit_cursor *cursor, const hit_item *item, size_t start, size_t known)
{
	if (cursor->form != HITS_FORM_CHAINED)
		return cursor->has_pending ? known : cursor->content.position;
	if (item->is_record)
		return known;
	if (cursor->callers_left == 0 && (cursor->is_chain_first || (item->event.flags & MPROF_EVENT_FLAG_CALLER) != 0))
		return cursor->content.position;
	return (item->event.flags & MPROF_EVENT_FLAG_CALLER) == 0 ? start : known;
}

static void items_try(trial *trial, hit_cursor *hits)
{
	size_t start = hits->content.position;
	hit_item item;

	trial->reading.list_end = start;
	while (hit_cursor_next(hits, &item)) {
		item_weigh(trial, &item);
		trial->reading.list_end = whole_end(hits, &item, start, trial->reading.list_end);
		/* The definition of a function belongs to the sample that is delivered after it. */
		if (!hits->has_pending)
			start = hits->content.position;
	}
	if (hits->at_end)
		trial->reading.list_end = hits->content.position;
}

static void form_try(trial *trial, const content_cursor *cursor, hits_form form, const known_ids *known, int is_cut)
{
	hit_cursor hits;

	memset(trial, 0, sizeof(*trial));
	trial->reading.form = form;
	trial->reading.known = *known;
	trial->reading.is_chain_first = begins_with_chain(*cursor, form);
	trial->knows_ids = 1;
	hit_cursor_init(&hits, cursor, &trial->reading);
	hits.is_cut = is_cut;
	items_try(trial, &hits);
	trial->cursor = hits.content;
	content_cursor_clock(&trial->cursor, &trial->end);
	trial->fits = content_cursor_finish(&trial->cursor) == MPROF_OK || (is_cut && trial->cursor.ran_out);
}

/* Where the content goes on. A cut block is taken up to its last whole hit. */
static void trial_take(const trial *taken, content_cursor *cursor, int is_cut, hits_reading *reading, mprof_clock *end)
{
	if (is_cut && taken->fits)
		cursor->position = taken->reading.list_end;
	else
		*cursor = taken->cursor;
	*reading = taken->reading;
	*end = taken->end;
}

void hits_take(content_cursor *cursor, const dialect_rules *rules, hits_form known_form, const known_ids *known,
	       int is_cut, hits_reading *reading, mprof_clock *end)
{
	/* The likelier form first, if nothing else decides between them. */
	const hits_form forms[2] = {rules->has_sample_counts ? HITS_FORM_TWO_BITS : HITS_FORM_CHAINED,
				    HITS_FORM_COUNTED};
	const int first = known_form == HITS_FORM_COUNTED;
	trial trials[2];
	int taken;

	if (cursor->status != MPROF_OK)
		return;
	form_try(&trials[first], cursor, forms[first], known, is_cut);
	/* A known form that fits is taken whether or not the other one does. */
	if (known_form != HITS_FORM_NONE && trials[first].fits) {
		trial_take(&trials[first], cursor, is_cut, reading, end);
		return;
	}
	form_try(&trials[!first], cursor, forms[!first], known, is_cut);
	taken = first;
	if (trials[0].fits != trials[1].fits)
		taken = trials[1].fits;
	else if (known_form == HITS_FORM_NONE)
		taken = trials[1].fits && trials[1].knows_ids && !trials[0].knows_ids;
	trial_take(&trials[taken], cursor, is_cut, reading, end);
	reading->is_sure = trials[0].fits != trials[1].fits;
	reading->is_likely = trials[0].fits && trials[1].fits && trials[0].knows_ids != trials[1].knows_ids;
}
