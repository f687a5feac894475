/* SPDX-License-Identifier: MIT */
/* Statistical samples, what each stands for, which of them wait, and their lines and kinds. */
#include "model/records/samples.h"

#include "base/allocator.h"
#include "format/blocks/records.h"
#include "model/records/lists.h"

#include <string.h>

typedef struct function_role {
	const char *name; /**< Without underscores at its start. */
	wait_role role;
} function_role;

#define CALLER(kind)                                                                                                   \
	{                                                                                                              \
		kind, 0                                                                                                \
	}
#define INNERMOST(kind)                                                                                                \
	{                                                                                                              \
		kind, 1                                                                                                \
	}

/* Functions of the C library. */
static const function_role functions[] = {
	{"accept", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"accept4", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"clock_nanosleep", INNERMOST(MPROF_WAIT_SLEEP)},
	{"connect", INNERMOST(MPROF_WAIT_ACCEPT)},
	{"epoll_pwait", INNERMOST(MPROF_WAIT_POLL)},
	{"epoll_wait", INNERMOST(MPROF_WAIT_POLL)},
	{"fdatasync", INNERMOST(MPROF_WAIT_IO)},
	{"fsync", INNERMOST(MPROF_WAIT_IO)},
	{"futex_abstimed_wait64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_common", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_common64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_abstimed_wait_cancelable64", INNERMOST(MPROF_WAIT_OTHER)},
	{"futex_lock_pi64", INNERMOST(MPROF_WAIT_LOCK)},
	{"futex_wait", INNERMOST(MPROF_WAIT_OTHER)},
	{"lll_lock_wait", INNERMOST(MPROF_WAIT_LOCK)},
	{"lll_lock_wait_private", INNERMOST(MPROF_WAIT_LOCK)},
	{"nanosleep", INNERMOST(MPROF_WAIT_SLEEP)},
	{"poll", INNERMOST(MPROF_WAIT_POLL)},
	{"ppoll", INNERMOST(MPROF_WAIT_POLL)},
	{"pread", INNERMOST(MPROF_WAIT_IO)},
	{"pread64", INNERMOST(MPROF_WAIT_IO)},
	{"preadv", INNERMOST(MPROF_WAIT_IO)},
	{"pselect", INNERMOST(MPROF_WAIT_POLL)},
	{"pthread_clockjoin_ex", INNERMOST(MPROF_WAIT_JOIN)},
	{"pthread_cond_clockwait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_cond_timedwait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_cond_wait", INNERMOST(MPROF_WAIT_CONDITION)},
	{"pthread_join", INNERMOST(MPROF_WAIT_JOIN)},
	{"pthread_mutex_lock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_mutex_lock_full", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_mutex_timedlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_rwlock_rdlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_rwlock_wrlock", CALLER(MPROF_WAIT_LOCK)},
	{"pthread_timedjoin_np", INNERMOST(MPROF_WAIT_JOIN)},
	{"pwrite", INNERMOST(MPROF_WAIT_IO)},
	{"pwrite64", INNERMOST(MPROF_WAIT_IO)},
	{"pwritev", INNERMOST(MPROF_WAIT_IO)},
	{"read", INNERMOST(MPROF_WAIT_IO)},
	{"readv", INNERMOST(MPROF_WAIT_IO)},
	{"recv", INNERMOST(MPROF_WAIT_IO)},
	{"recvfrom", INNERMOST(MPROF_WAIT_IO)},
	{"recvmsg", INNERMOST(MPROF_WAIT_IO)},
	{"select", INNERMOST(MPROF_WAIT_POLL)},
	{"sem_clockwait", CALLER(MPROF_WAIT_EVENT)},
	{"sem_timedwait", CALLER(MPROF_WAIT_EVENT)},
	{"sem_wait", CALLER(MPROF_WAIT_EVENT)},
	{"send", INNERMOST(MPROF_WAIT_IO)},
	{"sendfile", INNERMOST(MPROF_WAIT_IO)},
	{"sendmsg", INNERMOST(MPROF_WAIT_IO)},
	{"sendto", INNERMOST(MPROF_WAIT_IO)},
	{"sigsuspend", INNERMOST(MPROF_WAIT_OTHER)},
	{"wait4", INNERMOST(MPROF_WAIT_OTHER)},
	{"waitid", INNERMOST(MPROF_WAIT_OTHER)},
	{"waitpid", INNERMOST(MPROF_WAIT_OTHER)},
	{"write", INNERMOST(MPROF_WAIT_IO)},
	{"writev", INNERMOST(MPROF_WAIT_IO)},
};

typedef struct method_role {
	const char *class_name; /**< NULL: any class. */
	const char *start;      /**< What the name of the method starts with. */
	mprof_wait_kind kind;
} method_role;

/* Methods of the class library of Mono and .NET. Native code waits for them. */
static const method_role methods[] = {
	{NULL, "__icall_wrapper_mono_monitor_enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "Enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "ReliableEnter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "TryEnter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "try_enter", MPROF_WAIT_LOCK},
	{"System.Threading.Monitor", "Monitor_wait", MPROF_WAIT_CONDITION},
	{"System.Threading.Monitor", "ObjWait", MPROF_WAIT_CONDITION},
	{"System.Threading.Monitor", "Wait", MPROF_WAIT_CONDITION},
	{"System.Threading.WaitHandle", "", MPROF_WAIT_EVENT},
	{"System.Threading.Thread", "Join", MPROF_WAIT_JOIN},
	{"System.Threading.Thread", "Sleep", MPROF_WAIT_SLEEP},
	{"System.Net.Sockets.Socket", "Accept", MPROF_WAIT_ACCEPT},
	{"System.Net.Sockets.Socket", "Connect", MPROF_WAIT_ACCEPT},
	{"System.Net.Sockets.Socket", "Poll", MPROF_WAIT_POLL},
	{"System.Net.Sockets.Socket", "Select", MPROF_WAIT_POLL},
	{"System.Net.Sockets.Socket", "Receive", MPROF_WAIT_IO},
	{"System.Net.Sockets.Socket", "Send", MPROF_WAIT_IO},
};

static const wait_role no_role = {MPROF_WAIT_NONE, 0};

/* Programs have functions with such names, too: only those of the C library wait for certain. */
static int is_c_library(const char *file)
{
	static const char *const starts[] = {"libc.", "libc-", "libpthread.", "libpthread-", "ld-musl-"};
	const char *slash = strrchr(file, '/');
	const char *name = slash != NULL ? slash + 1 : file;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return 1;
	}
	return 0;
}

/* The role of a function of native code, by its name and the file that contains it. */
static wait_role wait_role_of_function(const char *name, const char *file)
{
	/* The C library names its functions for its own use "__NAME" and "__GI___NAME", and symbols have versions. */
	size_t length;

	if (name == NULL || file == NULL || !is_c_library(file))
		return no_role;
	if (strncmp(name, "__GI_", 5) == 0)
		name += 5;
	name += strspn(name, "_");
	if (strncmp(name, "libc_", 5) == 0)
		name += 5;
	length = strcspn(name, "@");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strncmp(name, functions[i].name, length) == 0 && functions[i].name[length] == '\0')
			return functions[i].role;
	}
	return no_role;
}

/* The role of a method. Its flags are those of mprof_mapping. class_name may be NULL. */
static wait_role wait_role_of_method(const char *class_name, const char *name, uint32_t flags)
{
	if (name == NULL)
		return no_role;
	if ((flags & MPROF_METHOD_FLAG_RUNTIME) != 0)
		return strcmp(name, "[waiting for lock]") == 0 ? (wait_role){MPROF_WAIT_LOCK, 0} : no_role;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const method_role *method = &methods[i];

		if (strncmp(name, method->start, strlen(method->start)) == 0 &&
		    (method->class_name == NULL || (class_name != NULL && strcmp(class_name, method->class_name) == 0)))
			return (wait_role){method->kind, 0};
	}
	return no_role;
}

int samples_init(sample_model *samples, memory_budget *budget, int has_locations)
{
	memset(samples, 0, sizeof(*samples));
	samples->allocator = budget->allocator;
	samples->budget = budget;
	samples->has_locations = has_locations;
	hash_map_init(&samples->numbers, &budget->allocator);
	record_table_init(&samples->stacks, &budget->paths, sizeof(sample_stack));
	return call_tree_init(&samples->tree, &budget->paths);
}

void samples_destroy(sample_model *samples)
{
	const mprof_allocator *allocator = &samples->tree.allocator;

	allocator_release(allocator, samples->records, samples->record_capacity * sizeof(*samples->records));
	allocator_release(allocator, samples->path, samples->path_capacity * sizeof(*samples->path));
	samples->records = NULL;
	samples->path = NULL;
	samples->record_capacity = 0;
	samples->path_capacity = 0;
	hash_map_destroy(&samples->numbers);
	record_table_destroy(&samples->stacks);
	call_tree_destroy(&samples->tree);
}

static wait_role find_method_role(const mprof_reader *reader, uint32_t id)
{
	mprof_mapping method;
	mprof_mapping owner;

	if (mprof_reader_lookup_method(reader, id, &method, sizeof(method)) != MPROF_OK)
		return (wait_role){MPROF_WAIT_NONE, 0};
	if (mprof_reader_lookup_class(reader, method.class_id, &owner, sizeof(owner)) != MPROF_OK)
		owner.name = NULL;
	return wait_role_of_method(owner.name, method.name, method.flags);
}

static wait_role find_function_role(const mprof_reader *reader, uint32_t id)
{
	mprof_record function;
	mprof_record module;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, id, &function, sizeof(function)) != MPROF_OK ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, function.as.function.module, &module,
				       sizeof(module)) != MPROF_OK)
		return (wait_role){MPROF_WAIT_NONE, 0};
	return wait_role_of_function(function.as.function.name, module.as.module.file);
}

static wait_role find_location_role(const mprof_reader *reader, uint32_t id)
{
	mprof_record record;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, id, &record, sizeof(record)) != MPROF_OK)
		return (wait_role){MPROF_WAIT_NONE, 0};
	return find_function_role(reader, record.as.location.function);
}

static wait_role find_role(const mprof_reader *reader, uint32_t kind, uint32_t id)
{
	if (kind == MPROF_SAMPLE_METHOD && id != 0)
		return find_method_role(reader, id);
	if (kind == MPROF_SAMPLE_LOCATION)
		return find_location_role(reader, id);
	return kind == MPROF_SAMPLE_FUNCTION ? find_function_role(reader, id) : (wait_role){MPROF_WAIT_NONE, 0};
}

/* Returns 0 if there is no memory. */
static int find_record(sample_model *samples, const mprof_reader *reader, uint32_t kind, uint32_t id, uint32_t *number)
{
	uint64_t key = (uint64_t)kind << 32 | id;
	const uint64_t *found = hash_map_get(&samples->numbers, key);
	void *records = samples->records;
	sample_record *record;

	if (found != NULL) {
		*number = (uint32_t)*found;
		return 1;
	}
	if (!array_reserve(&samples->allocator, &records, &samples->record_capacity, samples->record_count + 1,
			   sizeof(*samples->records)))
		return 0;
	samples->records = records;
	if (!hash_map_put(&samples->numbers, key, samples->record_count))
		return 0;
	record = &samples->records[samples->record_count];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = id;
	record->wait = find_role(reader, kind, id);
	samples->has_methods |= kind == MPROF_SAMPLE_METHOD && id != 0;
	*number = (uint32_t)samples->record_count++;
	return 1;
}

void samples_item_of_frame(const mprof_reader *reader, const mprof_stack_frame *frame, uint32_t *kind, uint32_t *id)
{
	mprof_record record;

	*id = frame->id;
	*kind = MPROF_SAMPLE_METHOD;
	if (!frame->is_native)
		return;
	*kind = frame->id != 0 ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_TRUNCATED;
	if (frame->id == 0 ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, frame->id, &record, sizeof(record)) != MPROF_OK)
		return;
	if (record.as.location.function != 0) {
		*kind = MPROF_SAMPLE_FUNCTION;
		*id = record.as.location.function;
	} else if (record.as.location.module != 0) {
		*kind = MPROF_SAMPLE_MODULE;
		*id = record.as.location.module;
	}
}

/* As samples_item_of_frame(), but with has_locations a location counts as such. */
static void find_item(const sample_model *samples, const mprof_reader *reader, const mprof_stack_frame *frame,
		      uint32_t *kind, uint32_t *id)
{
	if (samples->has_locations && frame->is_native && frame->id != 0) {
		*kind = MPROF_SAMPLE_LOCATION;
		*id = frame->id;
		return;
	}
	samples_item_of_frame(reader, frame, kind, id);
}

/*
 * Finds the record of the innermost frame of a call stack. \p caller receives the stack ID of the frame's caller, 0 if
 * it has none. Returns 0 if there is no memory.
 */
static int find_frame_record(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint32_t *record,
			     uint32_t *caller)
{
	mprof_stack_frame frame;
	uint32_t kind = MPROF_SAMPLE_METHOD;
	uint32_t id = 0;

	*caller = 0;
	if (mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), caller) == MPROF_OK)
		find_item(samples, reader, &frame, &kind, &id);
	return find_record(samples, reader, kind, id, record);
}

/* The node of the innermost frame of a call stack; the root if there is no memory. */
static uint32_t add_frame_node(sample_model *samples, const mprof_reader *reader, uint32_t parent, uint32_t stack)
{
	uint32_t caller;
	uint32_t record;

	return find_frame_record(samples, reader, stack, &record, &caller)
		       ? call_tree_child(&samples->tree, parent, record)
		       : CALL_TREE_ROOT;
}

/*
 * Stores a call stack and its callers in samples->path, innermost first, up to the first one that has a node. \p node
 * receives that node, or the root if none has one. Returns 0 if there is no memory.
 */
static int find_path(sample_model *samples, const mprof_reader *reader, uint32_t stack, size_t *length, uint32_t *node)
{
	uint32_t caller = stack;
	mprof_stack_frame frame;

	*length = 0;
	*node = CALL_TREE_ROOT;
	do {
		void *path = samples->path;
		const sample_stack *known;

		stack = caller;
		known = record_table_get(&samples->stacks, stack);
		if (known == NULL)
			return 0;
		*node = known->node;
		if (known->node != CALL_TREE_ROOT)
			return 1;
		if (!array_reserve(&samples->tree.allocator, &path, &samples->path_capacity, *length + 1,
				   sizeof(*samples->path)))
			return 0;
		samples->path = path;
		samples->path[(*length)++] = stack;
		/* The ID of a caller is below those of its callees; without this check a cycle would never end. */
	} while (mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &caller) == MPROF_OK && caller != 0 &&
		 caller < stack);
	return 1;
}

/* Adds nodes for a call stack and its callers. Returns the node of the call stack, the root if there is no memory. */
static uint32_t make_nodes(sample_model *samples, const mprof_reader *reader, uint32_t stack)
{
	uint32_t node;
	size_t length;

	if (!find_path(samples, reader, stack, &length, &node))
		return CALL_TREE_ROOT;
	while (length > 0) {
		uint32_t next = samples->path[--length];

		node = add_frame_node(samples, reader, node, next);
		if (node == CALL_TREE_ROOT)
			return CALL_TREE_ROOT;
		((sample_stack *)record_table_get(&samples->stacks, next))->node = node;
	}
	return node;
}

/* Counts samples that have no node in a record of one of their frames. */
static void fold_record(sample_model *samples, uint32_t record, int is_innermost, uint64_t count)
{
	sample_record *folded = &samples->records[record];

	samples->has_folded = 1;
	if (is_innermost)
		folded->folded_self += count;
	if (folded->mark != samples->mark)
		folded->folded_total += count;
	folded->mark = samples->mark;
}

/*
 * Counts samples in the records of the frames alone, because there is no memory for the path of the call stack. Returns
 * 0 if there is no memory for the records either.
 */
static int fold_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count)
{
	int is_innermost = 1;
	uint32_t caller;
	uint32_t record;

	for (uint32_t frame = stack; frame != 0; frame = caller < frame ? caller : 0) {
		if (!find_frame_record(samples, reader, frame, &record, &caller))
			return 0;
	}
	samples->mark++;
	for (uint32_t frame = stack; frame != 0; frame = caller < frame ? caller : 0) {
		find_frame_record(samples, reader, frame, &record, &caller);
		fold_record(samples, record, is_innermost, count);
		is_innermost = 0;
	}
	samples->tree.nodes[CALL_TREE_ROOT].self += count;
	return 1;
}

void samples_scale(sample_model *samples, uint64_t factor)
{
	for (size_t i = 0; i < samples->tree.count; i++) {
		samples->tree.nodes[i].self *= factor;
		samples->tree.nodes[i].total *= factor;
		samples->tree.shown[i].self *= factor;
		samples->tree.shown[i].total *= factor;
	}
	for (size_t i = 0; i < samples->record_count; i++) {
		samples->records[i].self *= factor;
		samples->records[i].total *= factor;
		samples->records[i].folded_self *= factor;
		samples->records[i].folded_total *= factor;
	}
	for (size_t i = 0; i < samples->stacks.count; i++) {
		((sample_stack *)record_table_at(&samples->stacks, i))->count *= factor;
		((sample_stack *)record_table_at(&samples->stacks, i))->idle *= factor;
	}
}

/* Whether a thread waits, and all frames up to the outermost one are known and native. */
static int is_idle(const sample_model *samples, uint32_t node)
{
	const call_node *nodes = samples->tree.nodes;

	if (samples_wait_of(samples, node) == MPROF_WAIT_NONE)
		return 0;
	for (; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		const uint32_t kind = samples->records[nodes[node].method].kind;

		if (kind == MPROF_SAMPLE_METHOD || kind == MPROF_SAMPLE_TRUNCATED)
			return 0;
	}
	return 1;
}

int samples_add_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count)
{
	sample_stack *known = record_table_get(&samples->stacks, stack);
	uint32_t node = known != NULL ? known->node : CALL_TREE_ROOT;

	if (known != NULL && node == CALL_TREE_ROOT) {
		node = make_nodes(samples, reader, stack);
		/* The table may have grown. */
		known = record_table_find(&samples->stacks, stack);
	}
	if (known != NULL && samples->folds_idle && is_idle(samples, node)) {
		known->idle += count;
		return 1;
	}
	if (known != NULL)
		known->count += count;
	if (node == CALL_TREE_ROOT)
		return memory_budget_is_exceeded(samples->budget) && fold_stack(samples, reader, stack, count);
	call_tree_mark_changed(&samples->tree, node);
	samples->tree.nodes[node].self += count;
	return 1;
}

int samples_fold_idle(sample_model *samples, const mprof_reader *reader)
{
	for (size_t i = 0; samples->folds_idle && i < samples->stacks.count; i++) {
		sample_stack *stack = record_table_at(&samples->stacks, i);

		if (stack->idle == 0)
			continue;
		if (samples->has_methods) {
			if (!samples_add_frame(samples, reader, MPROF_SAMPLE_IDLE, 0, stack->idle))
				return 0;
		} else {
			call_tree_mark_changed(&samples->tree, stack->node);
			samples->tree.nodes[stack->node].self += stack->idle;
			stack->count += stack->idle;
		}
		stack->idle = 0;
	}
	return 1;
}

mprof_wait_kind samples_wait_of_stack(const sample_model *samples, uint32_t stack)
{
	const sample_stack *known = record_table_find(&samples->stacks, stack);

	return samples_wait_of(samples, known != NULL ? known->node : CALL_TREE_ROOT);
}

int samples_add_frame(sample_model *samples, const mprof_reader *reader, uint32_t kind, uint32_t id, uint64_t count)
{
	uint32_t record;
	uint32_t node;

	if (!find_record(samples, reader, kind, id, &record))
		return 0;
	node = call_tree_child(&samples->tree, CALL_TREE_ROOT, record);
	if (node == CALL_TREE_ROOT) {
		if (!memory_budget_is_exceeded(samples->budget))
			return 0;
		samples->mark++;
		fold_record(samples, record, 1, count);
	}
	call_tree_mark_changed(&samples->tree, node);
	samples->tree.nodes[node].self += count;
	return 1;
}

/* Number of callers of a function that waits which are searched for the reason. */
#define MAX_WAIT_CALLERS 16

mprof_wait_kind samples_wait_of(const sample_model *samples, uint32_t node)
{
	const call_node *nodes = samples->tree.nodes;
	wait_role role;

	if (node == CALL_TREE_ROOT)
		return MPROF_WAIT_NONE;
	role = samples->records[nodes[node].method].wait;
	if (!role.is_innermost)
		return MPROF_WAIT_NONE;
	node = nodes[node].parent;
	for (int callers = 0; callers < MAX_WAIT_CALLERS && node != CALL_TREE_ROOT; callers++) {
		const sample_record *record = &samples->records[nodes[node].method];

		/* A runtime lets threads wait for all kinds of things by condition variables of its own. */
		if (record->wait.kind == MPROF_WAIT_CONDITION && record->kind != MPROF_SAMPLE_METHOD)
			role.kind = MPROF_WAIT_CONDITION;
		else if (record->wait.kind != MPROF_WAIT_NONE && record->wait.kind != MPROF_WAIT_OTHER)
			return record->wait.kind;
		/* Managed code that does not wait by itself is where the wait begins. */
		if (record->kind == MPROF_SAMPLE_METHOD)
			break;
		node = nodes[node].parent;
	}
	return role.kind;
}

/* Ends the list of records. Links are their numbers plus 1. */
#define LAST_RECORD UINT32_MAX

static sample_record *unlink_record(sample_model *samples)
{
	sample_record *record;

	if (samples->changed == 0 || samples->changed == LAST_RECORD) {
		samples->changed = 0;
		return NULL;
	}
	record = &samples->records[samples->changed - 1];
	samples->changed = record->next_changed;
	record->next_changed = 0;
	return record;
}

static void forget_counts(sample_model *samples)
{
	sample_record *record;

	while ((record = unlink_record(samples)) != NULL) {
		record->counted_self = 0;
		record->counted_total = 0;
		record->active = 0;
	}
}

static sample_record *count_node(sample_model *samples, uint32_t number)
{
	const call_node *node = &samples->tree.nodes[number];
	sample_record *record = &samples->records[node->method];

	if (record->next_changed == 0) {
		record->next_changed = samples->changed != 0 ? samples->changed : LAST_RECORD;
		samples->changed = node->method + 1;
	}
	record->counted_self += node->self;
	if (record->active++ == 0)
		record->counted_total += node->total;
	return record;
}

static void leave_record(void *user, call_tree *tree, uint32_t node)
{
	sample_model *samples = user;

	samples->records[tree->nodes[node].method].active--;
}

/* Counts the changed nodes in their records. Returns 0 if \p prepare does, or if it was stopped. */
static int count_changed(sample_model *samples, samples_visit prepare, void *user, progress *going)
{
	call_tree *tree = &samples->tree;
	uint32_t node = CALL_TREE_ROOT;

	if (!progress_begin(going, 2 * call_tree_steps(tree)) || !call_tree_sum(tree, going) ||
	    !progress_begin(going, call_tree_steps(tree)))
		return 0;
	while ((node = call_tree_next_changed(tree, node, leave_record, samples)) != CALL_TREE_ROOT) {
		if (!progress_step(going) || !prepare(user, count_node(samples, node)))
			return 0;
	}
	for (size_t i = 0; samples->has_folded && i < samples->record_count; i++) {
		if (!progress_step(going) || !prepare(user, &samples->records[i]))
			return 0;
	}
	return 1;
}

static void visit_folded_samples(sample_model *samples, samples_visit show, void *user, progress *going)
{
	for (size_t i = 0; i < samples->record_count; i++) {
		sample_record *record = &samples->records[i];

		(void)progress_step(going);
		record->self += record->folded_self;
		record->total += record->folded_total;
		record->folded_self = 0;
		record->folded_total = 0;
		show(user, record);
	}
	samples->has_folded = 0;
}

uint64_t samples_steps(const sample_model *samples)
{
	const uint64_t folded = samples->has_folded ? 2 * (uint64_t)samples->record_count : 0;

	return 4 * call_tree_steps(&samples->tree) + samples->record_count + folded;
}

int samples_show(sample_model *samples, samples_visit prepare, samples_visit show, void *user, progress *going)
{
	call_tree *tree = &samples->tree;
	sample_record *record;

	if (!count_changed(samples, prepare, user, going) || !progress_begin(going, call_tree_steps(tree))) {
		forget_counts(samples);
		return 0;
	}
	tree->nodes[CALL_TREE_ROOT].total += tree->nodes[CALL_TREE_ROOT].self;
	call_tree_show(tree, going);
	(void)progress_begin(going, samples->record_count);
	while ((record = unlink_record(samples)) != NULL) {
		(void)progress_step(going);
		record->self += record->counted_self;
		record->total += record->counted_total;
		record->counted_self = 0;
		record->counted_total = 0;
		show(user, record);
	}
	if (samples->has_folded)
		visit_folded_samples(samples, show, user, going);
	return !going->is_stopped;
}

/* Periods outside are not those of samples of processor time. They also bound products with numbers of samples. */
#define MIN_PERIOD 1000
#define MAX_PERIOD UINT64_C(10000000000)

/* Periods are rounded to nanoseconds, so a ratio that is nearly whole is. */
#define TOLERANCE 1024

/* Returns 0 if the text is no period. */
static uint64_t parse_period(const char *text)
{
	uint64_t period = 0;

	for (; *text >= '0' && *text <= '9' && period <= MAX_PERIOD; text++)
		period = period * 10 + (uint64_t)(*text - '0');
	return *text == '\0' && period >= MIN_PERIOD && period <= MAX_PERIOD ? period : 0;
}

uint64_t sample_weights_set_period(sample_weights *weights, const char *text)
{
	const uint64_t period = parse_period(text);
	uint64_t factor = 1;

	if (period == 0)
		return 1;
	weights->period = period;
	if (weights->unit == 0) {
		weights->unit = period;
	} else if (period < weights->unit) {
		factor = (weights->unit - weights->unit / TOLERANCE + period - 1) / period;
		weights->unit /= factor;
		/* A period that is only a little shorter. */
		if (factor == 1)
			weights->unit = period;
	}
	weights->rest = 0;
	return factor;
}

/*
 * Lines of the source.
 */

/* How many hashes after that of a line are searched. Only chance makes them equal: the table is seeded. */
#define MAX_COLLISIONS 16

void line_list_init(line_list *lines, const mprof_allocator *allocator)
{
	memset(lines, 0, sizeof(*lines));
	lines->allocator = *allocator;
	hash_map_init(&lines->numbers, allocator);
}

void line_list_clear(line_list *lines)
{
	hash_map_destroy(&lines->numbers);
	hash_map_init(&lines->numbers, &lines->allocator);
	lines->count = 0;
}

void line_list_destroy(line_list *lines)
{
	hash_map_destroy(&lines->numbers);
	allocator_release(&lines->allocator, lines->records, lines->capacity * sizeof(*lines->records));
	lines->records = NULL;
	lines->capacity = 0;
	lines->count = 0;
}

/* The source file of a position: its own, or that of the method. NULL if it is not known. */
static const char *find_file(const mprof_reader *reader, const mprof_position_record *position)
{
	mprof_mapping method;
	mprof_record text;

	if (position->file != 0 &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, position->file, &text, sizeof(text)) == MPROF_OK)
		return text.as.text.text;
	if (position->is_native || position->file != 0 ||
	    mprof_reader_lookup_method(reader, position->target, &method, sizeof(method)) != MPROF_OK)
		return NULL;
	return method.source_file;
}

/* Files are compared by their address: a log defines each name once. */
static int is_same_line(const mprof_line_stats *one, const mprof_line_stats *other)
{
	return one->kind == other->kind && one->id == other->id && one->line == other->line && one->file == other->file;
}

static line_record *add_line(line_list *lines, const mprof_line_stats *line, uint64_t hash, int is_free)
{
	void *records = lines->records;
	line_record *record;
	int is_reserved =
		array_reserve(&lines->allocator, &records, &lines->capacity, lines->count + 1, sizeof(*lines->records));

	lines->records = records;
	if (!is_reserved || (is_free && !hash_map_put(&lines->numbers, hash, lines->count)))
		return NULL;
	record = &lines->records[lines->count++];
	*record = (line_record){.stats = *line};
	return record;
}

/* The record of a line, which is added if it is new. NULL if there is no memory. */
static line_record *get_line(line_list *lines, const mprof_line_stats *line)
{
	uint64_t hash = hash_mix(lines->numbers.index.seed, (uint64_t)line->kind << 32 | line->id);

	hash = hash_mix(hash_mix(hash, line->line), (uint64_t)(uintptr_t)line->file);
	for (int i = 0; i < MAX_COLLISIONS; i++, hash++) {
		const uint64_t *found = hash_map_get(&lines->numbers, hash);

		if (found == NULL)
			return add_line(lines, line, hash, 1);
		if (is_same_line(&lines->records[*found].stats, line))
			return &lines->records[*found];
	}
	return add_line(lines, line, hash, 0);
}

/* The record of the line of a frame. NULL if there is no memory. */
static line_record *line_of_frame(line_list *lines, const mprof_reader *reader, const mprof_stack_frame *frame)
{
	mprof_line_stats line = {.line = frame->line};
	mprof_record position;

	samples_item_of_frame(reader, frame, &line.kind, &line.id);
	if (mprof_reader_lookup_record(reader, MPROF_RECORD_POSITION, frame->position, &position, sizeof(position)) ==
	    MPROF_OK)
		line.file = find_file(reader, &position.as.position);
	return get_line(lines, &line);
}

int line_list_add(line_list *lines, const mprof_reader *reader, uint32_t stack, const line_counts *counts)
{
	int is_innermost = 1;
	int is_allocating = 1;
	mprof_stack_frame frame;
	uint32_t caller;

	lines->mark++;
	for (; mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &caller) == MPROF_OK; stack = caller) {
		line_record *record = NULL;

		if (frame.position != 0) {
			record = line_of_frame(lines, reader, &frame);
			if (record == NULL)
				return 0;
			record->stats.samples += is_innermost ? counts->samples : 0;
			record->stats.samples_total += record->mark != lines->mark ? counts->samples : 0;
			record->stats.allocations += is_allocating ? counts->allocations : 0;
			record->stats.bytes += is_allocating ? counts->bytes : 0;
			record->mark = lines->mark;
		}
		is_innermost = 0;
		is_allocating &= record == NULL && frame.is_native;
		/* The ID of a caller is below those of its callees; without this check a cycle would never end. */
		if (caller >= stack)
			break;
	}
	return 1;
}

/*
 * Samples of kinds.
 */

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
	if (is_known && mprof_reader_name_stack(reader, facts.thread, (uint32_t)facts.stack, event->counter, &stack) ==
				MPROF_ERR_MEMORY)
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
