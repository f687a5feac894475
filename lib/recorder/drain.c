/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain.c
 * \brief The side of the writer thread: slots become events, keys become IDs, messages become blocks.
 */
#include "recorder/recorder_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** What the subject of a slot is; the first two index mprof_recorder::keys. */
typedef enum key_subject { SUBJECT_METHOD, SUBJECT_CLASS, SUBJECT_VALUE } key_subject;

static const uint8_t subjects[MPROF_EVENT_KIND_COUNT] = {
	[MPROF_EVENT_METHOD_ENTER] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE_EXCEPTION] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE_TAIL] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_JIT_START] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_JIT_END] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_FREED] = SUBJECT_METHOD,
	[MPROF_EVENT_CLASS_LOAD_START] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_LOAD_END] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_UNLOAD_START] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_UNLOAD_END] = SUBJECT_CLASS,
	[MPROF_EVENT_EXCEPTION] = SUBJECT_CLASS,
	[MPROF_EVENT_ALLOCATION] = SUBJECT_CLASS,
	[MPROF_EVENT_THREAD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_THREAD_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_MARK_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_MARK_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_SWEEP_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_SWEEP_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_RESIZE] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_STOP_WORLD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_STOP_WORLD_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START_WORLD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START_WORLD_END] = SUBJECT_VALUE,
};

/* The first error ends the writing, but not the draining: threads must get their buffers back. */
static void note_status(mprof_recorder *recorder, mprof_status status)
{
	if (status == MPROF_OK || recorder->status != MPROF_OK)
		return;
	recorder->status = status;
	recorder->error.struct_size = sizeof(recorder->error);
	mprof_writer_error(recorder->writer, &recorder->error);
}

/* Defines a key that no message defined: by the client's function, or by a name made from the key. */
static int define_unknown(mprof_recorder *recorder, key_subject subject, mprof_key key)
{
	mprof_description description;
	char made_up[40];

	int is_none = key == key_for_none(recorder->keys_are_ids);

	mprof_description_init(&description);
	if (is_none || recorder->resolve[subject] == NULL ||
	    recorder->resolve[subject](recorder->resolve_user, key, &description) != 0 || description.name == NULL ||
	    !recorder_name_is_writable(recorder, description.name, description.name_length)) {
		recorder->unresolved_keys++;
		mprof_description_init(&description);
		description.name = made_up;
		if (is_none)
			description.name_length = (size_t)snprintf(made_up, sizeof(made_up), "(no key)");
		else
			description.name_length =
				(size_t)snprintf(made_up, sizeof(made_up), "(unknown 0x%" PRIx64 ")", key);
	}
	return key_table_define(&recorder->keys[subject], key,
				subject == SUBJECT_METHOD ? description.class_key : description.assembly_key,
				description.flags, description.name, description.name_length, 0);
}

static uint32_t key_id(mprof_recorder *recorder, key_subject subject, mprof_key key, uint64_t counter);

static void write_class(mprof_recorder *recorder, key_version *version)
{
	mprof_class_definition definition = {version->id, 0, version->name, version->name_length};
	const uint64_t *element = hash_map_get(&recorder->elements, version->owner);

	if (version->owner != 0 && element != NULL)
		definition.assembly_id = (uint32_t)*element;
	note_status(recorder, mprof_writer_define_class(recorder->writer, &definition));
}

static void write_method(mprof_recorder *recorder, key_version *version, uint32_t class_id)
{
	mprof_method_definition definition = {version->id, class_id, version->flags, 0, version->name,
					      version->name_length};

	note_status(recorder, mprof_writer_define_method(recorder->writer, &definition));
}

/* A key without an ID yet, or with several versions. Returns 0 only for want of memory. */
static uint32_t key_id_slow(mprof_recorder *recorder, key_subject subject, mprof_key key, uint64_t counter)
{
	key_table *table = &recorder->keys[subject];
	key_entry *entry = key_table_find(table, key);
	key_version *version;
	uint32_t class_id = 0;

	if (entry == NULL) {
		if (!define_unknown(recorder, subject, key))
			return 0;
		entry = key_table_find(table, key);
	}
	version = key_table_version(table, entry, counter);
	if (version->id != 0)
		return version->id;
	if (subject == SUBJECT_METHOD && key_is_valid(version->owner, recorder->keys_are_ids))
		class_id = key_id(recorder, SUBJECT_CLASS, version->owner, counter);
	key_table_assign(table, entry, version);
	if (subject == SUBJECT_METHOD)
		write_method(recorder, version, class_id);
	else
		write_class(recorder, version);
	key_table_forget_name(table, version);
	return version->id;
}

static inline uint32_t key_id(mprof_recorder *recorder, key_subject subject, mprof_key key, uint64_t counter)
{
	const key_entry *entry = key_table_find(&recorder->keys[subject], key);

	if (entry != NULL && entry->id != 0)
		return entry->id;
	return key_id_slow(recorder, subject, key, counter);
}

/* The counter in a slot has lost its top bits; it is near the last one, a little before or any time after. */
static inline uint64_t whole_counter(uint64_t last, uint64_t stamp)
{
	uint64_t difference = (stamp & ~UINT64_C(0xff)) - (last << 8);

	return last + (uint64_t)((int64_t)difference >> 8);
}

/* Turns what the slot is about into the event's id. Returns 0 if there is no memory to give it one. */
static inline int name_subject(mprof_recorder *recorder, mprof_thread *thread, mprof_event *event, mprof_key key)
{
	key_subject subject = (key_subject)subjects[event->kind];

	if (subject == SUBJECT_VALUE) {
		event->value = key;
		if (event->kind == MPROF_EVENT_THREAD_START && key == thread->id)
			leave_stack_restart(&thread->stack);
		return 1;
	}
	if (!key_is_valid(key, recorder->keys_are_ids))
		key = key_for_none(recorder->keys_are_ids);
	/* The commonest leaves need no look-up. */
	if (event->kind == MPROF_EVENT_METHOD_LEAVE && recorder->implicit_leaves &&
	    leave_stack_returns(&thread->stack, key)) {
		event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		return 1;
	}
	event->id = key_id(recorder, subject, key, event->counter);
	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		leave_stack_enter(&thread->stack, &recorder->allocator, key, event->id);
	else if (event->kind == MPROF_EVENT_METHOD_LEAVE || event->kind == MPROF_EVENT_METHOD_LEAVE_EXCEPTION ||
		 event->kind == MPROF_EVENT_METHOD_LEAVE_TAIL)
		leave_stack_leave(&thread->stack, event->id);
	return event->id != 0;
}

/* Fills recorder->events from slots. Returns how many events there are. */
static size_t convert_slots(mprof_recorder *recorder, mprof_thread *thread, const event_slot *slots, uint32_t count)
{
	mprof_event *event = recorder->events;
	uint64_t counter = thread->last_counter;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t code = (uint32_t)slots[i].stamp & 0xff;
		int untimed = code == MPROF_EVENT_ALLOCATION;

		if (!untimed)
			counter = whole_counter(counter, slots[i].stamp);
		*event = (mprof_event){
			.kind = (uint8_t)(code & (SLOT_FAILED - 1)),
			.flags = (code & SLOT_FAILED) != 0 ? MPROF_EVENT_FAILED : 0,
			.counter = counter,
			.value = untimed ? slots[i].stamp >> 8 : 0,
		};
		if (name_subject(recorder, thread, event, slots[i].subject))
			event++;
		else
			thread->lost_draining++;
	}
	thread->last_counter = counter;
	return (size_t)(event - recorder->events);
}

static void write_events(mprof_recorder *recorder, mprof_thread *thread, uint64_t base_counter, size_t count)
{
	mprof_status status;

	status = mprof_writer_begin_events(recorder->writer, thread->id, base_counter);
	if (status == MPROF_OK)
		status = mprof_writer_events(recorder->writer, recorder->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(recorder->writer);
	note_status(recorder, status);
}

/* Writes the slots of a buffer that were published and not drained yet, up to published. */
static void drain_buffer(mprof_recorder *recorder, mprof_thread *thread, event_buffer *buffer, uint32_t published)
{
	uint32_t count = published - buffer->drained;
	uint64_t base_counter;
	size_t converted;

	if (count == 0)
		return;
	/* The first event's own counter: its time is then 0, and a block of allocations alone still has a time. */
	if (buffer->drained == 0)
		thread->last_counter = buffer->start_counter;
	base_counter = thread->last_counter;
	converted = convert_slots(recorder, thread, buffer->slots + buffer->drained, count);
	buffer->drained = published;
	if (recorder->status == MPROF_OK)
		write_events(recorder, thread, base_counter, converted);
	if (recorder->status != MPROF_OK)
		recorder->lost_total[MPROF_LOSS_WRITE_FAILED] += converted;
}

static void write_element(mprof_recorder *recorder, const message *loaded)
{
	mprof_element element = loaded->element;
	const uint64_t *known = hash_map_get(&recorder->elements, loaded->key);

	if (loaded->kind == MESSAGE_LOADED) {
		element.id = ++recorder->next_element_id;
		/* Without memory for it, classes of this assembly say that theirs is not known. */
		(void)hash_map_put(&recorder->elements, loaded->key, element.id);
		note_status(recorder, mprof_writer_loaded(recorder->writer, &element));
	} else {
		element.id = known != NULL ? (uint32_t)*known : 0;
		note_status(recorder, mprof_writer_unloaded(recorder->writer, &element));
	}
}

static void process_message(mprof_recorder *recorder, const message *taken)
{
	key_subject subject = taken->kind == MESSAGE_DEFINE_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS;

	switch (taken->kind) {
	case MESSAGE_DEFINE_CLASS:
	case MESSAGE_DEFINE_METHOD:
		/* Without memory for it, the key counts as one that nobody named. */
		(void)key_table_define(&recorder->keys[subject], taken->key, taken->owner, taken->flags, taken->name,
				       taken->name_length, taken->counter);
		break;
	case MESSAGE_LOADED:
	case MESSAGE_UNLOADED:
		if (recorder->status == MPROF_OK)
			write_element(recorder, taken);
		break;
	case MESSAGE_THREAD_NAME:
		if (recorder->status == MPROF_OK)
			note_status(recorder, mprof_writer_thread(recorder->writer, taken->thread, taken->name,
								  taken->name_length));
		break;
	}
}

static void process_messages(mprof_recorder *recorder)
{
	message *taken = message_queue_take(&recorder->messages);

	while (taken != NULL) {
		message *next = taken->next;

		process_message(recorder, taken);
		message_release(&recorder->allocator, taken);
		taken = next;
	}
}

static mprof_thread *find_thread(mprof_recorder *recorder, uint32_t serial)
{
	mprof_thread *thread;

	pthread_mutex_lock(&recorder->threads_lock);
	thread = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	/* Only this thread unlinks, and new ones come in front: the rest of the list stands still. */
	while (thread != NULL && thread->serial != serial)
		thread = thread->next;
	return thread;
}

static void give_back(mprof_recorder *recorder, event_buffer *buffer)
{
	buffer_pool_give(&recorder->pool, buffer);
	if (atomic_load(&recorder->waiting) > 0) {
		pthread_mutex_lock(&recorder->wait_lock);
		pthread_cond_broadcast(&recorder->buffers_free);
		pthread_mutex_unlock(&recorder->wait_lock);
	}
}

static void drain_full(mprof_recorder *recorder)
{
	event_buffer *buffer = buffer_pool_take_full(&recorder->pool);

	/* After the buffers were taken: what defines the keys in them was pushed before they were. */
	process_messages(recorder);
	while (buffer != NULL) {
		event_buffer *next = buffer->next_full;
		uint64_t ticket = atomic_load_explicit(&buffer->ticket, memory_order_acquire);
		mprof_thread *thread = find_thread(recorder, (uint32_t)(ticket >> 32));

		drain_buffer(recorder, thread, buffer,
			     atomic_load_explicit(&buffer->published, memory_order_acquire));
		thread->next_sequence++;
		give_back(recorder, buffer);
		buffer = next;
	}
}

/* Writes what a thread has in the buffer that it is filling. */
static void drain_current(mprof_recorder *recorder, mprof_thread *thread)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_acquire);
	uint64_t expected = (uint64_t)thread->serial << 32 | thread->next_sequence;
	uint32_t published;

	/* Another ticket: a full buffer of the thread is still to come and must be drained first, or the thread is about to
	 * move on from a buffer that was drained and given back. */
	if (atomic_load_explicit(&buffer->ticket, memory_order_acquire) != expected)
		return;
	published = atomic_load_explicit(&buffer->published, memory_order_acquire);
	process_messages(recorder);
	drain_buffer(recorder, thread, buffer, published);
}

static void write_losses(mprof_recorder *recorder, mprof_thread *thread)
{
	uint64_t counts[MPROF_LOSS_CAUSE_COUNT] = {0};
	int any = 0;

	for (int cause = 1; cause < MPROF_LOSS_CAUSE_COUNT; cause++) {
		uint64_t lost = atomic_load_explicit(&thread->lost[cause], memory_order_relaxed);

		counts[cause] = lost - thread->lost_written[cause];
		thread->lost_written[cause] = lost;
		if (cause == MPROF_LOSS_NO_MEMORY)
			counts[cause] += thread->lost_draining;
		recorder->lost_total[cause] += counts[cause];
		any |= counts[cause] != 0;
	}
	thread->lost_draining = 0;
	if (any && recorder->status == MPROF_OK)
		note_status(recorder,
			    mprof_writer_lost(recorder->writer, thread->id, counts, MPROF_LOSS_CAUSE_COUNT));
}

/* Ends threads that were detached and drained. */
static void reap_threads(mprof_recorder *recorder)
{
	mprof_thread **link;
	mprof_thread *reaped = NULL;

	pthread_mutex_lock(&recorder->threads_lock);
	link = &recorder->threads;
	while (*link != NULL) {
		mprof_thread *thread = *link;

		/* sequence may be read once detached was seen: the owner is gone. */
		if (atomic_load_explicit(&thread->detached, memory_order_acquire) &&
		    thread->next_sequence == thread->sequence) {
			*link = thread->next;
			thread->next = reaped;
			reaped = thread;
		} else {
			link = &thread->next;
		}
	}
	pthread_mutex_unlock(&recorder->threads_lock);
	while (reaped != NULL) {
		mprof_thread *next = reaped->next;

		write_losses(recorder, reaped);
		thread_release(recorder, reaped);
		reaped = next;
	}
}

void recorder_drain_round(mprof_recorder *recorder, int partial)
{
	mprof_thread *thread;

	drain_full(recorder);
	pthread_mutex_lock(&recorder->threads_lock);
	thread = recorder->threads;
	pthread_mutex_unlock(&recorder->threads_lock);
	for (; thread != NULL; thread = thread->next) {
		if (partial)
			drain_current(recorder, thread);
		write_losses(recorder, thread);
	}
	if (partial && recorder->status == MPROF_OK)
		note_status(recorder, mprof_writer_flush(recorder->writer));
	reap_threads(recorder);
}
