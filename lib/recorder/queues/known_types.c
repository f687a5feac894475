/* SPDX-License-Identifier: MIT */
/*
 * Assigns IDs to texts, arguments and types of events, to ranges of code and to clocks, and converts values of clocks
 * to counters.
 */
#include "recorder/queues/known_types.h"

#include "base/allocator.h"

#include <string.h>

static uint64_t hash_text(const known_types *types, const char *text, size_t length)
{
	uint64_t hash = types->text_index.seed;

	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (unsigned char)text[i]);
	return hash_key(hash, length);
}

static uint64_t text_slot_hash(const void *owner, const void *slot)
{
	return ((const known_types *)owner)->texts[*(const uint32_t *)slot - 1].hash;
}

static int text_slot_matches(const void *owner, const void *slot, const void *key)
{
	const uint32_t position = *(const uint32_t *)slot;
	const known_text *wanted = key;
	const known_text *text;

	if (position == 0)
		return 0;
	text = &((const known_types *)owner)->texts[position - 1];
	return text->hash == wanted->hash && text->length == wanted->length &&
	       (text->length == 0 || memcmp(text->text, wanted->text, text->length) == 0);
}

static const hash_index_type text_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = text_slot_hash,
};

int known_types_init(known_types *types, const mprof_allocator *allocator)
{
	types->allocator = *allocator;
	hash_index_init(&types->text_index, allocator);
	return pthread_mutex_init(&types->lock, NULL) == 0;
}

static size_t type_size(uint32_t argument_count)
{
	return sizeof(known_type) + argument_count;
}

void known_types_destroy(known_types *types)
{
	const mprof_allocator *allocator = &types->allocator;

	for (uint32_t id = 1; id <= types->counts[KNOWN_TYPE]; id++) {
		known_type *type = (known_type *)(uintptr_t)known_types_find(types, id);

		allocator_release(allocator, type, type_size(type->argument_count));
	}
	for (size_t i = 0; i < KNOWN_TABLE_COUNT; i++)
		allocator_release(allocator, atomic_load_explicit(&types->tables[i], memory_order_relaxed),
				  KNOWN_TABLE_LENGTH * sizeof(**types->tables));
	for (uint32_t i = 0; i < types->counts[KNOWN_TEXT]; i++)
		allocator_release(allocator, types->texts[i].text, types->texts[i].length + 1);
	allocator_release(allocator, types->texts, types->text_capacity * sizeof(*types->texts));
	hash_index_destroy(&types->text_index, &text_slots);
	allocator_release(allocator, types->arguments, types->argument_capacity);
	pthread_mutex_destroy(&types->lock);
}

/* The slot of a text that is defined, or NULL. */
static const uint32_t *find_text(const known_types *types, const known_text *text)
{
	return hash_index_find(&types->text_index, &text_slots, text->hash, text_slot_matches, types, text);
}

uint32_t known_types_find_text(known_types *types, const char *text, size_t length)
{
	const known_text wanted = {(char *)(uintptr_t)text, length, hash_text(types, text, length)};
	const uint32_t *slot;
	uint32_t id;

	pthread_mutex_lock(&types->lock);
	slot = find_text(types, &wanted);
	id = slot != NULL ? *slot : 0;
	pthread_mutex_unlock(&types->lock);
	return id;
}

/* Adds a text. Its ID is its position + 1. Holds the lock. */
static mprof_status add_text(known_types *types, const message *definition)
{
	known_text added = {(char *)(uintptr_t)definition->name, definition->name_length, 0};
	void *texts = types->texts;
	const uint32_t *known;
	int is_reserved;

	added.hash = hash_text(types, added.text, added.length);
	known = find_text(types, &added);
	if (known != NULL)
		return MPROF_ERR_REDEFINED_ID;
	is_reserved = array_reserve(&types->allocator, &texts, &types->text_capacity, types->counts[KNOWN_TEXT] + 1,
				    sizeof(*types->texts));
	types->texts = texts;
	if (!is_reserved || !hash_index_reserve(&types->text_index, &text_slots, types))
		return MPROF_ERR_MEMORY;
	added.text = allocator_allocate(&types->allocator, added.length + 1);
	if (added.text == NULL)
		return MPROF_ERR_MEMORY;
	memcpy(added.text, definition->name, added.length + 1);
	types->texts[types->counts[KNOWN_TEXT]] = added;
	*(uint32_t *)hash_index_take_slot(&types->text_index, &text_slots, added.hash) = types->counts[KNOWN_TEXT] + 1;
	return MPROF_OK;
}

static known_sample_role sample_role(const mprof_argument_record *argument)
{
	if (argument->encoding != MPROF_ENCODING_UNSIGNED)
		return KNOWN_SAMPLE_END;
	switch (argument->role) {
	case MPROF_ROLE_THREAD:
		return KNOWN_SAMPLE_THREAD;
	case MPROF_ROLE_STACK:
		return KNOWN_SAMPLE_STACK;
	case MPROF_ROLE_WEIGHT:
		return KNOWN_SAMPLE_WEIGHT;
	case MPROF_ROLE_CPU:
		return KNOWN_SAMPLE_CPU;
	case MPROF_ROLE_MODE:
		return KNOWN_SAMPLE_MODE;
	default:
		return KNOWN_SAMPLE_END;
	}
}

static uint8_t describe_argument(const mprof_argument_record *argument)
{
	uint8_t known = (uint8_t)(argument->encoding | (uint32_t)sample_role(argument) << KNOWN_SAMPLE_SHIFT);

	if (argument->encoding == MPROF_ENCODING_BYTES)
		return argument->kind == MPROF_ARGUMENT_TEXT ? known | KNOWN_IS_TEXT : known;
	if (argument->kind == MPROF_ARGUMENT_DURATION)
		known |= KNOWN_IS_DURATION;
	return argument->role == MPROF_ROLE_DURATION ? known | KNOWN_IS_SPAN : known;
}

/* Adds arguments with consecutive IDs. Holds the lock. */
static mprof_status add_arguments(known_types *types, const message *definition)
{
	const uint32_t before = types->counts[KNOWN_ARGUMENT];
	const size_t count = definition->more.arguments.count;

	void *arguments = types->arguments;
	int is_reserved = array_reserve(&types->allocator, &arguments, &types->argument_capacity, before + count,
					sizeof(uint8_t));

	types->arguments = arguments;
	if (!is_reserved)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < count; i++)
		types->arguments[before + i] = describe_argument(&definition->more.arguments.list[i]);
	return MPROF_OK;
}

static int type_is_defined(const known_types *types, const mprof_type_record *type)
{
	const uint32_t arguments = types->counts[KNOWN_ARGUMENT];

	if (type->argument_count > 0 && (type->first_argument == 0 || type->first_argument > arguments ||
					 type->argument_count - 1 > arguments - type->first_argument))
		return 0;
	return type->category <= types->counts[KNOWN_TEXT] && type->pair <= types->counts[KNOWN_TYPE];
}

/* The layout of a kind of samples; 0 if it has an argument that a sample has no value for. */
static uint32_t sample_layout(const known_type *type)
{
	uint32_t layout = KNOWN_IS_SAMPLE;

	if (type->argument_count > KNOWN_SAMPLE_ARGUMENTS)
		return 0;
	for (uint32_t i = 0; i < type->argument_count; i++) {
		const uint32_t role = type->arguments[i] >> KNOWN_SAMPLE_SHIFT;

		if (role == KNOWN_SAMPLE_END)
			return 0;
		layout |= role << (i * KNOWN_SAMPLE_BITS);
	}
	return layout;
}

/* The table for the next type, or NULL without memory. */
static _Atomic(known_type *) *reserve_table(known_types *types)
{
	_Atomic(_Atomic(known_type *) *) *table = &types->tables[types->counts[KNOWN_TYPE] / KNOWN_TABLE_LENGTH];
	_Atomic(known_type *) *reserved = atomic_load_explicit(table, memory_order_relaxed);

	if (reserved != NULL)
		return reserved;
	reserved = allocator_allocate_zeroed(&types->allocator, KNOWN_TABLE_LENGTH * sizeof(*reserved));
	/* Release: pairs with the acquire in known_types_find(), as below. */
	atomic_store_explicit(table, reserved, memory_order_release);
	return reserved;
}

/* Publishes a type. Holds the lock. */
static mprof_status add_type(known_types *types, const message *definition)
{
	const mprof_type_record *record = &definition->more.type;
	const uint32_t count = record->argument_count;
	_Atomic(known_type *) *table;
	known_type *added;

	if (!type_is_defined(types, record))
		return MPROF_ERR_UNDEFINED_ID;
	table = reserve_table(types);
	added = table != NULL ? allocator_allocate(&types->allocator, type_size(count)) : NULL;
	if (added == NULL)
		return MPROF_ERR_MEMORY;
	*added = (known_type){count, KNOWN_NO_DURATION, 0, 0};
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t index = record->first_argument - 1 + i;

		added->arguments[i] = types->arguments[index];
		added->has_bytes |= (types->arguments[index] & KNOWN_ENCODING_MASK) == MPROF_ENCODING_BYTES;
		if ((types->arguments[index] & KNOWN_IS_SPAN) != 0 && added->duration == KNOWN_NO_DURATION)
			added->duration = i;
	}
	if (record->form == MPROF_TYPE_SAMPLE)
		added->sample_layout = sample_layout(added);
	atomic_store_explicit(&table[types->counts[KNOWN_TYPE] % KNOWN_TABLE_LENGTH], added, memory_order_release);
	return MPROF_OK;
}

/* Adds a definition, whose ID follows the last one. Holds the lock. */
static mprof_status add(known_types *types, const message *definition, known_kind *kind)
{
	const size_t more = definition->kind == MESSAGE_DEFINE_ARGUMENTS ? definition->more.arguments.count : 1;

	*kind = definition->kind == MESSAGE_DEFINE_TEXT        ? KNOWN_TEXT
		: definition->kind == MESSAGE_DEFINE_ARGUMENTS ? KNOWN_ARGUMENT
		: definition->kind == MESSAGE_DEFINE_CODE      ? KNOWN_CODE
							       : KNOWN_TYPE;
	if (*kind == KNOWN_CODE)
		return types->counts[KNOWN_CODE] == UINT32_MAX ? MPROF_ERR_LIMIT : MPROF_OK;
	if (more > MPROF_RECORDED_DEFINITIONS_MAX - types->counts[*kind])
		return MPROF_ERR_LIMIT;
	if (*kind == KNOWN_TEXT)
		return add_text(types, definition);
	return *kind == KNOWN_ARGUMENT ? add_arguments(types, definition) : add_type(types, definition);
}

mprof_status known_types_define(known_types *types, message_queue *messages, message *definition, uint32_t *id)
{
	mprof_status status;
	known_kind kind;

	pthread_mutex_lock(&types->lock);
	status = add(types, definition, &kind);
	if (status == MPROF_OK) {
		definition->id = types->counts[kind] + 1;
		*id = definition->id;
		if (kind == KNOWN_CODE)
			definition->more.record.id = *id;
		types->counts[kind] +=
			kind == KNOWN_ARGUMENT ? (uint32_t)definition->more.arguments.count : UINT32_C(1);
		message_queue_push(messages, definition);
	}
	pthread_mutex_unlock(&types->lock);
	return status;
}

int known_types_has_code(known_types *types, uint32_t id)
{
	int is_known;

	pthread_mutex_lock(&types->lock);
	is_known = id != 0 && id <= types->counts[KNOWN_CODE];
	pthread_mutex_unlock(&types->lock);
	return is_known;
}

/*
 * Clocks.
 */

/* How many pairs of a clock are kept: the first one, and the latest. */
#define KNOWN_CLOCK_PAIRS 4096

int known_clocks_init(known_clocks *clocks, const mprof_allocator *allocator)
{
	clocks->allocator = *allocator;
	clocks->count = MPROF_CLOCK_LOG;
	return pthread_mutex_init(&clocks->lock, NULL) == 0;
}

void known_clocks_destroy(known_clocks *clocks)
{
	for (uint32_t i = MPROF_CLOCK_LOG; i < clocks->count; i++) {
		known_clock *clock = clocks->clocks[i];

		allocator_release(&clocks->allocator, clock->pairs, clock->capacity * sizeof(*clock->pairs));
		allocator_release(&clocks->allocator, clock, sizeof(*clock));
	}
	pthread_mutex_destroy(&clocks->lock);
}

mprof_status known_clocks_define(known_clocks *clocks, message_queue *messages, message *definition, uint32_t *id)
{
	const mprof_clock_record *record = &definition->more.record.as.clock;
	known_clock *added = allocator_allocate_zeroed(&clocks->allocator, sizeof(*added));

	if (added == NULL)
		return MPROF_ERR_MEMORY;
	added->rate = (clock_ratio){record->numerator, record->denominator};
	pthread_mutex_lock(&clocks->lock);
	if (clocks->count == MPROF_RECORDED_CLOCKS_MAX) {
		pthread_mutex_unlock(&clocks->lock);
		allocator_release(&clocks->allocator, added, sizeof(*added));
		return MPROF_ERR_LIMIT;
	}
	clocks->clocks[clocks->count++] = added;
	*id = clocks->count;
	definition->more.record.id = clocks->count;
	message_queue_push(messages, definition);
	pthread_mutex_unlock(&clocks->lock);
	return MPROF_OK;
}

/* A clock of the client, or NULL. Holds the lock. */
static known_clock *find_clock(known_clocks *clocks, uint32_t id)
{
	return id > MPROF_CLOCK_LOG && id <= clocks->count ? clocks->clocks[id - 1] : NULL;
}

/* Holds the lock. */
static mprof_status add_pair(known_clocks *clocks, known_clock *clock, const mprof_clock_pair_record *pair)
{
	void *pairs = clock->pairs;
	int has_room;

	if (clock->count > 0 && (pair->value < clock->pairs[clock->count - 1].value ||
				 pair->counter < clock->pairs[clock->count - 1].counter))
		return MPROF_ERR_ARGUMENT;
	if (clock->count == KNOWN_CLOCK_PAIRS) {
		/* The first pair stays, for the slope over all the time. */
		memmove(&clock->pairs[1], &clock->pairs[clock->count / 2],
			(clock->count - clock->count / 2) * sizeof(*clock->pairs));
		clock->count -= clock->count / 2 - 1;
	}
	has_room = array_reserve(&clocks->allocator, &pairs, &clock->capacity, clock->count + 1, sizeof(*clock->pairs));
	clock->pairs = pairs;
	if (!has_room)
		return MPROF_ERR_MEMORY;
	clock->pairs[clock->count++] = *pair;
	return MPROF_OK;
}

mprof_status known_clocks_add_pair(known_clocks *clocks, message_queue *messages, message *pair)
{
	known_clock *clock;
	mprof_status status = MPROF_ERR_UNDEFINED_ID;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, pair->more.record.id);
	if (clock != NULL)
		status = add_pair(clocks, clock, &pair->more.record.as.clock_pair);
	/* Under the lock, so that the log has them in this order. */
	if (status == MPROF_OK)
		message_queue_push(messages, pair);
	pthread_mutex_unlock(&clocks->lock);
	return status;
}

int known_clocks_has(known_clocks *clocks, uint32_t id)
{
	int is_defined;

	pthread_mutex_lock(&clocks->lock);
	is_defined = find_clock(clocks, id) != NULL;
	pthread_mutex_unlock(&clocks->lock);
	return is_defined;
}

int known_clocks_need_rate(known_clocks *clocks, uint32_t id, uint64_t value)
{
	const known_clock *clock;
	int needs_rate = 0;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, id);
	if (clock != NULL && clock->count > 0 && clock->rate.numerator != 0 && clock->rate.denominator != 0)
		needs_rate = (value < clock->pairs[0].value || value > clock->pairs[clock->count - 1].value) &&
			     !clock_slope_is_close(&clock->pairs[0], &clock->pairs[clock->count - 1]);
	pthread_mutex_unlock(&clocks->lock);
	return needs_rate;
}

mprof_status known_clocks_convert(known_clocks *clocks, uint32_t id, const clock_ratio *counters, uint64_t value,
				  uint64_t *counter)
{
	static const mprof_status statuses[] = {[CLOCK_CONVERTED] = MPROF_OK,
						[CLOCK_UNKNOWN] = MPROF_ERR_STATE,
						[CLOCK_OUT_OF_RANGE] = MPROF_ERR_ARGUMENT};
	mprof_status status = MPROF_ERR_UNDEFINED_ID;
	const known_clock *clock;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, id);
	if (clock != NULL) {
		const clock_ratio stated = clock_ratio_of(counters, &clock->rate);

		status = statuses[clock_convert(clock->pairs, clock->count, &stated, value, counter)];
	}
	pthread_mutex_unlock(&clocks->lock);
	return status;
}
