/* SPDX-License-Identifier: MIT */
/* How long objects lived: follows them from allocation to death, and undoes what is provisional. */
#include "model/records/object_ages.h"

#include "base/allocator.h"

#include <string.h>

/* The site of an object that is tracked, so that its death is matched, but not counted. */
#define AGE_UNCOUNTED (UINT32_MAX - 1)

/* The site shared by all objects for whose sites there was no memory. */
#define AGE_FOLDED (UINT32_MAX - 2)

static inline int is_object(const void *slot)
{
	return ((const live_object *)slot)->address != 0;
}

static uint64_t hash_of_object(const void *owner, const void *slot)
{
	return hash_key(((const live_objects *)owner)->index.seed, ((const live_object *)slot)->address);
}

static inline int is_object_at(const void *owner, const void *slot, const void *address)
{
	(void)owner;
	return ((const live_object *)slot)->address == *(const uint64_t *)address;
}

static const hash_index_type object_slots = {
	.size = sizeof(live_object),
	.first_capacity = 64,
	.used_eighths = 6,
	.grows_by_half = 1,
	.is_used = is_object,
	.hash = hash_of_object,
};

/* The object at an address, or NULL. Valid until an object is added or removed. */
static live_object *live_objects_find(const live_objects *objects, uint64_t address)
{
	/* An empty slot would match the address 0. */
	if (address == 0)
		return NULL;
	return hash_index_find(&objects->index, &object_slots, hash_key(objects->index.seed, address), is_object_at,
			       objects, &address);
}

/* Adds an object at an address that has none, when the table has room. */
static void live_objects_add(live_objects *objects, const live_object *object)
{
	live_object *slot =
		hash_index_take_slot(&objects->index, &object_slots, hash_key(objects->index.seed, object->address));

	*slot = *object;
}

/* Adds an object, which has its new address. Returns 0, changing nothing, if there is no memory. */
static int move_set_add(move_set *set, const live_object *object)
{
	void *objects = set->objects;
	int has_room = array_reserve(&set->allocator, &objects, &set->capacity, set->count + 1, sizeof(*set->objects));

	set->objects = objects;
	if (has_room)
		set->objects[set->count++] = *object;
	return has_room;
}

/*
 * Finds the object of the set that moved to an address; *found is NULL if there is none, and valid until the set
 * changes. Returns 0 if there is no memory.
 */
static int move_set_find(move_set *set, uint64_t address, live_object **found)
{
	const uint64_t *index;

	*found = NULL;
	for (; set->indexed < set->count; set->indexed++) {
		if (!hash_map_put(&set->targets, set->objects[set->indexed].address, set->indexed))
			return 0;
	}
	index = hash_map_get(&set->targets, address);
	if (index != NULL)
		*found = &set->objects[*index];
	return 1;
}

/* The next lookup indexes all objects again. */
static void forget_targets(move_set *set)
{
	if (set->indexed > 0)
		hash_map_destroy(&set->targets);
	set->indexed = 0;
}

/* Moves an object that move_set_find() found to another address. */
static void move_set_move_again(move_set *set, live_object *object, uint64_t to)
{
	size_t index = (size_t)(object - set->objects);

	hash_map_remove(&set->targets, object->address);
	object->address = to;
	/* Without memory, all objects are indexed again. */
	if (!hash_map_put(&set->targets, to, index))
		forget_targets(set);
}

/* Removes the first objects. */
static void move_set_drop(move_set *set, size_t count)
{
	forget_targets(set);
	set->count -= count;
	/* If there are no objects, there may be no array either. */
	if (set->count > 0)
		memmove(set->objects, set->objects + count, set->count * sizeof(*set->objects));
}

/* Replaces the objects by others, at most as many as the set ever had. */
static void move_set_restore(move_set *set, const live_object *objects, size_t count)
{
	forget_targets(set);
	set->count = count;
	if (count > 0)
		memcpy(set->objects, objects, count * sizeof(*objects));
}

static void age_undo_init(age_undo *undo, const mprof_allocator *allocator)
{
	memset(undo, 0, sizeof(*undo));
	undo->allocator = *allocator;
}

/* Ends the provisional processing; the memory for objects is kept. */
static void forget_copies(age_undo *undo)
{
	allocator_release(&undo->allocator, undo->sites, undo->site_count * sizeof(*undo->sites));
	allocator_release(&undo->allocator, undo->estimates, undo->estimate_count * sizeof(*undo->estimates));
	allocator_release(&undo->allocator, undo->moving, undo->moving_count * sizeof(*undo->moving));
	undo->sites = NULL;
	undo->estimates = NULL;
	undo->moving = NULL;
	undo->site_count = 0;
	undo->estimate_count = 0;
	undo->moving_count = 0;
	undo->object_count = 0;
	undo->action_count = 0;
}

static void age_undo_destroy(age_undo *undo)
{
	forget_copies(undo);
	allocator_release(&undo->allocator, undo->objects, undo->object_capacity * sizeof(*undo->objects));
	allocator_release(&undo->allocator, undo->actions, undo->action_capacity * sizeof(*undo->actions));
	age_undo_init(undo, &undo->allocator);
}

/* Copies an array, which may be empty. Returns 0 if there is no memory. */
static int copy_array(const mprof_allocator *allocator, void **copy, const void *elements, size_t count, size_t size)
{
	size_t bytes;

	*copy = NULL;
	if (count == 0)
		return 1;
	if (!checked_multiply(count, size, &bytes))
		return 0;
	*copy = allocator_allocate(allocator, bytes);
	if (*copy == NULL)
		return 0;
	memcpy(*copy, elements, bytes);
	return 1;
}

/* Saves the statistics and starts noting changes of the table. Returns 0, changing nothing, if there is no memory. */
static int age_undo_begin(age_undo *undo, const age_state *state)
{
	const mprof_allocator *allocator = &undo->allocator;
	const move_set *moving = &state->moving;
	size_t estimate_count = state->estimate_capacity > 0 ? state->site_count : 0;
	void *sites;
	void *estimates;
	void *objects;
	int has_room = copy_array(allocator, &sites, state->sites, state->site_count, sizeof(*state->sites));

	has_room &= copy_array(allocator, &estimates, state->estimates, estimate_count, sizeof(*state->estimates));
	has_room &= copy_array(allocator, &objects, moving->objects, moving->count, sizeof(*moving->objects));
	undo->sites = sites;
	undo->estimates = estimates;
	undo->moving = objects;
	undo->site_count = sites != NULL ? state->site_count : 0;
	undo->estimate_count = estimates != NULL ? estimate_count : 0;
	undo->moving_count = objects != NULL ? moving->count : 0;
	if (!has_room) {
		forget_copies(undo);
		return 0;
	}
	undo->sums = state->sums;
	undo->object_count = 0;
	return 1;
}

/* Reserves memory for noting the changes of one event. Returns 0 if there is no memory. */
static int age_undo_reserve(age_undo *undo, const age_state *state)
{
	void *objects = undo->objects;
	void *actions = undo->actions;
	/*
	 * An event takes at most one object, adds one and ends an open set of moves; what is added may replace another
	 * object.
	 */
	size_t needed = undo->object_count + 2 * (state->moving.count + 1) + 1;
	int has_room =
		array_reserve(&undo->allocator, &objects, &undo->object_capacity, needed, sizeof(*undo->objects)) &&
		array_reserve(&undo->allocator, &actions, &undo->action_capacity, undo->action_count + 1,
			      sizeof(*undo->actions));

	undo->objects = objects;
	undo->actions = actions;
	return has_room;
}

/* Notes that an object was added to the table or removed, in memory that age_undo_reserve() has reserved. */
static void age_undo_note(age_undo *undo, const live_object *object, int was_added)
{
	undo->objects[undo->object_count].object = *object;
	undo->objects[undo->object_count++].was_added = was_added;
}

/* Notes that an action was processed before its turn, in memory that age_undo_reserve() has reserved. */
static void age_undo_note_action(age_undo *undo, replay_action *action)
{
	undo->actions[undo->action_count++] = (early_action){action, action->kind};
}

/* Makes all changes since age_undo_begin() final. */
static void age_undo_commit(age_undo *undo)
{
	forget_copies(undo);
}

/* Reverts all changes since age_undo_begin(). */
static void age_undo_revert(age_undo *undo, age_state *state)
{
	for (; undo->action_count > 0; undo->action_count--)
		undo->actions[undo->action_count - 1].action->kind = undo->actions[undo->action_count - 1].kind;
	while (undo->object_count > 0) {
		const noted_object *noted = &undo->objects[--undo->object_count];

		if (noted->was_added)
			hash_index_remove(&state->objects.index, &object_slots, &state->objects,
					  live_objects_find(&state->objects, noted->object.address));
		else
			/* The table does not shrink, so there is room for what it contained before. */
			live_objects_add(&state->objects, &noted->object);
	}
	if (undo->site_count > 0)
		memcpy(state->sites, undo->sites, undo->site_count * sizeof(*undo->sites));
	if (undo->estimate_count > 0)
		memcpy(state->estimates, undo->estimates, undo->estimate_count * sizeof(*undo->estimates));
	state->sums = undo->sums;
	move_set_restore(&state->moving, undo->moving, undo->moving_count);
	if (state->sums.last_collection.kind != 0)
		state->history[state->sums.last_collection_index] = state->sums.last_collection;
	forget_copies(undo);
}

/* budget must outlive the trace. */
static void object_trace_init(object_trace *trace, memory_budget *budget)
{
	memset(trace, 0, sizeof(*trace));
	trace->budget = budget;
}

static void object_trace_destroy(object_trace *trace)
{
	allocator_release(&trace->budget->paths, trace->addresses, trace->capacity * sizeof(*trace->addresses));
}

static int add_address(object_trace *trace, const traced_address *address)
{
	void *addresses = trace->addresses;

	if (!array_reserve(&trace->budget->paths, &addresses, &trace->capacity, trace->count + 1,
			   sizeof(*trace->addresses))) {
		trace->is_incomplete = 1;
		return memory_budget_is_exceeded(trace->budget);
	}
	trace->addresses = addresses;
	trace->addresses[trace->count++] = *address;
	return 1;
}

/* An object was allocated: also if it was processed provisionally before. Returns 0 if the allocator refused. */
static int object_trace_start(object_trace *trace, const live_object *object, uint64_t counter)
{
	const traced_address address = {object->address, counter, 0};

	if (trace->identity != object->identity)
		return 1;
	/* It may have been added provisionally. */
	trace->count = 0;
	return add_address(trace, &address);
}

/* An object is moved. epoch: number of collections that had begun. Returns 0 if the allocator refused. */
static int object_trace_move(object_trace *trace, const live_object *object, uint32_t epoch, uint64_t counter,
			     uint64_t to)
{
	const traced_address address = {to, counter, epoch - object->epoch};

	return trace->identity != object->identity || add_address(trace, &address);
}

/*
 * Kinds of actions. The address of a collection is its number and its size the generation; a resize has the size. The
 * size of a move is the new address. Moves and deaths are held back only if the model ends before a snapshot. What
 * threads do has the number of the thread.
 */
enum {
	ACTION_ALLOCATE,
	ACTION_COLLECT,
	ACTION_RESIZE,
	ACTION_MOVE,
	ACTION_DEATH,
	ACTION_FREE,     /* An object is freed by a thread. */
	ACTION_SIZE,     /* An object has another size from now on. */
	ACTION_RELOCATE, /* An object is moved by a thread: the size is the new address. */
	ACTION_DONE      /* Processed before its turn. */
};

/* How many actions are searched for the one by which an address became free. */
#define LOOK_AHEAD 64

static void add_amount(age_amount *amount, uint64_t size)
{
	amount->objects++;
	amount->bytes += size;
}

static void subtract_amount(age_amount *amount, uint64_t size)
{
	/* The heap may lose objects from before recording started. */
	amount->objects -= amount->objects > 0;
	amount->bytes -= amount->bytes < size ? amount->bytes : size;
}

static age_estimates *estimates_of(object_ages *ages, uint32_t number)
{
	if (number >= ages->state.site_count || ages->interval == 0 || ages->keys.records[number].key.stack == 0)
		return NULL;
	return &ages->state.estimates[number];
}

static void estimate(const object_ages *ages, age_estimates *estimates, age_measure measure, uint64_t size, int sign)
{
	if (estimates != NULL)
		allocation_estimate_change(&estimates->amounts[measure], ages->interval, size, sign);
}

/* Saves the amounts of a site at the last peak, before they change. */
static void save_peak(object_ages *ages, age_site *site, age_estimates *estimates)
{
	if (site->peak == ages->state.sums.peak)
		return;
	site->peak = ages->state.sums.peak;
	site->amounts[AGE_PEAK] = site->amounts[AGE_LIVE];
	if (estimates != NULL)
		estimates->amounts[AGE_PEAK] = estimates->amounts[AGE_LIVE];
}

const live_object *object_ages_find(const object_ages *ages, uint64_t address)
{
	return live_objects_find(&ages->state.objects, address);
}

age_amount object_ages_peak(const object_ages *ages, const age_site *site)
{
	return site->amounts[site->peak == ages->state.sums.peak ? AGE_PEAK : AGE_LIVE];
}

uint64_t object_ages_sum(const object_ages *ages, const age_site *site)
{
	return site->dead_ages + site->amounts[AGE_LIVE].objects * ages->state.sums.epoch - site->live_epochs;
}

static age_site *site_at(object_ages *ages, uint32_t number)
{
	return number == AGE_FOLDED ? &ages->state.sums.folded : &ages->state.sites[number];
}

static void raise_peak(object_ages *ages, uint64_t counter)
{
	age_sums *sums = &ages->state.sums;

	if (sums->all.amounts[AGE_LIVE].bytes <= sums->all.amounts[AGE_PEAK].bytes)
		return;
	sums->all.amounts[AGE_PEAK] = sums->all.amounts[AGE_LIVE];
	sums->peak++;
	sums->peak_counter = counter;
}

static void count_life(age_site *site, const live_object *object)
{
	add_amount(&site->amounts[AGE_LIVE], object->size);
	site->live_epochs += object->epoch;
}

static void count_death(age_site *site, const live_object *object, uint32_t age)
{
	subtract_amount(&site->amounts[AGE_LIVE], object->size);
	site->live_epochs -= object->epoch;
	add_amount(&site->amounts[AGE_DEAD], object->size);
	site->dead_ages += age;
	if (age == 0)
		add_amount(&site->amounts[AGE_TEMPORARY], object->size);
}

static void count_allocation(object_ages *ages, const live_object *object, int is_tracked, uint64_t counter)
{
	age_site *site = site_at(ages, object->site);
	age_estimates *estimates = estimates_of(ages, object->site);

	save_peak(ages, site, estimates);
	add_amount(&site->amounts[AGE_ALLOCATED], object->size);
	estimate(ages, estimates, AGE_ALLOCATED, object->size, 1);
	add_amount(&ages->state.sums.all.amounts[AGE_ALLOCATED], object->size);
	if (!is_tracked)
		return;
	count_life(site, object);
	estimate(ages, estimates, AGE_LIVE, object->size, 1);
	count_life(&ages->state.sums.all, object);
	raise_peak(ages, counter);
}

/* Adds a death to the heap and to the collection that it belongs to. */
static void count_collected(object_ages *ages, uint64_t size)
{
	age_sums *sums = &ages->state.sums;

	subtract_amount(&sums->heap, size);
	if (sums->last_collection.kind == 0)
		return;
	add_amount(&sums->last_collection.collected, size);
	ages->state.history[sums->last_collection_index] = sums->last_collection;
}

/* The object, which has survived \p age collections, was removed from the table. */
static void end_life(object_ages *ages, const live_object *object, uint32_t age)
{
	age_estimates *estimates;
	age_site *site;

	if (object->site == AGE_UNCOUNTED)
		return;
	site = site_at(ages, object->site);
	estimates = estimates_of(ages, object->site);
	save_peak(ages, site, estimates);
	count_death(site, object, age);
	count_death(&ages->state.sums.all, object, age);
	estimate(ages, estimates, AGE_LIVE, object->size, -1);
	estimate(ages, estimates, AGE_DEAD, object->size, 1);
	if (age == 0)
		estimate(ages, estimates, AGE_TEMPORARY, object->size, 1);
}

/* A collection has found that the object is dead. */
static void end_object(object_ages *ages, const live_object *object)
{
	const uint32_t epochs = ages->state.sums.epoch - object->epoch;

	count_collected(ages, object->size);
	end_life(ages, object, epochs > 0 ? epochs - 1 : 0);
}

/* A thread has freed the object. */
static void free_object(object_ages *ages, const live_object *object)
{
	subtract_amount(&ages->state.sums.heap, object->size);
	end_life(ages, object, ages->state.sums.epoch - object->epoch);
}

static live_object take_object(object_ages *ages, live_object *found)
{
	const live_object object = *found;

	if (ages->replay.is_provisional)
		age_undo_note(&ages->undo, found, 0);
	hash_index_remove(&ages->state.objects.index, &object_slots, &ages->state.objects, found);
	return object;
}

/*
 * Puts an object at its address. One that is there is dead, and its death may follow in the log: the recorder finds it
 * in the same way. Returns 0, changing nothing, if there is no memory.
 */
static int put_object(object_ages *ages, const live_object *object)
{
	live_object *found;

	if (!hash_index_reserve(&ages->state.objects.index, &object_slots, &ages->state.objects))
		return 0;
	found = live_objects_find(&ages->state.objects, object->address);
	if (found != NULL) {
		live_object dead;

		/* What is processed provisionally is processed again before deaths are. */
		if (!ages->replay.is_provisional &&
		    !hash_map_put(&ages->replaced, object->address, ages->state.sums.epoch))
			return 0;
		dead = take_object(ages, found);
		end_object(ages, &dead);
		ages->state.sums.counts.missing_deaths++;
	}
	if (ages->replay.is_provisional)
		age_undo_note(&ages->undo, object, 1);
	live_objects_add(&ages->state.objects, object);
	return 1;
}

static int end_moves(object_ages *ages)
{
	move_set *moving = &ages->state.moving;
	size_t done = 0;
	int has_failed = 0;

	while (done < moving->count && !has_failed) {
		if (put_object(ages, &moving->objects[done]))
			done++;
		else if (!memory_budget_is_exceeded(ages->budget))
			has_failed = 1;
		else if (++done > 0)
			ages->state.sums.counts.untracked++;
	}
	if (done > 0)
		move_set_drop(moving, done);
	return !has_failed;
}

/* A thread frees the object at an address. */
static void free_at(object_ages *ages, uint64_t address, uint64_t size)
{
	live_object *found = live_objects_find(&ages->state.objects, address);
	live_object freed;

	ages->state.sums.counts.deaths_read++;
	if (found == NULL) {
		ages->state.sums.counts.unmatched_deaths++;
		subtract_amount(&ages->state.sums.heap, size);
		return;
	}
	freed = take_object(ages, found);
	free_object(ages, &freed);
}

/* The next action that frees an address, or by which an object leaves it; NULL if there is none soon. */
static replay_action *find_free(replay_action *action, const replay_action *end, uint64_t address)
{
	for (replay_action *next = action + 1; next < end && next <= action + LOOK_AHEAD; next++) {
		if (next->kind == ACTION_FREE && next->address == address)
			return next;
	}
	return NULL;
}

/* The action will not be applied again. */
static void finish_action(object_ages *ages, replay_action *action)
{
	if (ages->replay.is_provisional)
		age_undo_note_action(&ages->undo, action);
	action->kind = ACTION_DONE;
}

/*
 * Allocations have no time of their own, but that of the event before them in the thread. So one whose address was
 * freed by another thread may come before that. Returns 1 if the object is freed by its own thread while another one is
 * at its address, which was allocated there later: the new object is not put there.
 */
static int clear_address(object_ages *ages, replay_action *action, const replay_action *end, uint64_t address)
{
	replay_action *next;

	if (!ages->has_frees || live_objects_find(&ages->state.objects, address) == NULL)
		return 0;
	next = find_free(action, end, address);
	if (next == NULL)
		return 0;
	if (next->thread == action->thread) {
		finish_action(ages, next);
		return 1;
	}
	free_at(ages, next->address, next->size);
	finish_action(ages, next);
	return 0;
}

/* An object was allocated and freed while another one is in the table at its address. */
static int count_short_life(object_ages *ages, const live_object *object, uint64_t counter)
{
	ages->state.sums.allocations++;
	ages->state.sums.counts.deaths_read++;
	add_amount(&ages->state.sums.heap, object->size);
	if (object->site != AGE_UNCOUNTED)
		count_allocation(ages, object, 1, counter);
	free_object(ages, object);
	return 1;
}

static int allocate_object(object_ages *ages, replay_action *action, const replay_action *end)
{
	const live_object object = {.address = action->address,
				    .size = action->size,
				    .site = action->stack,
				    .epoch = ages->state.sums.epoch,
				    .identity = ages->state.sums.allocations + 1};
	int is_tracked;

	if (!end_moves(ages) || !object_trace_start(&ages->trace, &object, action->counter))
		return 0;
	if (clear_address(ages, action, end, object.address))
		return count_short_life(ages, &object, action->counter);
	is_tracked = object.address != 0 && put_object(ages, &object);
	if (object.address != 0 && !is_tracked && !memory_budget_is_exceeded(ages->budget))
		return 0;
	ages->state.sums.allocations++;
	ages->state.sums.counts.untracked += object.address != 0 && !is_tracked;
	ages->state.sums.counts.without_address += object.address == 0 && object.site != AGE_UNCOUNTED;
	add_amount(&ages->state.sums.heap, object.size);
	if (object.site != AGE_UNCOUNTED)
		count_allocation(ages, &object, is_tracked, action->counter);
	return 1;
}

static int add_change(object_ages *ages, const replay_action *action)
{
	age_sums *sums = &ages->state.sums;
	void *history = ages->state.history;
	heap_change change = {.counter = action->counter, .before = sums->heap, .number = action->address};

	if (!end_moves(ages) || !array_reserve(&ages->budget->paths, &history, &ages->state.history_capacity,
					       sums->history_count + 1, sizeof(*ages->state.history)))
		return 0;
	ages->state.history = history;
	change.kind = MPROF_HEAP_CHANGE_RESIZE;
	if (action->kind == ACTION_RESIZE)
		sums->heap_bytes = action->size;
	change.heap_bytes = sums->heap_bytes;
	change.collected = sums->last_collection.collected;
	if (action->kind == ACTION_COLLECT) {
		change.kind = MPROF_HEAP_CHANGE_COLLECTION;
		change.generation = (uint32_t)action->size;
		memset(&change.collected, 0, sizeof(change.collected));
		sums->last_collection = change;
		sums->last_collection_index = sums->history_count;
		sums->epoch++;
	}
	ages->state.history[sums->history_count++] = change;
	return 1;
}

/* Whether a death is that of an object whose address another one has taken since. */
static int confirms_replacement(object_ages *ages, uint64_t address)
{
	const uint64_t *epoch = hash_map_get(&ages->replaced, address);

	if (epoch == NULL)
		return 0;
	/* The recorder writes such a death before the next collection but one. An older entry has lost its death. */
	if (ages->state.sums.epoch - *epoch > 1) {
		hash_map_remove(&ages->replaced, address);
		return 0;
	}
	hash_map_remove(&ages->replaced, address);
	ages->state.sums.counts.missing_deaths--;
	return 1;
}

static void add_death(object_ages *ages, uint64_t address, uint64_t size)
{
	live_object *found;
	live_object dead;

	ages->state.sums.counts.deaths_read++;
	if (address != 0 && confirms_replacement(ages, address))
		return;
	found = live_objects_find(&ages->state.objects, address);
	if (found == NULL) {
		ages->state.sums.counts.unmatched_deaths++;
		count_collected(ages, size);
		return;
	}
	dead = take_object(ages, found);
	end_object(ages, &dead);
}

/* Takes an object from the table and adds it to the open set of moves. */
static int begin_move(object_ages *ages, uint64_t counter, live_object *found, uint64_t to)
{
	age_state *state = &ages->state;
	live_object moved = *found;

	moved.address = to;
	if (!move_set_add(&state->moving, &moved)) {
		if (!memory_budget_is_exceeded(ages->budget))
			return 0;
		state->sums.counts.untracked++;
		take_object(ages, found);
		return 1;
	}
	if (!object_trace_move(&ages->trace, found, state->sums.epoch, counter, to)) {
		state->moving.count--;
		return 0;
	}
	take_object(ages, found);
	return 1;
}

/* Finds the object that the open set moved to an address. Without memory for that, the move is uncertain. */
static int find_moved(object_ages *ages, uint64_t address, live_object **found)
{
	if (move_set_find(&ages->state.moving, address, found))
		return 1;
	ages->state.sums.counts.uncertain_moves++;
	return memory_budget_is_exceeded(ages->budget);
}

/*
 * The object that leaves an address is one that was there before the open set of moves. If there was none, it is one
 * that the set moved there: collections that run while the world is stopped once can be in one set. With neither, it
 * is not known. In a log without collections, a set may be of several, so both can be meant; then the choice is
 * counted as uncertain.
 */
static int add_move(object_ages *ages, uint64_t counter, uint64_t from, uint64_t to)
{
	age_state *state = &ages->state;
	live_object *found = live_objects_find(&state->objects, from);
	live_object *again = NULL;

	if (state->moving.count > 0 && (found == NULL || state->sums.epoch == 0) && !find_moved(ages, from, &again))
		return 0;
	if (to == 0 || (found == NULL && again == NULL)) {
		state->sums.counts.unmatched_moves += found == NULL && again == NULL;
		return 1;
	}
	state->sums.counts.uncertain_moves += again != NULL;
	if (found != NULL)
		return begin_move(ages, counter, found, to);
	if (!object_trace_move(&ages->trace, again, state->sums.epoch, counter, to))
		return 0;
	move_set_move_again(&state->moving, again, to);
	return 1;
}

/* A move or a death that was held back. */
static int apply_heap_action(object_ages *ages, const replay_action *action)
{
	if (action->kind == ACTION_MOVE)
		return add_move(ages, action->counter, action->address, action->size);
	if (!end_moves(ages))
		return 0;
	add_death(ages, action->address, action->size);
	return 1;
}

/* Counts the bytes of an object that counts again, with its new size, as if it had been allocated with it. */
static void resize_amounts(age_site *site, uint64_t old_size, uint64_t new_size)
{
	site->amounts[AGE_ALLOCATED].bytes += new_size - old_size;
	site->amounts[AGE_LIVE].bytes += new_size - old_size;
}

static int change_size(object_ages *ages, const replay_action *action)
{
	live_object *found = live_objects_find(&ages->state.objects, action->address);
	live_object object;
	age_estimates *estimates;

	if (found == NULL) {
		ages->state.sums.counts.unmatched_moves++;
		return 1;
	}
	object = take_object(ages, found);
	subtract_amount(&ages->state.sums.heap, object.size);
	add_amount(&ages->state.sums.heap, action->size);
	if (object.site != AGE_UNCOUNTED) {
		estimates = estimates_of(ages, object.site);
		save_peak(ages, site_at(ages, object.site), estimates);
		resize_amounts(site_at(ages, object.site), object.size, action->size);
		resize_amounts(&ages->state.sums.all, object.size, action->size);
		for (int measure = AGE_ALLOCATED; measure <= AGE_LIVE; measure += AGE_LIVE - AGE_ALLOCATED) {
			estimate(ages, estimates, (age_measure)measure, object.size, -1);
			estimate(ages, estimates, (age_measure)measure, action->size, 1);
		}
		raise_peak(ages, action->counter);
	}
	object.size = action->size;
	/* The table has the room that the object had. */
	return put_object(ages, &object);
}

/* A thread moves the object at an address. If it is not known, the change of its size has counted that. */
static int relocate_object(object_ages *ages, replay_action *action, const replay_action *end)
{
	live_object *found = live_objects_find(&ages->state.objects, action->address);
	live_object object;

	if (found == NULL)
		return 1;
	if (!object_trace_move(&ages->trace, found, ages->state.sums.epoch, action->counter, action->size))
		return 0;
	object = take_object(ages, found);
	object.address = action->size;
	if (clear_address(ages, action, end, object.address)) {
		ages->state.sums.counts.deaths_read++;
		free_object(ages, &object);
		return 1;
	}
	if (object.address != 0 && put_object(ages, &object))
		return 1;
	ages->state.sums.counts.untracked++;
	return object.address == 0 || memory_budget_is_exceeded(ages->budget);
}

/* What a thread does to an object that exists. */
static int apply_object_action(object_ages *ages, replay_action *action, const replay_action *end)
{
	if (!end_moves(ages))
		return 0;
	if (action->kind == ACTION_SIZE)
		return change_size(ages, action);
	if (action->kind == ACTION_RELOCATE)
		return relocate_object(ages, action, end);
	free_at(ages, action->address, action->size);
	return 1;
}

/* A collection for whose entry there is no room counts for ages nevertheless. */
static int apply_action(void *of, replay_action *action, const replay_action *end)
{
	object_ages *ages = of;
	age_sums *sums = &ages->state.sums;

	if (action->kind == ACTION_DONE)
		return 1;
	if (counter_is_before(sums->latest, action->counter) || sums->latest == 0)
		sums->latest = action->counter;
	if (action->kind == ACTION_ALLOCATE)
		return allocate_object(ages, action, end);
	if (action->kind >= ACTION_FREE)
		return apply_object_action(ages, action, end);
	if (action->kind == ACTION_MOVE || action->kind == ACTION_DEATH)
		return apply_heap_action(ages, action);
	if (add_change(ages, action))
		return 1;
	if (!memory_budget_is_exceeded(ages->budget))
		return 0;
	sums->counts.untracked++;
	sums->epoch += action->kind == ACTION_COLLECT;
	return 1;
}

static int begin_noting(void *of)
{
	object_ages *ages = of;

	ages->trace_count = ages->trace.count;
	return age_undo_begin(&ages->undo, &ages->state);
}

static int reserve_notes(void *of)
{
	object_ages *ages = of;

	return age_undo_reserve(&ages->undo, &ages->state);
}

static void commit_noted(void *of)
{
	age_undo_commit(&((object_ages *)of)->undo);
}

static void revert_noted(void *of)
{
	object_ages *ages = of;

	age_undo_revert(&ages->undo, &ages->state);
	ages->trace.count = ages->trace_count;
}

static const replay_type age_replay = {apply_action, begin_noting, reserve_notes, commit_noted, revert_noted};

void object_ages_init(object_ages *ages, memory_budget *budget, const profile_window *window)
{
	memset(ages, 0, sizeof(*ages));
	ages->budget = budget;
	ages->window = window;
	folded_stacks_init(&ages->stacks, budget);
	site_table_init(&ages->keys, &budget->paths);
	hash_map_init(&ages->replaced, &budget->paths);
	record_table_init(&ages->classes, &budget->paths, sizeof(age_class));
	replay_init(&ages->replay, &age_replay, ages, budget);
	hash_index_init(&ages->state.objects.index, &budget->paths);
	ages->state.moving.allocator = budget->paths;
	hash_map_init(&ages->state.moving.targets, &budget->paths);
	age_undo_init(&ages->undo, &budget->paths);
	object_trace_init(&ages->trace, budget);
}

void object_ages_destroy(object_ages *ages)
{
	const mprof_allocator *allocator = &ages->budget->paths;
	age_state *state = &ages->state;

	folded_stacks_destroy(&ages->stacks);
	site_table_destroy(&ages->keys);
	hash_map_destroy(&ages->replaced);
	record_table_destroy(&ages->classes);
	replay_destroy(&ages->replay);
	hash_index_destroy(&state->objects.index, &object_slots);
	age_undo_destroy(&ages->undo);
	object_trace_destroy(&ages->trace);
	allocator_release(allocator, state->moving.objects, state->moving.capacity * sizeof(*state->moving.objects));
	hash_map_destroy(&state->moving.targets);
	allocator_release(allocator, state->sites, state->site_capacity * sizeof(*state->sites));
	allocator_release(allocator, state->estimates, state->estimate_capacity * sizeof(*state->estimates));
	allocator_release(allocator, state->history, state->history_capacity * sizeof(*state->history));
}

static int hold_back(object_ages *ages, replay_action *action)
{
	return replay_limit(&ages->replay) && replay_hold_back(&ages->replay, action, 1);
}

/* Makes room for the statistics of a site. */
static int reserve_site(object_ages *ages, size_t number)
{
	age_state *state = &ages->state;
	const mprof_allocator *allocator = &ages->budget->paths;
	void *sites = state->sites;
	void *estimates = state->estimates;

	if (number < state->site_count)
		return 1;
	if (!array_reserve(allocator, &sites, &state->site_capacity, number + 1, sizeof(*state->sites)))
		return 0;
	state->sites = sites;
	if (ages->interval != 0) {
		if (!array_reserve(allocator, &estimates, &state->estimate_capacity, number + 1,
				   sizeof(*state->estimates)))
			return 0;
		state->estimates = estimates;
		memset(&state->estimates[state->site_count], 0,
		       (number + 1 - state->site_count) * sizeof(*state->estimates));
	}
	memset(&state->sites[state->site_count], 0, (number + 1 - state->site_count) * sizeof(*state->sites));
	state->site_count = number + 1;
	return 1;
}

/* A number that differs between threads. */
static uint32_t number_of_thread(uint64_t thread)
{
	return (uint32_t)(thread ^ thread >> 32);
}

/* An object is freed, or has another size and perhaps another address. */
static int add_object_event(object_ages *ages, uint64_t thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	replay_action action = {.counter = event->counter, .size = event->value, .thread = number_of_thread(thread)};

	if (detail == NULL)
		return 1;
	ages->has_frees = 1;
	action.kind = ACTION_FREE;
	action.address = detail->object;
	if (event->kind == MPROF_EVENT_OBJECT_FREED)
		return hold_back(ages, &action);
	action.kind = ACTION_SIZE;
	action.size = detail->size;
	if (!hold_back(ages, &action))
		return 0;
	action.kind = ACTION_RELOCATE;
	action.size = event->value;
	return event->value == detail->object || hold_back(ages, &action);
}

/* The number of the site of an allocation; AGE_FOLDED if max_memory was reached. Returns 0 if the allocator refused. */
static int find_site(object_ages *ages, const mprof_reader *reader, const mprof_event *event, uint32_t *number)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t stack = folded_stacks_get(&ages->stacks, reader, detail != NULL ? detail->stack : 0);
	site_key key = {.class_id = event->id};
	size_t found = SITE_TABLE_NONE;

	if (stack != FOLDED_STACK_NONE) {
		key.stack = stack;
		if (ages->interval == 0 && detail != NULL && stack == 0)
			key.detail = detail->caller;
		if (event->kind == MPROF_EVENT_ALLOCATION_AT_JIT && (stack != 0 || key.detail != 0))
			key.other = MPROF_EVENT_FLAG_COMPILING;
		found = site_table_get(&ages->keys, &key);
		if (found != SITE_TABLE_NONE && !reserve_site(ages, found))
			found = SITE_TABLE_NONE;
	}
	*number = found != SITE_TABLE_NONE && found < AGE_FOLDED ? (uint32_t)found : AGE_FOLDED;
	return found != SITE_TABLE_NONE || memory_budget_is_exceeded(ages->budget);
}

static int add_allocation(object_ages *ages, const mprof_reader *reader, uint64_t thread, const mprof_event *event,
			  int is_chosen)
{
	replay_action action = {.counter = event->counter,
				.size = event->value,
				.stack = AGE_UNCOUNTED,
				.thread = number_of_thread(thread)};

	action.kind = ACTION_ALLOCATE;
	action.address = event->more.detail != NULL ? event->more.detail->object : 0;
	if (is_chosen && window_has_counter(ages->window, event->counter) &&
	    !find_site(ages, reader, event, &action.stack))
		return 0;
	return hold_back(ages, &action);
}

/* The interval is in the log before the first sample. */
static void set_interval(object_ages *ages, uint64_t interval)
{
	if (ages->state.site_count == 0)
		ages->interval = interval;
}

/* Whether a counter is after the end of the tables. */
static int is_over(const object_ages *ages, uint64_t counter)
{
	return window_is_over(ages->window, counter) || (ages->has_ended && !counter_is_before(counter, ages->end));
}

int object_ages_add(object_ages *ages, const mprof_reader *reader, uint64_t thread, uint64_t interval,
		    const mprof_event *events, size_t count)
{
	int is_chosen = window_has_thread(ages->window, thread);
	int is_added = 1;

	replay_revert(&ages->replay);
	set_interval(ages, interval);
	for (size_t i = 0; i < count && is_added; i++) {
		replay_action action = {.counter = events[i].counter, .address = events[i].id, .size = events[i].value};

		if (is_over(ages, events[i].counter))
			continue;
		switch (events[i].kind) {
		case MPROF_EVENT_ALLOCATION:
		case MPROF_EVENT_ALLOCATION_AT_JIT:
			is_added = add_allocation(ages, reader, thread, &events[i], is_chosen);
			break;
		case MPROF_EVENT_OBJECT_FREED:
		case MPROF_EVENT_OBJECT_RESIZED:
			is_added = add_object_event(ages, thread, &events[i]);
			break;
		case MPROF_EVENT_GC_START:
		case MPROF_EVENT_GC_RESIZE:
			action.kind = events[i].kind == MPROF_EVENT_GC_START ? ACTION_COLLECT : ACTION_RESIZE;
			is_added = hold_back(ages, &action);
			break;
		default:
			break;
		}
	}
	return is_added;
}

void object_ages_begin_heap(object_ages *ages, const mprof_heap_data_block *block)
{
	int is_first = block->number != 0 &&
		       ((block->flags & MPROF_HEAP_FLAG_FIRST) != 0 || block->number != ages->snapshot_number);

	if (ages->has_ended || !is_first)
		return;
	ages->snapshot_number = block->number;
	if (++ages->snapshots != ages->last_snapshot)
		return;
	ages->end = block->counter;
	ages->has_ended = 1;
}

/*
 * Holds back moves and deaths, too: events of threads that precede the snapshot may follow it in the log. When too many
 * are held back, the earlier half is processed, so events may be out of order by that number.
 */
static int hold_back_heap(object_ages *ages, const mprof_event *event)
{
	replay_action action = {.counter = event->counter, .size = event->value};

	if (event->more.detail == NULL ||
	    (event->kind != MPROF_EVENT_HEAP_MOVE && event->kind != MPROF_EVENT_HEAP_FREE))
		return 1;
	action.kind = event->kind == MPROF_EVENT_HEAP_MOVE ? ACTION_MOVE : ACTION_DEATH;
	action.address = event->more.detail->object;
	return hold_back(ages, &action);
}

int object_ages_add_heap(object_ages *ages, const mprof_event *events, size_t count)
{
	replay_revert(&ages->replay);
	for (size_t i = 0; i < count; i++) {
		const mprof_event *event = &events[i];

		if (is_over(ages, event->counter))
			continue;
		if (ages->last_snapshot != 0) {
			if (!hold_back_heap(ages, event))
				return 0;
			continue;
		}
		if (i == 0 || event->counter != events[i - 1].counter) {
			if (!replay_until(&ages->replay, event->counter, NULL))
				return 0;
		}
		if (event->kind == MPROF_EVENT_HEAP_MOVE) {
			if (event->more.detail != NULL &&
			    !add_move(ages, event->counter, event->more.detail->object, event->value))
				return 0;
		} else if (!end_moves(ages)) {
			return 0;
		}
		if (event->kind == MPROF_EVENT_HEAP_FREE)
			add_death(ages, event->more.detail != NULL ? event->more.detail->object : 0, event->value);
	}
	return 1;
}

/* Processes everything before the snapshot; no earlier event can follow. */
static int apply_before_snapshot(object_ages *ages, progress *going)
{
	if (!replay_until(&ages->replay, ages->end, going) || !end_moves(ages))
		return 0;
	action_queue_drop(&ages->replay.queue, ages->replay.queue.count);
	return !going->is_stopped;
}

static void add_to_class(object_ages *ages, age_class *sums, const site_key *key, const age_site *site)
{
	const age_amount peak = object_ages_peak(ages, site);

	for (size_t measure = 0; measure < AGE_MEASURES; measure++) {
		const age_amount *amount = measure == AGE_PEAK ? &peak : &site->amounts[measure];

		sums->sums.amounts[measure].objects += amount->objects;
		sums->sums.amounts[measure].bytes += amount->bytes;
	}
	sums->sums.dead_ages += site->dead_ages;
	sums->sums.live_epochs += site->live_epochs;
	sums->sums.peak = ages->state.sums.peak;
	sums->sites += key->stack != 0 || key->detail != 0;
}

static int sum_classes(object_ages *ages, progress *going)
{
	record_table_clear(&ages->classes);
	ages->lacks_classes = 0;
	for (size_t i = 0; i < ages->state.site_count; i++) {
		const site_key *key = &ages->keys.records[i].key;
		age_class *sums;

		if (!progress_step(going))
			return 0;
		sums = record_table_get(&ages->classes, key->class_id);
		if (sums == NULL && !memory_budget_is_exceeded(ages->budget))
			return 0;
		if (sums == NULL)
			ages->lacks_classes = 1;
		else
			add_to_class(ages, sums, key, &ages->state.sites[i]);
	}
	return 1;
}

uint64_t object_ages_steps(const object_ages *ages)
{
	return ages->is_enabled ? replay_steps(&ages->replay) + ages->state.site_count : 0;
}

int object_ages_finish(object_ages *ages, progress *going)
{
	if (!progress_begin(going, object_ages_steps(ages)))
		return 0;
	if (!ages->is_enabled)
		return 1;
	return (ages->has_ended ? apply_before_snapshot(ages, going) : replay_provisionally(&ages->replay, going)) &&
	       sum_classes(ages, going);
}
