/* SPDX-License-Identifier: MIT */
/* Call stacks of asynchronous methods, and how long they await. */
#include "async_stacks.h"

#include <mono/metadata/attrdefs.h>

#include "filters.h"
#include "names.h"
#include "shared/hash.h"
#include "shared/key_map.h"
#include "threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of state machines and of fields that a cache holds; powers of two. */
#define AWAIT_MACHINES 64
#define AWAIT_FIELDS 128

/*
 * The compiler turns an async method into a state machine: a class or structure with the method's code in MoveNext(),
 * and a builder that holds the task of the call. What continues when the task has completed is stored in the task: for
 * an awaiting async method, its state machine, reached through a delegate and other objects. All fields are looked up
 * by name, so that a class library that has others yields no chain.
 */

/* A type of state machine. */
typedef struct await_machine {
	MonoClass *type;     /* NULL if unused. */
	MonoMethod *method;  /* Its MoveNext(). */
	uint32_t task;       /* Offset of the task in the fields of the state machine. */
	uint32_t state;      /* Offset of the number of the await at which it is, likewise; UINT32_MAX if not known. */
	int32_t first_await; /* That number at the first await in the source. */
	uint32_t is_awaited; /* 0 if it has no task: nothing can await it. */
} await_machine;

typedef struct await_field {
	MonoClass *type;
	const char *name;
	uint32_t offset; /* In the object; 0 if the class has no such field. */
} await_field;

/* What is known of classes; valid until something is unloaded. All zero at first. */
typedef struct await_cache {
	unsigned unloads; /* MonoProfiler::unloads when it was filled. */
	await_machine machines[AWAIT_MACHINES];
	await_field fields[AWAIT_FIELDS];
} await_cache;

/* Two words at the start of an object, which offsets of fields of structures include as well. */
#define OBJECT_HEADER (2 * sizeof(void *))

/* Objects between a task and the state machine that waits for it; those of a program that combines tasks are few. */
#define MAX_LINKS 16

/* A builder may contain another one. */
#define MAX_NESTING 3

/* Whether objects of a class are state machines of async methods. */
static int await_chain_is_machine(MonoClass *type)
{
	void *position = NULL;
	MonoClass *interface;

	while ((interface = mono_class_get_interfaces(type, &position)) != NULL) {
		if (strcmp(mono_class_get_name(interface), "IAsyncStateMachine") == 0)
			return 1;
	}
	return 0;
}

static int is_builder(MonoClass *type)
{
	const char *name = mono_class_get_name(type);

	return mono_class_is_valuetype(type) && strncmp(name, "Async", 5) == 0 && strstr(name, "MethodBuilder") != NULL;
}

/*
 * Finds the field for the task in a state machine or builder: the field m_task of its builder. \p offset is increased
 * by its offset. Returns 0 if there is none.
 */
static int find_task(MonoClass *type, unsigned nesting, uint32_t *offset)
{
	MonoClassField *task = is_builder(type) ? mono_class_get_field_from_name(type, "m_task") : NULL;
	MonoClassField *field;
	void *position = NULL;

	if (task != NULL) {
		*offset += mono_field_get_offset(task) - (uint32_t)OBJECT_HEADER;
		return 1;
	}
	while (nesting > 0 && (field = mono_class_get_fields(type, &position)) != NULL) {
		uint32_t inner = *offset + mono_field_get_offset(field) - (uint32_t)OBJECT_HEADER;
		MonoClass *of_field;

		if ((mono_field_get_flags(field) & MONO_FIELD_ATTR_STATIC) != 0)
			continue;
		of_field = mono_class_from_mono_type(mono_field_get_type(field));
		if (!is_builder(of_field) || !find_task(of_field, nesting - 1, &inner))
			continue;
		*offset = inner;
		return 1;
	}
	return 0;
}

/* Compilers have names of their own for the field, and for the number of an await. */
static void find_state(await_machine *machine, MonoClass *type)
{
	static const struct {
		const char *name;
		int32_t first;
	} fields[] = {{"<>1__state", 0}, {"$PC", 1}};

	machine->state = UINT32_MAX;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		MonoClassField *field = mono_class_get_field_from_name(type, fields[i].name);

		if (field == NULL || mono_type_get_type(mono_field_get_type(field)) != MONO_TYPE_I4)
			continue;
		machine->state = mono_field_get_offset(field) - (uint32_t)OBJECT_HEADER;
		machine->first_await = fields[i].first;
	}
}

static void forget_unloaded(MonoProfiler *profiler, await_cache *cache)
{
	const unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (cache->unloads == unloads)
		return;
	memset(cache, 0, sizeof(*cache));
	cache->unloads = unloads;
}

static const await_machine *machine_of(await_cache *cache, MonoClass *type)
{
	await_machine *machine = &cache->machines[hash_key((uintptr_t)type) & (AWAIT_MACHINES - 1)];

	if (machine->type != type) {
		machine->type = type;
		machine->task = 0;
		machine->is_awaited = (uint32_t)find_task(type, MAX_NESTING, &machine->task);
		machine->method = mono_class_get_method_from_name(type, "MoveNext", 0);
		find_state(machine, type);
	}
	return machine;
}

/* Returns the reference in a field, NULL if the class of the object has no such field. */
static MonoObject *read_field(await_cache *cache, MonoObject *object, const char *name)
{
	MonoClass *type = mono_object_get_class(object);
	const uint32_t hash = hash_key((uintptr_t)type ^ (uintptr_t)name << 8);
	await_field *known = &cache->fields[hash & (AWAIT_FIELDS - 1)];

	if (known->type != type || known->name != name) {
		MonoClassField *field = mono_class_get_field_from_name(type, name);

		known->type = type;
		known->name = name;
		known->offset = field != NULL ? mono_field_get_offset(field) : 0;
	}
	return known->offset != 0 ? *(MonoObject **)((char *)object + known->offset) : NULL;
}

/* The first of the continuations, if the object is a list of several. */
static MonoObject *first_of_list(await_cache *cache, MonoObject *object)
{
	MonoObject *items = read_field(cache, object, "_items");
	MonoArray *array = (MonoArray *)items;

	if (items == NULL || mono_class_get_rank(mono_object_get_class(items)) != 1 || mono_array_length(array) == 0)
		return NULL;
	return mono_array_get(array, MonoObject *, 0);
}

/*
 * Follows what continues after a task to the state machine that waits for it. Returns NULL if none does: a thread may
 * wait, or a method that is not async.
 */
static MonoObject *find_continuation(await_cache *cache, MonoObject *task)
{
	/* Of tasks, of objects that wrap delegates, of continuations that are tasks, and of delegates. */
	static const char *const links[] = {"m_continuationObject", "m_continuation", "m_action", "m_task", "m_target"};
	MonoObject *at = read_field(cache, task, "m_continuationObject");

	for (unsigned number = 0; at != NULL && number < MAX_LINKS; number++) {
		MonoObject *machine = read_field(cache, at, "m_stateMachine");
		MonoObject *next = first_of_list(cache, at);

		if (machine != NULL)
			return machine;
		for (size_t i = 0; next == NULL && i < sizeof(links) / sizeof(links[0]); i++)
			next = read_field(cache, at, links[i]);
		at = next;
	}
	return NULL;
}

static MonoObject *task_of(const await_machine *machine, const void *fields)
{
	return machine->is_awaited ? *(MonoObject *const *)((const char *)fields + machine->task) : NULL;
}

/* Whether a state machine has a task. Like await_chain_follow(). */
static int await_chain_has_task(await_cache *cache, MonoClass *type, const void *fields)
{
	return task_of(machine_of(cache, type), fields) != NULL;
}

/*
 * Stores the MoveNext() methods of the state machines that wait for one, innermost first. Returns their number.
 *
 * The objects must not move meanwhile: the calling thread runs in the runtime's mode for managed code, in which the
 * collector regards what is on its stack as references.
 *
 * \param type The class or structure of the state machine.
 * \param fields The first field of the state machine.
 */
static size_t await_chain_follow(await_cache *cache, MonoClass *type, const void *fields, MonoMethod **methods,
				 size_t limit)
{
	size_t count = 0;

	while (count < limit) {
		MonoObject *object = task_of(machine_of(cache, type), fields);

		if (object != NULL)
			object = find_continuation(cache, object);
		if (object == NULL)
			break;
		type = mono_object_get_class(object);
		fields = (const char *)object + OBJECT_HEADER;
		methods[count] = machine_of(cache, type)->method;
		if (methods[count] == NULL)
			break;
		count++;
	}
	return count;
}

#define INSTRUMENTED                                                                                                   \
	((MonoProfilerCallInstrumentationFlags)(MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT |                     \
						MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT |                     \
						MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE))

/* Limits of a thread; what exceeds them has its physical callers. */
#define MAX_CALLS 64
#define MAX_AWAITING 1024
#define MAX_CHAIN 128

/* A call of MoveNext() that has not returned. */
typedef struct async_call {
	mprof_frame frame;
	const void *stack; /* An address in the frame of its callback. */
	uint64_t entered;  /* open_waits.steps when it began. */
	int is_continued;  /* After an await; otherwise it was called by the program. */
	uint32_t first;    /* Of the methods that await it. */
	uint32_t count;
} async_call;

/*
 * Only its thread uses it. Signal handlers on the thread read the calls below the count, so a call is complete before
 * it is counted.
 */
typedef struct async_calls {
	volatile uint32_t count;
	async_call calls[MAX_CALLS]; /* The innermost call is the last. */
	mprof_frame awaiting[MAX_AWAITING];
	await_cache cache;
} async_calls;

static int is_async(MonoMethod *method)
{
	return strcmp(mono_method_get_name(method), "MoveNext") == 0 &&
	       await_chain_is_machine(mono_method_get_class(method));
}

/* A method that is instrumented reports its calls to all callbacks, so the filters of calls hold here as well. */
static MonoProfilerCallInstrumentationFlags filter_calls(MonoProfiler *profiler, MonoMethod *method)
{
	const module_options *options = &profiler->options;

	if (!is_async(method) || ((options->kinds & RECORD_CALLS) != 0 && !filters_admit(options->filters, method)))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return INSTRUMENTED;
}

/* The state of the calling thread; NULL if out of memory, or if the thread has ended. */
static async_calls *calls_of_thread(MonoProfiler *profiler)
{
	thread_state *state = threads_state(profiler);

	if (state == NULL)
		return NULL;
	if (state->async == NULL) {
		async_calls *calls = calloc(1, sizeof(*calls));

		atomic_signal_fence(memory_order_seq_cst);
		state->async = calls;
	}
	return state->async;
}

/* Forgets calls whose frames are gone: they ended by an exception that was not reported. */
static void forget_ended(async_calls *calls, const void *stack)
{
	while (calls->count > 0 && (uintptr_t)calls->calls[calls->count - 1].stack <= (uintptr_t)stack)
		calls->count--;
}

static uint32_t used_awaiting(const async_calls *calls)
{
	const async_call *last = &calls->calls[calls->count - 1];

	return calls->count == 0 ? 0 : last->first + last->count;
}

/* A structure is copied from the stack to the heap when its method waits for the first time. */
static int is_on_stack(const void *address)
{
	const sampled_stack *stack = &current_state->stack;

	return (uintptr_t)address - stack->start < stack->end - stack->start;
}

/*
 * Waits: from the return of a method that awaits something to its continuation, which may be in another thread. They
 * are spans of the type mprof.wait. The hash code of the task, which the object keeps while it moves, finds a wait.
 */

/* What waits are recorded with; the types are 0 if the log has none. Set before there are threads. */
static struct {
	uint32_t begin;
	uint32_t end;
	uint32_t kind;
} waits;

/*
 * The waits that have begun, by the hash code, the method and the await. What a method awaits may complete, and another
 * thread may continue it, while the method returns: the end then comes first. Such a wait takes no time, and is not
 * recorded. Hash codes come from addresses that the collector uses again, so several tasks may have one: their waits
 * end in the order in which they began, which leaves the sum of an await as it is.
 */
static struct {
	pthread_mutex_t lock;
	key_map waits;
	uint64_t last_span;
	_Atomic uint64_t steps; /* Starts and ends so far; changed with the lock held. */
} open_waits = {.lock = PTHREAD_MUTEX_INITIALIZER, .waits = {.value_size = 6 * sizeof(uint64_t)}};

/* Tasks of one hash code at one await of one method; what exceeds them is not recorded. */
enum { OPEN_SPANS = 4 };

/* Waits that have ended are kept for as many steps, since calls that began before may still return. */
enum { KEPT_STEPS = 4096 };

typedef struct open_wait {
	uint64_t key;
	uint64_t step;  /* Its last start or end. */
	uint64_t count; /* Those that have not ended. */
	uint64_t spans[OPEN_SPANS];
} open_wait;

static void forget_old_waits(uint64_t now)
{
	for (size_t slot = 0; open_waits.waits.capacity > 0 && slot <= open_waits.waits.capacity;) {
		const open_wait *wait = key_map_slot(&open_waits.waits, slot);

		/* Another entry may move to the slot. */
		if (wait != NULL && wait->count == 0 && now - wait->step >= KEPT_STEPS)
			key_map_remove(&open_waits.waits, wait->key);
		else
			slot++;
	}
}

/* Returns 0 if something happened to the task since the call began that returns now: it is not the latest one. */
static uint64_t begin_wait(open_wait *wait, uint64_t entered)
{
	if (wait->step > entered || wait->count == OPEN_SPANS)
		return 0;
	return wait->spans[wait->count++] = ++open_waits.last_span;
}

/* Returns 0 if the end comes first. */
static uint64_t end_wait(open_wait *wait)
{
	const uint64_t span = wait->spans[0];

	if (wait->count == 0)
		return 0;
	memmove(wait->spans, wait->spans + 1, --wait->count * sizeof(*wait->spans));
	return span;
}

/* A start or an end of a wait that happens now. */
typedef struct wait_event {
	uint64_t key;
	int is_end;
	uint64_t entered; /* Of a start: the step at which the returning call started. */
	uint64_t span;    /* Receives the number of the span; 0 if the event is not to be recorded. */
	uint64_t counter; /* Receives the time, so that no end is before its start. */
} wait_event;

static void note_wait(const MonoProfiler *profiler, wait_event *event)
{
	open_wait *wait;
	uint64_t step;

	pthread_mutex_lock(&open_waits.lock);
	step = atomic_load_explicit(&open_waits.steps, memory_order_relaxed) + 1;
	atomic_store_explicit(&open_waits.steps, step, memory_order_relaxed);
	wait = key_map_put(&open_waits.waits, event->key);
	if (wait != NULL) {
		event->span = event->is_end ? end_wait(wait) : begin_wait(wait, event->entered);
		wait->step = step;
	}
	if (step % KEPT_STEPS == 0)
		forget_old_waits(step);
	event->counter = mprof_recorder_read_counter(profiler->recorder);
	pthread_mutex_unlock(&open_waits.lock);
}

/* The IDs of names of waits, by method and number of the await; empty since the last unloading. */
static struct {
	pthread_mutex_t lock;
	key_map names;
	unsigned unloads;
} wait_names = {.lock = PTHREAD_MUTEX_INITIALIZER, .names = {.value_size = sizeof(uint64_t)}};

typedef struct wait_name {
	uint64_t key;
	uint64_t text;
} wait_name;

static void define_waits(MonoProfiler *profiler)
{
	static const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_SPAN, 0, "wait", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, 0, "kind", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "method", ""},
	};
	mprof_type_record begin = {.form = MPROF_TYPE_ASYNC_BEGIN, .argument_count = 3, .name = "mprof.wait"};
	mprof_type_record end = {.form = MPROF_TYPE_ASYNC_END, .argument_count = 1, .name = "mprof.wait"};
	mprof_recorder *recorder = profiler->recorder;

	if (options_are_classic(&profiler->options) ||
	    mprof_recorder_define_text(recorder, "await", strlen("await"), &waits.kind) != MPROF_OK ||
	    mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), 3, &begin.first_argument) !=
		    MPROF_OK)
		return;
	end.first_argument = begin.first_argument;
	if (mprof_recorder_define_type(recorder, &end, sizeof(end), &waits.end) != MPROF_OK ||
	    mprof_recorder_define_type(recorder, &begin, sizeof(begin), &waits.begin) != MPROF_OK)
		waits.begin = 0;
}

/* Writes the name of an async method as in the source, with the number of one of its awaits. */
static void write_wait_name(MonoClass *type, int32_t number, char *text, size_t size)
{
	MonoClass *outer = mono_class_get_nesting_type(type);
	const char *name = mono_class_get_name(type);
	const char *end = strrchr(name, '>');
	size_t length = 0;

	text[0] = '\0';
	if (outer != NULL) {
		char *name_of_outer = names_of_class(outer);

		snprintf(text, size, "%s", name_of_outer != NULL ? name_of_outer : "");
		mono_free(name_of_outer);
	}
	length = strlen(text);
	if (name[0] == '<' && end != NULL)
		snprintf(text + length, size - length, "%s%.*s#%d", length > 0 ? "." : "", (int)(end - name - 1),
			 name + 1, number);
	else
		snprintf(text + length, size - length, "%s%s#%d", length > 0 ? "." : "", name, number);
}

/* An await of a method. */
static uint64_t key_of_await(MonoClass *type, int32_t number)
{
	enum { KEY_SHIFT = 48 };

	return (uintptr_t)type ^ (uint64_t)(uint32_t)number << KEY_SHIFT;
}

/* Returns 0 if it cannot be defined: the wait then has no name. */
static uint64_t name_wait(MonoProfiler *profiler, MonoClass *type, int32_t number)
{
	const uint64_t key = key_of_await(type, number);
	const unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);
	char text[512];
	wait_name *entry;
	uint32_t id = 0;

	/* The lock is not held while the runtime or the recorder is called: both may call the module. */
	pthread_mutex_lock(&wait_names.lock);
	if (wait_names.unloads != unloads) {
		key_map_clear(&wait_names.names);
		wait_names.unloads = unloads;
	}
	entry = key_map_find(&wait_names.names, key);
	id = entry != NULL ? (uint32_t)entry->text : 0;
	pthread_mutex_unlock(&wait_names.lock);
	if (id != 0)
		return id;
	write_wait_name(type, number, text, sizeof(text));
	if (mprof_recorder_define_text(profiler->recorder, text, strlen(text), &id) != MPROF_OK)
		return 0;
	pthread_mutex_lock(&wait_names.lock);
	entry = wait_names.unloads == unloads ? key_map_put(&wait_names.names, key) : NULL;
	if (entry != NULL)
		entry->text = id;
	pthread_mutex_unlock(&wait_names.lock);
	return id;
}

/*
 * Records that a state machine begins or ends to wait, if it is at an await. One without a task, which nothing awaits,
 * is known by itself if it is an object; a structure is copied when it waits. \p entered: of a start, when the call
 * began that returns.
 */
static void record_wait(MonoProfiler *profiler, const await_machine *machine, MonoClass *type, char *address,
			int is_end, uint64_t entered)
{
	char *fields = mono_class_is_valuetype(type) ? address : address + OBJECT_HEADER;
	MonoObject *object = task_of(machine, fields);
	wait_event event = {.is_end = is_end, .entered = entered};
	mprof_argument_value values[3] = {{.number = 0}, {.number = waits.kind}};
	mprof_thread *recording;
	uint32_t type_id;
	int32_t at;

	if (waits.begin == 0 || machine->state == UINT32_MAX || !profiler_is_recording(profiler))
		return;
	memcpy(&at, fields + machine->state, sizeof(at));
	if (object == NULL && !mono_class_is_valuetype(type))
		object = (MonoObject *)(void *)address;
	if (at < machine->first_await || object == NULL)
		return;
	if (!is_end)
		values[2].number = name_wait(profiler, type, at - machine->first_await + 1);
	event.key = (uint64_t)hash_key(key_of_await(type, at)) << 32 | (uint32_t)mono_object_hash(object);
	note_wait(profiler, &event);
	values[0].number = event.span;
	type_id = is_end ? waits.end : waits.begin;
	recording = threads_recording(profiler);
	/* The first event of a thread after a pause of the recording begins it, and is later. */
	if (event.span != 0 && mprof_thread_record_typed_at(recording, type_id, event.counter, values,
							    is_end ? 1 : 3) == MPROF_ERR_ARGUMENT)
		(void)mprof_thread_record_typed(recording, type_id, values, is_end ? 1 : 3);
}

/*
 * Stores the methods that await a call. \p machine: the object or structure. The task is created when the method waits
 * for the first time, or when the first call has returned.
 */
static void find_awaiting(MonoProfiler *profiler, async_calls *calls, async_call *call, MonoClass *type, char *machine)
{
	const char *fields = mono_class_is_valuetype(type) ? machine : machine + OBJECT_HEADER;
	MonoMethod *methods[MAX_CHAIN];
	size_t room = MAX_AWAITING - call->first;

	forget_unloaded(profiler, &calls->cache);
	record_wait(profiler, machine_of(&calls->cache, type), type, machine, 1, 0);
	call->is_continued = mono_class_is_valuetype(type) ? !is_on_stack(fields)
							   : await_chain_has_task(&calls->cache, type, fields);
	if (!call->is_continued)
		return;
	call->count =
		(uint32_t)await_chain_follow(&calls->cache, type, fields, methods, room < MAX_CHAIN ? room : MAX_CHAIN);
	for (uint32_t i = 0; i < call->count; i++) {
		names_define_method_once(profiler, methods[i]);
		calls->awaiting[call->first + i] = key_of(methods[i]);
	}
}

static void method_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	async_calls *calls = is_async(method) ? calls_of_thread(profiler) : NULL;
	const void *stack = __builtin_frame_address(0);
	MonoClass *type = mono_method_get_class(method);
	async_call *call;
	void *buffer;

	if (calls == NULL || context == NULL)
		return;
	forget_ended(calls, stack);
	if (calls->count == MAX_CALLS)
		return;
	call = &calls->calls[calls->count];
	*call = (async_call){.frame = key_of(method), .stack = stack, .first = used_awaiting(calls)};
	/* A copy of the argument: the object, or the address of the structure. */
	buffer = mono_profiler_call_context_get_this(context);
	if (buffer != NULL) {
		find_awaiting(profiler, calls, call, type, *(char **)buffer);
		mono_profiler_call_context_free_buffer(buffer);
	}
	call->entered = atomic_load_explicit(&open_waits.steps, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	calls->count++;
}

/* \p entered, which may be NULL, receives when the call began. Returns 0 if it is not known. */
static int remove_call(MonoMethod *method, uint64_t *entered)
{
	async_calls *calls = current_state != NULL ? current_state->async : NULL;

	for (uint32_t i = calls != NULL ? calls->count : 0; i > 0; i--) {
		if (calls->calls[i - 1].frame != key_of(method))
			continue;
		if (entered != NULL)
			*entered = calls->calls[i - 1].entered;
		calls->count = i - 1;
		return 1;
	}
	return 0;
}

static void method_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	MonoClass *type = mono_method_get_class(method);
	uint64_t entered;
	void *buffer;

	if (!remove_call(method, &entered) || context == NULL)
		return;
	buffer = mono_profiler_call_context_get_this(context);
	if (buffer == NULL)
		return;
	forget_unloaded(profiler, &current_state->async->cache);
	record_wait(profiler, machine_of(&current_state->async->cache, type), type, *(char **)buffer, 0, entered);
	mono_profiler_call_context_free_buffer(buffer);
}

static void method_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	(void)profiler;
	(void)exception;
	(void)remove_call(method, NULL);
}

/* Ends the stack after \p kept frames with the methods that await a call. */
static void replace_callers(stack_record *record, size_t kept, const async_calls *calls, const async_call *call)
{
	record->count = kept;
	record->is_truncated = 0;
	for (uint32_t i = 0; i < call->count; i++) {
		if (!stack_record_put(record, calls->awaiting[call->first + i]))
			return;
	}
}

void async_stacks_apply(stack_record *record)
{
	const async_calls *calls = current_state != NULL ? current_state->async : NULL;
	uint32_t remaining = calls != NULL ? calls->count : 0;

	for (size_t i = 0; i < record->count && remaining > 0; i++) {
		uint32_t number = remaining;

		/* Code that generic types share has other methods in stacks than in calls. */
		while (number > 0 && calls->calls[number - 1].frame != record->frames[i])
			number--;
		if (number == 0)
			continue;
		remaining = number - 1;
		if (calls->calls[remaining].is_continued) {
			replace_callers(record, i + 1, calls, &calls->calls[remaining]);
			return;
		}
	}
}

/*
 * The callbacks belong to a handle of their own, since those of recorded calls change while the program runs. The
 * runtime keeps information about variables of all methods that it compiles, in order to find the argument.
 */
void async_stacks_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle;

	if (!profiler->options.async)
		return;
	if (!mono_profiler_enable_call_context_introspection()) {
		fputs("mprof: the runtime does not support the option async\n", stderr);
		return;
	}
	define_waits(profiler);
	handle = mono_profiler_create(profiler);
	mono_profiler_set_call_instrumentation_filter_callback(handle, filter_calls);
	mono_profiler_set_method_enter_callback(handle, method_enter);
	mono_profiler_set_method_leave_callback(handle, method_leave);
	mono_profiler_set_method_exception_leave_callback(handle, method_exception_leave);
}
