/* SPDX-License-Identifier: MIT */
/* Counts samples of kinds. */
#include "model/records/sample_kinds.h"

#include "base/checked.h"
#include "format/blocks/records.h"
#include "model/records/lists.h"

#include <string.h>

/* How an argument is read. */
typedef struct kind_argument {
	uint8_t encoding;
	uint8_t role;
} kind_argument;

/* What the arguments of a sample state. */
typedef struct sample_facts {
	uint64_t thread;
	uint64_t stack;
	uint64_t weight;
	uint64_t cpu;
	uint64_t mode;
	int has_weight; /* The weight is a number that is not negative. */
} sample_facts;

void sample_kinds_init(sample_kinds *all, memory_budget *budget, int has_locations)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	all->has_locations = has_locations;
	record_table_init(&all->kinds, &budget->allocator, sizeof(sample_kind));
	hash_index_init(&all->numbers, &budget->paths);
}

static uint64_t hash_of(const sample_kinds *all, const sample_group *group)
{
	const uint64_t seed = all->numbers.seed;

	return hash_mix(hash_mix(hash_key(seed, (uint64_t)group->type << 32 | group->cpu), group->thread), group->mode);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const sample_kinds *all = owner;

	return hash_of(all, &all->groups[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const sample_group *wanted = searched;
	const sample_group *group;

	if (position == 0)
		return 0;
	group = &((const sample_kinds *)owner)->groups[position - 1];
	return group->type == wanted->type && group->cpu == wanted->cpu && group->thread == wanted->thread &&
	       group->mode == wanted->mode;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

static void release_kind(const mprof_allocator *allocator, sample_kind *kind)
{
	text_release(allocator, kind->name);
	text_release(allocator, kind->unit_name);
	text_release(allocator, kind->source);
	allocator_release(allocator, kind->arguments, kind->argument_count * sizeof(*kind->arguments));
	if (kind->tree != NULL)
		samples_destroy(kind->tree);
	allocator_release(allocator, kind->tree, sizeof(*kind->tree));
}

void sample_kinds_destroy(sample_kinds *all)
{
	const mprof_allocator *allocator = &all->budget->allocator;

	for (size_t i = 0; i < all->kinds.count; i++)
		release_kind(allocator, record_table_at(&all->kinds, i));
	record_table_destroy(&all->kinds);
	hash_index_destroy(&all->numbers, &slots);
	allocator_release(&all->budget->paths, all->groups, all->group_capacity * sizeof(*all->groups));
}

static int lookup(const mprof_reader *reader, uint32_t kind, uint32_t id, mprof_record *record)
{
	return mprof_reader_lookup_record(reader, kind, id, record, sizeof(*record)) == MPROF_OK;
}

/* Whether the model reads an argument with a role. */
static int matters(uint32_t role)
{
	return role == MPROF_ROLE_THREAD || role == MPROF_ROLE_STACK || role == MPROF_ROLE_WEIGHT ||
	       role == MPROF_ROLE_CPU || role == MPROF_ROLE_MODE;
}

/* Finds how the arguments are read, and the unit of the weight. Returns 0 if there is no memory. */
static int read_arguments(const mprof_allocator *allocator, const mprof_reader *reader, const mprof_type_record *type,
			  sample_kind *kind)
{
	kind_argument arguments[MPROF_TYPE_MAX_ARGUMENTS];
	const char *unit_name = "";
	size_t count = 0;

	for (uint32_t i = 0; i < type->argument_count && i < MPROF_TYPE_MAX_ARGUMENTS; i++) {
		mprof_record record;
		const mprof_argument_record *argument = &record.as.argument;

		if (!lookup(reader, MPROF_RECORD_ARGUMENT, type->first_argument + i, &record))
			break;
		arguments[i].encoding = (uint8_t)argument->encoding;
		arguments[i].role = matters(argument->role) ? (uint8_t)argument->role : MPROF_ROLE_NONE;
		if (arguments[i].role != MPROF_ROLE_NONE)
			count = i + 1;
		if (argument->role == MPROF_ROLE_WEIGHT) {
			kind->unit = argument->unit;
			unit_name = argument->unit_name;
		}
	}
	kind->unit_name = text_copy(allocator, unit_name);
	if (kind->unit_name == NULL || count == 0)
		return kind->unit_name != NULL;
	kind->arguments = allocator_allocate(allocator, count * sizeof(*kind->arguments));
	if (kind->arguments == NULL)
		return 0;
	memcpy(kind->arguments, arguments, count * sizeof(*arguments));
	kind->argument_count = count;
	return 1;
}

/* Completes a new kind. Returns 0 if there is no memory. */
static int fill_kind(const sample_kinds *all, const mprof_reader *reader, sample_kind *kind)
{
	const mprof_allocator *allocator = &all->budget->allocator;
	mprof_record record;

	if (!lookup(reader, MPROF_RECORD_TYPE, kind->type, &record))
		record_clear(&record, MPROF_RECORD_TYPE);
	kind->unit = MPROF_ARGUMENT_UNIT_COUNT;
	kind->period = record.as.type.period;
	kind->name = text_copy(allocator, record.as.type.name);
	kind->source = text_copy(allocator, record.as.type.source);
	kind->tree = allocator_allocate_zeroed(allocator, sizeof(*kind->tree));
	return kind->name != NULL && kind->source != NULL && kind->tree != NULL &&
	       samples_init(kind->tree, all->budget, all->has_locations) &&
	       read_arguments(allocator, reader, &record.as.type, kind);
}

/* Finds or adds a kind. NULL if there is no memory. */
static sample_kind *get_kind(sample_kinds *all, const mprof_reader *reader, uint32_t type)
{
	sample_kind *kind = record_table_find(&all->kinds, type);
	sample_kind added = {.type = type};

	if (kind != NULL)
		return kind;
	kind = fill_kind(all, reader, &added) ? record_table_add(&all->kinds, type) : NULL;
	if (kind != NULL)
		*kind = added;
	else
		release_kind(&all->budget->allocator, &added);
	return kind;
}

/* Whether the bytes of the arguments contain a weight. */
static int take_weight(sample_facts *facts, uint8_t encoding, const mprof_argument_value *value)
{
	facts->weight = value->number;
	return encoding == MPROF_ENCODING_UNSIGNED || (encoding == MPROF_ENCODING_SIGNED && value->number <= INT64_MAX);
}

static void read_facts(sample_facts *facts, const sample_kind *kind, uint64_t thread, const mprof_event *event)
{
	mprof_argument_value value;
	size_t position = 0;

	*facts = (sample_facts){.thread = thread, .weight = 1, .cpu = MPROF_CPU_UNKNOWN, .has_weight = 1};
	for (size_t i = 0; i < kind->argument_count; i++) {
		const uint8_t encoding = kind->arguments[i].encoding;
		const int found = mprof_argument_decode(event->more.detail, encoding, &position, &value);

		/* What cannot be read is not known. A weight that is missing at the end is 0. */
		if (found < 0) {
			facts->has_weight = 0;
			return;
		}
		switch (kind->arguments[i].role) {
		case MPROF_ROLE_THREAD:
			facts->thread = found ? value.number : thread;
			break;
		case MPROF_ROLE_STACK:
			facts->stack = value.number;
			break;
		case MPROF_ROLE_WEIGHT:
			facts->has_weight = take_weight(facts, encoding, &value);
			break;
		case MPROF_ROLE_CPU:
			facts->cpu = found && value.number < MPROF_CPU_UNKNOWN ? value.number : MPROF_CPU_UNKNOWN;
			break;
		case MPROF_ROLE_MODE:
			facts->mode = value.number;
			break;
		default:
			break;
		}
	}
}

/* Finds or adds a group. NULL if there is no memory. */
static sample_group *get_group(sample_kinds *all, uint32_t type, const sample_facts *facts)
{
	const sample_group added = {
		.type = type, .cpu = (uint32_t)facts->cpu, .thread = facts->thread, .mode = facts->mode};
	const uint64_t hash = hash_of(all, &added);
	const uint32_t *slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, &added);
	void *groups = all->groups;
	int is_reserved;

	if (slot != NULL)
		return &all->groups[*slot - 1];
	if (all->group_count >= UINT32_MAX - 1)
		return NULL;
	is_reserved = array_reserve(&all->budget->paths, &groups, &all->group_capacity, all->group_count + 1,
				    sizeof(*all->groups));
	all->groups = groups;
	if (!is_reserved || !hash_index_reserve(&all->numbers, &slots, all))
		return NULL;
	all->groups[all->group_count++] = added;
	*(uint32_t *)hash_index_take_slot(&all->numbers, &slots, hash) = (uint32_t)all->group_count;
	return &all->groups[all->group_count - 1];
}

/* Whether the log defines a call stack. */
static int has_stack(const mprof_reader *reader, uint64_t stack)
{
	mprof_stack_frame frame;
	uint32_t caller;

	return stack != 0 && stack <= UINT32_MAX &&
	       mprof_reader_lookup_caller(reader, (uint32_t)stack, &frame, sizeof(frame), &caller) == MPROF_OK;
}

int sample_kinds_add(sample_kinds *all, mprof_reader *reader, const profile_window *window, uint64_t thread,
		     const mprof_event *event, int *is_counted)
{
	sample_kind *kind = get_kind(all, reader, event->id);
	sample_group *group;
	sample_facts facts;
	uint32_t stack;
	int is_known;
	int is_added;

	*is_counted = 0;
	if (kind == NULL)
		return 0;
	read_facts(&facts, kind, thread, event);
	if (!window_has_thread(window, facts.thread))
		return 1;
	group = get_group(all, kind->type, &facts);
	if (group == NULL)
		return 0;
	/* All other sums are parts of that of the kind, so that they cannot overflow before it does. */
	if (!facts.has_weight || facts.weight > UINT64_MAX - kind->weight) {
		facts.weight = 0;
		facts.has_weight = 0;
	}
	is_known = has_stack(reader, facts.stack);
	if (is_known &&
	    mprof_reader_name_stack(reader, (uint32_t)facts.stack, event->counter, &stack) == MPROF_ERR_MEMORY)
		return 0;
	is_added = is_known ? samples_add_stack(kind->tree, reader, stack, facts.weight)
			    : samples_add_frame(kind->tree, reader, MPROF_SAMPLE_NO_STACK, 0, facts.weight);
	if (!is_added)
		return 0;
	kind->samples++;
	kind->weight += facts.weight;
	kind->without_weight += (uint64_t)!facts.has_weight;
	kind->without_stack += (uint64_t)!is_known;
	group->samples++;
	group->weight += facts.weight;
	*is_counted = 1;
	return 1;
}
