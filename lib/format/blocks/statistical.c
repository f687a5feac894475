/* SPDX-License-Identifier: MIT */
/* Decodes and encodes STATISTICAL blocks, and decodes SAMPLES blocks. */
#include "format/blocks/statistical.h"

#include "format/blocks/records.h"
#include "format/values/varint.h"

#include <string.h>

/*
 * A token is a varint: a tag in the low bits and an argument in the others. The tags changed twice, and unity moved the
 * number of callers before the innermost frame. No log specifies its layout, so it is inferred from the tokens.
 */

/* The tags of a layout other than STATISTICAL_LAYOUT_NONE. */
static const statistical_tags *statistical_tags_get(statistical_layout layout)
{
	static const statistical_tags tags[] = {
		[STATISTICAL_LAYOUT_TWO_BITS] = {2,
						 {0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_LOCATION,
						  STATISTICAL_TOKEN_MODULES}},
		[STATISTICAL_LAYOUT_COUNTED] = {3,
						{0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_COUNTED,
						 STATISTICAL_TOKEN_LOCATION, 0, 0, 0, STATISTICAL_TOKEN_MODULES}},
		[STATISTICAL_LAYOUT_STACKS] = {3,
					       {0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_FUNCTION,
						STATISTICAL_TOKEN_NEW_FUNCTION, STATISTICAL_TOKEN_LOCATION,
						STATISTICAL_TOKEN_CALLERS, 0, STATISTICAL_TOKEN_MODULES}},
	};

	return &tags[layout];
}

void statistical_cursor_init(statistical_cursor *cursor, const content_cursor *content,
			     const statistical_result *result)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->content = *content;
	cursor->layout = result->layout;
	cursor->tags = statistical_tags_get(result->layout);
	cursor->is_caller_count_first = result->is_caller_count_first;
}

static void cursor_fail(statistical_cursor *cursor, size_t start, const char *what)
{
	content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, what);
}

static void start_record(statistical_item *item, uint32_t kind, uint32_t id)
{
	memset(item, 0, sizeof(*item));
	item->is_record = 1;
	record_clear(&item->record, kind);
	item->record.id = id;
}

/* Makes the item a frame: a caller if callers are left, otherwise the innermost frame of a sample. */
static void set_frame(statistical_cursor *cursor, statistical_item *item, uint32_t flags, uint64_t id, uint64_t value)
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

/* Starts a list of callers. In unity the list may be shorter than its count: Unity's writer counts one too many. */
static void start_callers(statistical_cursor *cursor, size_t start, uint64_t count)
{
	if (!cursor->is_truncated && count > cursor->content.length - cursor->content.position)
		cursor_fail(cursor, start, "call stack has more frames than the block has bytes");
	else if (!cursor->is_caller_count_first && (!cursor->has_leaf || cursor->callers_left > 0))
		cursor_fail(cursor, start, "caller count without a sample before it");
	cursor->has_leaf = !cursor->is_caller_count_first;
	cursor->callers_left = count;
}

/* Decodes the definition of a function. Its sample is the next item. */
static void decode_function_token(statistical_cursor *cursor, statistical_item *item, size_t start, uint32_t id,
				  uint32_t module)
{
	start_record(item, MPROF_RECORD_FUNCTION, id);
	item->record.as.function.module = module != STATISTICAL_NO_MODULE ? module : 0;
	item->record.as.function.name = content_cursor_string(&cursor->content, NULL);
	if (id == 0)
		cursor_fail(cursor, start, "function ID is 0");
	cursor->has_pending = 1;
	cursor->pending_function = id;
}

/* Decodes the fields of a token that counts the samples of a function. A count of 0 means that its name comes next. */
static void decode_counted(statistical_cursor *cursor, statistical_item *item, size_t start, uint32_t id)
{
	uint64_t count = content_cursor_varint(&cursor->content);

	if (count == 0) {
		decode_function_token(cursor, item, start, id, 0);
		cursor->pending_samples = content_cursor_varint(&cursor->content);
		cursor->has_pending = cursor->pending_samples > 0;
		return;
	}
	set_frame(cursor, item, MPROF_EVENT_FLAG_NATIVE, id, 0);
	item->samples = count;
}

static void decode_location_token(statistical_cursor *cursor, statistical_item *item, uint32_t module)
{
	uint64_t value = content_cursor_varint(&cursor->content);

	set_frame(cursor, item, MPROF_EVENT_FLAG_NATIVE | (module != 0 ? MPROF_EVENT_FLAG_IN_MODULE : 0), module,
		  value);
}

/* Decodes the token 0, which ends the list. */
static void decode_token_end(statistical_cursor *cursor, size_t start)
{
	if (cursor->callers_left > 0 && !cursor->is_caller_count_first)
		cursor_fail(cursor, start, "list of samples ends inside a call stack");
	cursor->at_end = 1;
}

/* Decodes the rest of a token with its fields. Returns 1 if it yields an item. */
static int decode_argument(statistical_cursor *cursor, statistical_item *item, size_t start, statistical_token type,
			   uint32_t argument)
{
	if (argument == 0 && (type == STATISTICAL_TOKEN_FUNCTION || type == STATISTICAL_TOKEN_COUNTED))
		cursor_fail(cursor, start, "function ID is 0");
	switch (type) {
	case STATISTICAL_TOKEN_METHOD:
		set_frame(cursor, item, 0, argument, 0);
		return 1;
	case STATISTICAL_TOKEN_FUNCTION:
		set_frame(cursor, item, MPROF_EVENT_FLAG_NATIVE, argument, 0);
		return 1;
	case STATISTICAL_TOKEN_NEW_FUNCTION:
		decode_function_token(cursor, item, start, content_cursor_id(&cursor->content), argument);
		return 1;
	case STATISTICAL_TOKEN_COUNTED:
		decode_counted(cursor, item, start, argument);
		return 1;
	case STATISTICAL_TOKEN_LOCATION:
		decode_location_token(cursor, item, argument);
		return 1;
	case STATISTICAL_TOKEN_CALLERS:
		start_callers(cursor, start, argument);
		return 0;
	case STATISTICAL_TOKEN_MODULES:
		if (argument != 0)
			cursor_fail(cursor, start, "unknown type of sample token");
		cursor->in_removed = 1;
		return 0;
	default:
		cursor_fail(cursor, start, "unknown type of sample token");
		return 0;
	}
}

/* Decodes a token with its fields. Returns 1 if it yields an item. */
static int decode_token(statistical_cursor *cursor, statistical_item *item)
{
	const statistical_tags *tags = cursor->tags;
	size_t start = cursor->content.position;
	uint64_t token = content_cursor_varint(&cursor->content);
	uint64_t argument = token >> tags->bits;

	if (cursor->content.status != MPROF_OK)
		return 0;
	if (token == 0) {
		decode_token_end(cursor, start);
		return 0;
	}
	if (argument > UINT32_MAX)
		cursor_fail(cursor, start, "ID exceeds 32 bits");
	return decode_argument(cursor, item, start, (statistical_token)tags->tokens[token & ((1U << tags->bits) - 1)],
			       (uint32_t)argument);
}

/* Decodes an entry of a list of modules. Returns 1 if it yields an item; the end of the list does not. */
static int decode_module_token(statistical_cursor *cursor, statistical_item *item)
{
	content_cursor *content = &cursor->content;
	uint32_t id = content_cursor_id(content);

	if (id == 0) {
		cursor->in_modules = cursor->in_removed && content->status == MPROF_OK;
		cursor->in_removed = 0;
		return 0;
	}
	start_record(item, MPROF_RECORD_MODULE, id);
	if (cursor->in_removed) {
		item->record.as.module.is_removed = 1;
		return 1;
	}
	item->record.as.module.address = content_cursor_varint(content);
	item->record.as.module.size = content_cursor_varint(content);
	item->record.as.module.file_offset = content_cursor_varint(content);
	item->record.as.module.file = content_cursor_string(content, NULL);
	return id != STATISTICAL_NO_MODULE;
}

int statistical_cursor_next(statistical_cursor *cursor, statistical_item *item)
{
	int has_item = 0;

	while (!has_item && !cursor->at_end && cursor->content.status == MPROF_OK) {
		if (cursor->has_pending) {
			set_frame(cursor, item, MPROF_EVENT_FLAG_NATIVE, cursor->pending_function, 0);
			item->samples = cursor->pending_samples;
			cursor->has_pending = 0;
			cursor->pending_samples = 0;
			has_item = 1;
		} else if (cursor->in_removed || cursor->in_modules) {
			has_item = decode_module_token(cursor, item);
		} else {
			has_item = decode_token(cursor, item);
		}
	}
	return has_item && cursor->content.status == MPROF_OK;
}

/* The result of decoding the block in one of the layouts. */
typedef struct candidate {
	content_cursor cursor; /* After the decoded content, or at the fault. */
	statistical_result result;
	mprof_clock end;
	int fits;
	int has_known_ids; /* All IDs that frames refer to are defined. */
} candidate;

/* Adds the ID of a definition to the known IDs, or clears candidate::has_known_ids if a frame refers to a higher ID. */
static void candidate_add_item(candidate *candidate, const statistical_item *item)
{
	known_ids *known = &candidate->result.known;
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
	candidate->has_known_ids &= item->event.id <= highest;
}

/* A block of unity can start with a number of callers; one of mono cannot. */
static int starts_with_callers(content_cursor cursor, statistical_layout layout)
{
	const statistical_tags *tags = statistical_tags_get(layout);

	return tags->tokens[content_cursor_varint(&cursor) & ((1U << tags->bits) - 1)] == STATISTICAL_TOKEN_CALLERS;
}

/*
 * Returns the offset up to which all samples are complete, after the decoding of an item whose first token is at
 * \p start. A sample with callers is complete after the last of them; in mono, only the next sample shows that a sample
 * has no callers.
 */
static size_t complete_end(const statistical_cursor *cursor, const statistical_item *item, size_t start,
			   size_t previous_end)
{
	if (cursor->layout != STATISTICAL_LAYOUT_STACKS)
		return cursor->has_pending ? previous_end : cursor->content.position;
	if (item->is_record)
		return previous_end;
	if (cursor->callers_left == 0 &&
	    (cursor->is_caller_count_first || (item->event.flags & MPROF_EVENT_FLAG_CALLER) != 0))
		return cursor->content.position;
	return (item->event.flags & MPROF_EVENT_FLAG_CALLER) == 0 ? start : previous_end;
}

static void decode_candidate_tokens(candidate *candidate, statistical_cursor *tokens)
{
	size_t start = tokens->content.position;
	statistical_item item;

	candidate->result.list_end = start;
	while (statistical_cursor_next(tokens, &item)) {
		candidate_add_item(candidate, &item);
		candidate->result.list_end = complete_end(tokens, &item, start, candidate->result.list_end);
		/* The definition of a function is a part of the sample that is the next item. */
		if (!tokens->has_pending)
			start = tokens->content.position;
	}
	if (tokens->at_end)
		candidate->result.list_end = tokens->content.position;
}

static void decode_token_candidate(candidate *candidate, const content_cursor *cursor, statistical_layout layout,
				   const known_ids *known, int is_truncated)
{
	statistical_cursor tokens;

	memset(candidate, 0, sizeof(*candidate));
	candidate->result.layout = layout;
	candidate->result.known = *known;
	candidate->result.is_caller_count_first = starts_with_callers(*cursor, layout);
	candidate->has_known_ids = 1;
	statistical_cursor_init(&tokens, cursor, &candidate->result);
	tokens.is_truncated = is_truncated;
	decode_candidate_tokens(candidate, &tokens);
	candidate->cursor = tokens.content;
	content_cursor_clock(&candidate->cursor, &candidate->end);
	candidate->fits =
		content_cursor_finish(&candidate->cursor) == MPROF_OK || (is_truncated && candidate->cursor.ran_out);
}

/* Returns the result of a candidate. Truncated content ends after its last complete sample. */
static void candidate_accept(const candidate *accepted, content_cursor *cursor, int is_truncated,
			     statistical_result *result, mprof_clock *end)
{
	if (is_truncated && accepted->fits)
		cursor->position = accepted->result.list_end;
	else
		*cursor = accepted->cursor;
	*result = accepted->result;
	*end = accepted->end;
}

void statistical_decode(content_cursor *cursor, const dialect_rules *rules, statistical_layout known_layout,
			const known_ids *known, int is_truncated, statistical_result *result, mprof_clock *end)
{
	/* The likelier layout is first: it is chosen if nothing else decides. */
	const statistical_layout layouts[2] = {rules->has_sample_counts ? STATISTICAL_LAYOUT_TWO_BITS
									: STATISTICAL_LAYOUT_STACKS,
					       STATISTICAL_LAYOUT_COUNTED};
	const int first = known_layout == STATISTICAL_LAYOUT_COUNTED;
	candidate candidates[2];
	int best;

	if (cursor->status != MPROF_OK)
		return;
	decode_token_candidate(&candidates[first], cursor, layouts[first], known, is_truncated);
	/* A known layout that fits is accepted even if the other one fits, too. */
	if (known_layout != STATISTICAL_LAYOUT_NONE && candidates[first].fits) {
		candidate_accept(&candidates[first], cursor, is_truncated, result, end);
		return;
	}
	decode_token_candidate(&candidates[!first], cursor, layouts[!first], known, is_truncated);
	best = first;
	if (candidates[0].fits != candidates[1].fits)
		best = candidates[1].fits;
	else if (known_layout == STATISTICAL_LAYOUT_NONE)
		best = candidates[1].fits && candidates[1].has_known_ids && !candidates[0].has_known_ids;
	candidate_accept(&candidates[best], cursor, is_truncated, result, end);
	result->is_sure = candidates[0].fits != candidates[1].fits;
	result->is_likely =
		candidates[0].fits && candidates[1].fits && candidates[0].has_known_ids != candidates[1].has_known_ids;
}

void statistical_encoder_init(statistical_encoder *encoder, encode_buffer *buffer, const dialect_rules *rules)
{
	const statistical_tags *tags =
		statistical_tags_get(rules->has_sample_counts ? STATISTICAL_LAYOUT_COUNTED : STATISTICAL_LAYOUT_STACKS);

	memset(encoder, 0, sizeof(*encoder));
	encoder->buffer = buffer;
	encoder->bits = tags->bits;
	for (uint32_t tag = 1; tag < STATISTICAL_MAX_TAGS; tag++)
		encoder->tags[tags->tokens[tag]] = (uint8_t)tag;
}

static void put_token(statistical_encoder *encoder, statistical_token token, uint64_t argument)
{
	encode_varint(encoder->buffer, argument << encoder->bits | encoder->tags[token]);
}

static void put_text(statistical_encoder *encoder, const char *text)
{
	encode_string(encoder->buffer, text, strlen(text));
}

/* Original readers decode these as numbers of 32 bits. */
static void put_clamped_to_32_bits(statistical_encoder *encoder, uint64_t number)
{
	encode_varint(encoder->buffer, number < UINT32_MAX ? number : UINT32_MAX);
}

void statistical_encode_begin(statistical_encoder *encoder, const block_encoding *encoding, const mprof_clock *start)
{
	block_encode_begin(encoder->buffer, encoding, MPROF_BLOCK_STATISTICAL);
	encode_clock(encoder->buffer, start);
}

void statistical_encode_end(statistical_encoder *encoder, const mprof_clock *end)
{
	encode_varint(encoder->buffer, 0);
	encode_clock(encoder->buffer, end);
}

void statistical_encode_method(statistical_encoder *encoder, uint32_t method)
{
	put_token(encoder, STATISTICAL_TOKEN_METHOD, method);
}

void statistical_encode_function(statistical_encoder *encoder, uint32_t function)
{
	put_token(encoder, STATISTICAL_TOKEN_FUNCTION, function);
}

void statistical_encode_new_function(statistical_encoder *encoder, uint32_t module, uint32_t function, const char *name)
{
	put_token(encoder, STATISTICAL_TOKEN_NEW_FUNCTION, module);
	encode_varint(encoder->buffer, function);
	put_text(encoder, name);
}

void statistical_encode_counted(statistical_encoder *encoder, uint32_t function, const char *name, uint64_t samples)
{
	put_token(encoder, STATISTICAL_TOKEN_COUNTED, function);
	if (name != NULL) {
		encode_varint(encoder->buffer, 0);
		put_text(encoder, name);
	}
	put_clamped_to_32_bits(encoder, samples);
}

void statistical_encode_location(statistical_encoder *encoder, uint32_t module, uint64_t value)
{
	put_token(encoder, STATISTICAL_TOKEN_LOCATION, module);
	encode_varint(encoder->buffer, value);
}

void statistical_encode_callers(statistical_encoder *encoder, size_t callers)
{
	put_token(encoder, STATISTICAL_TOKEN_CALLERS, callers);
}

void statistical_encode_modules_begin(statistical_encoder *encoder)
{
	put_token(encoder, STATISTICAL_TOKEN_MODULES, 0);
	encode_varint(encoder->buffer, 0);
}

void statistical_encode_module(statistical_encoder *encoder, const mprof_record *module)
{
	encode_varint(encoder->buffer, module->id);
	encode_varint(encoder->buffer, module->as.module.address);
	put_clamped_to_32_bits(encoder, module->as.module.size);
	put_clamped_to_32_bits(encoder, module->as.module.file_offset);
	put_text(encoder, module->as.module.file);
}

void statistical_encode_modules_end(statistical_encoder *encoder)
{
	encode_varint(encoder->buffer, 0);
}

static void store_sample_event(mprof_event *event, uint64_t stack, uint64_t counter)
{
	memset(event, 0, sizeof(*event));
	event->kind = MPROF_EVENT_SAMPLE;
	event->counter = counter;
	event->value = stack;
}

/* Returns why no varint can be decoded at the cursor. */
static samples_decode_result varint_fault(const uint8_t *cursor, const uint8_t *limit)
{
	uint64_t value;

	return varint_decode(cursor, (size_t)(limit - cursor), &value) == 0 ? SAMPLES_DECODE_TRUNCATED
									    : SAMPLES_DECODE_BAD_VARINT;
}

/* Decodes a sample and advances \p position past it, or to the fault. */
static samples_decode_result decode_sample(const uint8_t **position, const uint8_t *limit, uint64_t *stack,
					   uint64_t *time)
{
	const uint8_t *next = varint_get(*position, limit, stack);

	if (next == NULL)
		return varint_fault(*position, limit);
	if (*stack == 0)
		return SAMPLES_DECODE_LIST_END;
	if (*stack > UINT32_MAX)
		return SAMPLES_DECODE_BAD_ID;
	*position = next;
	next = varint_get(next, limit, time);
	if (next == NULL)
		return varint_fault(*position, limit);
	*position = next;
	return SAMPLES_DECODE_DONE;
}

samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *cursor = state->bytes + state->position;
	samples_decode_result result = SAMPLES_DECODE_DONE;

	*count = 0;
	while (cursor < limit && *count < capacity) {
		const uint8_t *next = cursor;
		uint64_t stack;
		uint64_t time;

		result = decode_sample(&next, limit, &stack, &time);
		if (result != SAMPLES_DECODE_DONE) {
			state->fault = (size_t)(next - state->bytes);
			break;
		}
		cursor = next;
		state->counter += time;
		store_sample_event(&events[(*count)++], stack, state->counter);
	}
	if (result == SAMPLES_DECODE_DONE && cursor < limit)
		result = SAMPLES_DECODE_FULL;
	state->position = (size_t)(cursor - state->bytes);
	return result;
}

/*
 * Decodes and encodes the list of a TYPED block (doc/format.md, 3.33): events of types in no order of time.
 */

/* Decodes a varint and advances \p cursor past it. */
static typed_decode_result get_number(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	const int found = varint_read(cursor, limit, value);

	return found > 0 ? TYPED_DECODE_DONE : found == 0 ? TYPED_DECODE_TRUNCATED : TYPED_DECODE_BAD_VARINT;
}

/* Decodes an event and advances \p cursor past it, or to the fault. */
static typed_decode_result get_event(const uint8_t **cursor, const uint8_t *limit, uint64_t *counter,
				     mprof_event *event, mprof_event_detail *detail)
{
	uint64_t type = 0;
	uint64_t time = 0;
	uint64_t length = 0;
	const uint8_t *next = *cursor;
	const uint8_t *arguments;
	typed_decode_result result = get_number(&next, limit, &type);

	if (result == TYPED_DECODE_DONE && type == 0)
		return TYPED_DECODE_LIST_END;
	if (result == TYPED_DECODE_DONE && type > UINT32_MAX)
		return TYPED_DECODE_BAD_ID;
	*cursor = next;
	if (result == TYPED_DECODE_DONE)
		result = get_number(&next, limit, &length);
	if (result != TYPED_DECODE_DONE)
		return result;
	if (length > MPROF_ARGUMENTS_MAX_SIZE)
		return TYPED_DECODE_TOO_LONG;
	if (length > (uint64_t)(limit - next))
		return TYPED_DECODE_TRUNCATED;
	arguments = next;
	*cursor = next + length;
	result = get_number(cursor, limit, &time);
	if (result != TYPED_DECODE_DONE)
		return result;
	*counter += zigzag_unfold(time);
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->arguments = arguments;
	detail->argument_size = (size_t)length;
	event->kind = MPROF_EVENT_TYPED;
	event->id = (uint32_t)type;
	event->counter = *counter;
	event->more.detail = detail;
	return TYPED_DECODE_DONE;
}

typed_decode_result typed_decode(typed_decode_state *state, mprof_event *events, mprof_event_detail *details,
				 size_t capacity, size_t *count)
{
	const uint8_t *limit = state->bytes + state->length;
	const uint8_t *cursor = state->bytes + state->position;
	typed_decode_result result = TYPED_DECODE_DONE;

	*count = 0;
	while (cursor < limit && *count < capacity) {
		const uint8_t *next = cursor;

		result = get_event(&next, limit, &state->counter, &events[*count], &details[*count]);
		if (result != TYPED_DECODE_DONE) {
			state->fault = (size_t)(next - state->bytes);
			break;
		}
		cursor = next;
		++*count;
	}
	if (result == TYPED_DECODE_DONE && cursor < limit)
		result = TYPED_DECODE_FULL;
	state->position = (size_t)(cursor - state->bytes);
	return result;
}

void typed_encode(encode_buffer *buffer, const mprof_event *event, const mprof_event_detail *detail,
		  uint64_t *last_counter)
{
	encode_varint(buffer, event->id);
	encode_varint(buffer, detail->argument_size);
	if (detail->argument_size > 0)
		encode_bytes(buffer, detail->arguments, detail->argument_size);
	encode_varint(buffer, zigzag_fold(event->counter - *last_counter));
	*last_counter = event->counter;
}
