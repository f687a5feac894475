/* SPDX-License-Identifier: MIT */
/* Where time goes: the frame with the most time of its own, and the path that most time has in common. */
#include "model/results/finding_frames.h"

#include "base/allocator.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

/* A share of the whole, in percent, from which a path has most of it. */
enum { MOST_OF_IT = 60 };

/* A frame with a value: locations of a function are one frame. */
typedef struct frame_sum {
	uint64_t key;
	uint64_t value;
} frame_sum;

typedef struct frame_sums {
	frame_sum *items;
	size_t count;
	size_t capacity;
} frame_sums;

/* What is looked for while trees of frames are made. */
typedef struct frame_search {
	const finding_source *source;
	frame_sums waiting;               /* Frames in which threads wait, of native code its functions. Sorted. */
	uint64_t selected;                /* A frame, 0 for none. */
	uint32_t from;                    /* An mprof_frame_source. */
	uint32_t kind;                    /* Of samples; 0 for plain ones. */
	char subject[FINDING_WORDS_SIZE]; /* What shares are of. */
} frame_search;

static uint64_t make_key(uint32_t kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

static uint32_t kind_of(uint64_t key)
{
	return (uint32_t)(key >> 32);
}

static uint32_t id_of(uint64_t key)
{
	return (uint32_t)key;
}

/* The function of a location, or its module. */
static uint64_t unite_locations(const mprof_reader *reader, uint32_t kind, uint32_t id)
{
	mprof_record record;

	if (kind != MPROF_SAMPLE_LOCATION ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, id, &record, sizeof(record)) != MPROF_OK)
		return make_key(kind, id);
	if (record.as.location.function != 0)
		return make_key(MPROF_SAMPLE_FUNCTION, record.as.location.function);
	return record.as.location.module != 0 ? make_key(MPROF_SAMPLE_MODULE, record.as.location.module)
					      : make_key(kind, id);
}

static int compare_keys(const void *first, const void *second)
{
	const frame_sum *a = first;
	const frame_sum *b = second;

	return (a->key > b->key) - (a->key < b->key);
}

static mprof_status sums_init(frame_sums *sums, const finding_source *source, size_t capacity)
{
	memset(sums, 0, sizeof(*sums));
	if (capacity == 0)
		return MPROF_OK;
	sums->items = allocator_allocate(&source->allocator, capacity * sizeof(*sums->items));
	sums->capacity = sums->items != NULL ? capacity : 0;
	return sums->items != NULL ? MPROF_OK : MPROF_ERR_MEMORY;
}

static void sums_destroy(frame_sums *sums, const finding_source *source)
{
	allocator_release(&source->allocator, sums->items, sums->capacity * sizeof(*sums->items));
}

/* The caller has made room. */
static void sums_add(frame_sums *sums, uint64_t key, uint64_t value)
{
	if (value > 0)
		sums->items[sums->count++] = (frame_sum){.key = key, .value = value};
}

/* Leaves one item for each key, in the order of keys. */
static void sums_unite(frame_sums *sums)
{
	size_t united = 0;

	sort_in_place(sums->items, sums->count, sizeof(*sums->items), compare_keys);
	for (size_t i = 0; i < sums->count; i++) {
		if (united > 0 && sums->items[united - 1].key == sums->items[i].key)
			sums->items[united - 1].value += sums->items[i].value;
		else
			sums->items[united++] = sums->items[i];
	}
	sums->count = united;
}

/* NULL if there is none. */
static const frame_sum *sums_largest(const frame_sums *sums)
{
	const frame_sum *largest = NULL;

	for (size_t i = 0; i < sums->count; i++) {
		if (largest == NULL || sums->items[i].value > largest->value)
			largest = &sums->items[i];
	}
	return largest;
}

static int sums_have(const frame_sums *sums, uint64_t key)
{
	size_t first = 0;
	size_t end = sums->count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (sums->items[middle].key < key)
			first = middle + 1;
		else
			end = middle;
	}
	return first < sums->count && sums->items[first].key == key;
}

/* Threads that wait are not where a program spends its time. */
static mprof_status find_waiting(frame_search *search)
{
	const mprof_profile *profile = search->source->profile;
	const size_t count = mprof_profile_get_row_count(profile, MPROF_TABLE_SAMPLE_NODES);
	mprof_sample_node node = {.struct_size = sizeof(node)};
	mprof_status status = sums_init(&search->waiting, search->source, count);

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		status = mprof_profile_get_row(profile, MPROF_TABLE_SAMPLE_NODES, i, &node);
		if (node.wait != MPROF_WAIT_NONE || node.kind == MPROF_SAMPLE_IDLE)
			sums_add(&search->waiting, unite_locations(search->source->reader, node.kind, node.id),
				 node.self);
	}
	if (status == MPROF_OK)
		sums_unite(&search->waiting);
	return status;
}

static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const frame_search *search = user;
	const uint64_t key = unite_locations(search->source->reader, kind, id);
	uint32_t choice = sums_have(&search->waiting, key) ? MPROF_FRAME_IGNORE : 0;

	if (search->selected != 0 && key == search->selected)
		choice |= MPROF_FRAME_SELECT;
	return choice;
}

static mprof_status make_tree(frame_search *search, mprof_frame_tree **tree)
{
	mprof_frame_tree_options options;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.allocator = &search->source->allocator;
	options.source = search->from;
	options.sample_kind = search->kind;
	options.choose = choose_frame;
	options.user = search;
	return mprof_frame_tree_create(search->source->profile, search->source->reader, &options, tree);
}

static uint64_t whole_of(const mprof_frame_tree *tree)
{
	mprof_frame_node root = {.struct_size = sizeof(root)};

	return mprof_frame_tree_get_node(tree, 0, &root) == MPROF_OK ? root.total : 0;
}

/* The frames of a tree by their own value. */
static mprof_status sum_frames(const frame_search *search, const mprof_frame_tree *tree, frame_sums *sums)
{
	const size_t count = mprof_frame_tree_get_frame_count(tree);
	mprof_frame_stats stats = {.struct_size = sizeof(stats)};
	mprof_status status = sums_init(sums, search->source, count);

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		status = mprof_frame_tree_get_frame(tree, i, &stats);
		if (stats.kind != 0 && (stats.flags & MPROF_EVENT_FLAG_COMPILING) == 0 &&
		    stats.kind != MPROF_SAMPLE_TRUNCATED)
			sums_add(sums, unite_locations(search->source->reader, stats.kind, stats.id), stats.self);
	}
	if (status == MPROF_OK)
		sums_unite(sums);
	return status;
}

/* The frames that call the selected one, by the value that it has when they do. */
static mprof_status sum_callers(const frame_search *search, const mprof_frame_tree *tree, frame_sums *sums)
{
	const size_t count = mprof_frame_tree_get_caller_count(tree);
	mprof_frame_stats stats = {.struct_size = sizeof(stats)};
	mprof_status status = sums_init(sums, search->source, count);

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		uint64_t key;

		status = mprof_frame_tree_get_caller(tree, i, &stats);
		key = unite_locations(search->source->reader, stats.kind, stats.id);
		/* A recursive call does not show who calls. */
		if (stats.kind != 0 && stats.kind != MPROF_SAMPLE_TRUNCATED && key != search->selected)
			sums_add(sums, key, stats.self);
	}
	if (status == MPROF_OK)
		sums_unite(sums);
	return status;
}

/* Whether a frame has a name that means something to the reader: it is no address and no wrapper of the runtime. */
static int is_named(const finding_source *source, uint64_t key)
{
	char name[FINDING_NAME_SIZE];

	if (kind_of(key) != MPROF_SAMPLE_METHOD && kind_of(key) != MPROF_SAMPLE_FUNCTION)
		return 0;
	finding_name(source, kind_of(key), id_of(key), name);
	return strncmp(name, "object.", 7) != 0 && strncmp(name, "(wrapper", 8) != 0;
}

/* Whether a name is only the place in a module: "libc.so.6+0x1234". */
static int is_place(const char *name)
{
	return strstr(name, "+0x") != NULL;
}

/* Whether a frame has a name that its module states, not only its place there. */
static int has_symbol(const finding_source *source, uint64_t key)
{
	char name[FINDING_NAME_SIZE];

	return is_named(source, key) && !is_place(finding_name(source, kind_of(key), id_of(key), name));
}

/* The callers of the selected frame that are nearest to it and have a name, by the value that it has below them. */
static mprof_status sum_named_callers(const frame_search *search, const mprof_frame_tree *tree, uint64_t whole,
				      frame_sums *sums)
{
	const size_t count = mprof_frame_tree_get_node_count(tree);
	mprof_frame_node node = {.struct_size = sizeof(node)};
	mprof_status status = sums_init(sums, search->source, count);

	for (size_t i = 1; i < count && status == MPROF_OK; i++) {
		uint64_t key = 0;
		uint64_t value;

		status = mprof_frame_tree_get_node(tree, i, &node);
		value = node.self;
		/* Names are found for the few nodes that matter only. */
		if (unite_locations(search->source->reader, node.kind, node.id) != search->selected ||
		    finding_percent(value, whole) == 0)
			continue;
		while (node.parent != 0 && status == MPROF_OK && key == 0) {
			status = mprof_frame_tree_get_node(tree, node.parent, &node);
			key = unite_locations(search->source->reader, node.kind, node.id);
			key = has_symbol(search->source, key) ? key : 0;
		}
		sums_add(sums, key, key != 0 ? value : 0);
	}
	sums_unite(sums);
	return status;
}

/* Writes who calls the hot frame most, "" if nobody does. */
static mprof_status describe_caller(frame_search *search, uint64_t hot, uint64_t value, char *text, size_t size)
{
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	mprof_frame_tree *tree = NULL;
	frame_sums callers = {0};
	const frame_sum *largest;
	mprof_status status;

	text[0] = '\0';
	search->selected = hot;
	status = make_tree(search, &tree);
	if (status == MPROF_OK)
		status = sum_callers(search, tree, &callers);
	largest = status == MPROF_OK ? sums_largest(&callers) : NULL;
	/* An address names nobody. */
	if (largest != NULL && !has_symbol(search->source, largest->key)) {
		sums_destroy(&callers, search->source);
		status = sum_named_callers(search, tree, value, &callers);
		largest = status == MPROF_OK ? sums_largest(&callers) : NULL;
		if (largest != NULL && finding_percent(largest->value, value) > 0)
			snprintf(text, size, "; for %s of that, the nearest caller with a name is %s",
				 finding_share(share, largest->value, value),
				 finding_name(search->source, kind_of(largest->key), id_of(largest->key), name));
		/* Of a recursive frame, hardly any time may be in calls from others. */
	} else if (largest != NULL && finding_percent(largest->value, value) > 0) {
		snprintf(text, size, "; %s calls it for %s of that",
			 finding_name(search->source, kind_of(largest->key), id_of(largest->key), name),
			 finding_share(share, largest->value, value));
	}
	sums_destroy(&callers, search->source);
	mprof_frame_tree_destroy(tree);
	search->selected = 0;
	return status;
}

static mprof_status add_hot_frame(frame_search *search, finding_source *source, const frame_sum *hot, uint64_t whole)
{
	char words[FINDING_COMMAND_SIZE];
	char pattern[FINDING_COMMAND_SIZE];
	char caller[FINDING_NAME_SIZE + 64];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	const mprof_status status = describe_caller(search, hot->key, hot->value, caller, sizeof(caller));

	if (status != MPROF_OK)
		return status;
	finding_name(source, kind_of(hot->key), id_of(hot->key), name);
	finding_pattern(source, kind_of(hot->key), id_of(hot->key), pattern);
	snprintf(words, sizeof(words), "report --callers='%.300s'", pattern);
	finding_add(source, "hot-method", search->from == MPROF_FRAME_SOURCE_CALLS ? "methods" : "samples",
		    finding_percent(hot->value, whole), words, "%s%s%s takes %s of the %s%s.",
		    is_place(name) ? "Code at " : "", name, is_place(name) ? ", which has no symbol," : "",
		    finding_share(share, hot->value, whole), search->subject, caller);
	return MPROF_OK;
}

/*
 * Of all nodes below those of a group, which are called by them, adds up the values by frame. Then leaves the nodes of
 * the largest frame as the group. Returns that frame; a value of 0 means that there is none.
 */
static frame_sum descend(const frame_search *search, const mprof_frame_tree *tree, frame_sums *sums, uint32_t *group,
			 size_t *count, uint32_t *next)
{
	mprof_frame_node node = {.struct_size = sizeof(node)};
	const frame_sum *largest;
	size_t found = 0;
	size_t kept = 0;

	sums->count = 0;
	for (size_t i = 0; i < *count; i++) {
		if (mprof_frame_tree_get_node(tree, group[i], &node) != MPROF_OK)
			continue;
		for (uint32_t child = node.first_child; child != 0; child = node.next_sibling) {
			if (mprof_frame_tree_get_node(tree, child, &node) != MPROF_OK)
				break;
			next[found++] = child;
			sums_add(sums, unite_locations(search->source->reader, node.kind, node.id), node.total);
		}
	}
	sums_unite(sums);
	largest = sums_largest(sums);
	for (size_t i = 0; i < found && largest != NULL; i++) {
		if (mprof_frame_tree_get_node(tree, next[i], &node) == MPROF_OK &&
		    unite_locations(search->source->reader, node.kind, node.id) == largest->key)
			group[kept++] = next[i];
	}
	*count = kept;
	return largest != NULL ? *largest : (frame_sum){0};
}

/* Whether a frame is code of the program itself rather than of a runtime or a library. */
static int is_of_program(const finding_source *source, uint64_t key)
{
	char name[FINDING_NAME_SIZE];

	if (kind_of(key) != MPROF_SAMPLE_METHOD && kind_of(key) != MPROF_SAMPLE_FUNCTION)
		return 0;
	return !finding_is_of_runtime(finding_name(source, kind_of(key), id_of(key), name));
}

/* Removes and returns the one with a name that has the most time; a value of 0 means that there is none. */
static frame_sum take_largest(const finding_source *source, frame_sums *sums)
{
	frame_sum *largest = NULL;
	frame_sum taken = {0};

	for (size_t i = 0; i < sums->count; i++) {
		if ((largest == NULL || sums->items[i].value > largest->value) && is_named(source, sums->items[i].key))
			largest = &sums->items[i];
	}
	if (largest != NULL) {
		taken = *largest;
		largest->value = 0;
	}
	return taken;
}

/* Room for the parts of a path. */
enum { MAX_PARTS = 3, PARTS_SIZE = MAX_PARTS * (FINDING_NAME_SIZE + FINDING_NUMBER_SIZE) };

/* Writes ": SHARE in NAME, SHARE in NAME" of what a frame calls; "" if it is many small parts. */
static void describe_parts(const finding_source *source, frame_sums *callees, uint64_t whole, char text[PARTS_SIZE])
{
	enum { MIN_FIRST = 20, MIN_PART = 5 };
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < MAX_PARTS; i++) {
		const frame_sum part = take_largest(source, callees);

		if (finding_percent(part.value, whole) < (i == 0 ? MIN_FIRST : MIN_PART))
			break;
		length += (size_t)snprintf(text + length, PARTS_SIZE - length, "%s %s in %s", i == 0 ? ":" : ",",
					   finding_share(share, part.value, whole),
					   finding_name(source, kind_of(part.key), id_of(part.key), name));
	}
}

static void add_path_to(finding_source *source, const frame_search *search, const frame_sum *last, uint64_t whole,
			const char *parts)
{
	char words[FINDING_COMMAND_SIZE];
	char pattern[FINDING_COMMAND_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];

	finding_pattern(source, kind_of(last->key), id_of(last->key), pattern);
	snprintf(words, sizeof(words), "report --callees='%.300s'", pattern);
	finding_add(source, "hot-path", search->from == MPROF_FRAME_SOURCE_CALLS ? "tree" : "sample-tree",
		    finding_percent(last->value, whole) / 2, words, "%s with all that it calls takes %s of the %s%s.",
		    finding_name(source, kind_of(last->key), id_of(last->key), name),
		    finding_share(share, last->value, whole), search->subject, parts);
}

/*
 * Follows the frames that most of the time has in common from the root, up to the last one of the program itself or, if
 * there is none, the last one. Paths of the outermost ones are of no use unless their parts are known.
 */
static void add_path(finding_source *source, const frame_search *search, const mprof_frame_tree *tree, frame_sums *sums,
		     uint32_t *nodes, size_t node_count, uint64_t hot)
{
	enum { MIN_DEPTH = 3, MAX_DEPTH = 1000 };
	const uint64_t whole = whole_of(tree);
	char parts[PARTS_SIZE] = "";
	frame_sum last = {0};
	frame_sum last_of_program = {0};
	size_t count = 1;
	int depth = 0;

	nodes[0] = 0;
	for (; depth < MAX_DEPTH; depth++) {
		const frame_sum step = descend(search, tree, sums, nodes, &count, nodes + node_count);

		if (last.value > 0 && last.key == last_of_program.key)
			describe_parts(source, sums, whole, parts);
		if (finding_percent(step.value, whole) < MOST_OF_IT || kind_of(step.key) == MPROF_SAMPLE_TRUNCATED)
			break;
		last = step;
		if (is_of_program(source, step.key))
			last_of_program = step;
	}
	if (last_of_program.value > 0)
		last = last_of_program;
	if ((depth >= MIN_DEPTH || parts[0] != '\0') && last.value > 0 && last.key != hot)
		add_path_to(source, search, &last, whole, parts);
}

static mprof_status find_path(finding_source *source, const frame_search *search, const mprof_frame_tree *tree,
			      uint64_t hot)
{
	const size_t node_count = mprof_frame_tree_get_node_count(tree);
	frame_sums sums = {0};
	mprof_status status = sums_init(&sums, source, node_count);
	uint32_t *nodes = allocator_allocate(&source->allocator, 2 * node_count * sizeof(*nodes));

	if (nodes == NULL)
		status = MPROF_ERR_MEMORY;
	if (status == MPROF_OK)
		add_path(source, search, tree, &sums, nodes, node_count, hot);
	allocator_release(&source->allocator, nodes, 2 * node_count * sizeof(*nodes));
	sums_destroy(&sums, source);
	return status;
}

static mprof_status find_in_tree(finding_source *source, frame_search *search, const mprof_frame_tree *tree)
{
	frame_sums sums = {0};
	const frame_sum *hot;
	mprof_status status = sum_frames(search, tree, &sums);
	char count[FINDING_NUMBER_SIZE];

	/* A share of the few samples that are left may be of little weight. */
	if (search->waiting.count > 0)
		snprintf(search->subject, sizeof(search->subject), "%s samples of running threads",
			 finding_count(count, whole_of(tree)));
	hot = status == MPROF_OK ? sums_largest(&sums) : NULL;
	if (hot != NULL)
		status = add_hot_frame(search, source, hot, whole_of(tree));
	if (hot != NULL && status == MPROF_OK)
		status = find_path(source, search, tree, hot->key);
	sums_destroy(&sums, source);
	return status;
}

/*
 * The innermost method of the program itself at or above a node, 0 if there is none. Functions are left out: those of
 * libraries are not distinguished from those of a program.
 */
static uint64_t find_waiting_code(const finding_source *source, uint32_t index)
{
	mprof_sample_node node = {.struct_size = sizeof(node)};

	while (index != 0 &&
	       mprof_profile_get_row(source->profile, MPROF_TABLE_SAMPLE_NODES, index, &node) == MPROF_OK) {
		if (node.kind == MPROF_SAMPLE_METHOD && is_of_program(source, make_key(node.kind, node.id)))
			return make_key(node.kind, node.id);
		index = node.parent;
	}
	return 0;
}

static void add_waiting_code(finding_source *source, const frame_sum *most)
{
	enum { MIN_SHARE = 10, MAX_SEVERITY = 50 };
	const uint64_t share_of_all = finding_percent(most->value, source->totals.samples);
	char share[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];

	if (share_of_all >= MIN_SHARE)
		finding_add(source, "wait", "sample-waits", share_of_all < MAX_SEVERITY ? share_of_all : MAX_SEVERITY,
			    "report --sections=sample-waits,sample-tree",
			    "In %s of the %s samples, threads wait in %s, or in what it calls.",
			    finding_share(share, most->value, source->totals.samples),
			    finding_count(count, source->totals.samples),
			    finding_name(source, kind_of(most->key), id_of(most->key), name));
}

/* The code of the program in which threads wait most, apart from idle ones. */
static mprof_status find_waiting_samples(finding_source *source)
{
	const size_t count = mprof_profile_get_row_count(source->profile, MPROF_TABLE_SAMPLE_NODES);
	mprof_sample_node node = {.struct_size = sizeof(node)};
	frame_sums sums = {0};
	mprof_status status = sums_init(&sums, source, count);
	const frame_sum *most;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		status = mprof_profile_get_row(source->profile, MPROF_TABLE_SAMPLE_NODES, i, &node);
		/* Names are found for the few nodes that matter only. */
		if (status == MPROF_OK && node.wait != MPROF_WAIT_NONE && node.kind != MPROF_SAMPLE_IDLE &&
		    finding_percent(node.self, source->totals.samples) > 0) {
			const uint64_t key = find_waiting_code(source, (uint32_t)i);

			sums_add(&sums, key, key != 0 ? node.self : 0);
		}
	}
	sums_unite(&sums);
	most = status == MPROF_OK ? sums_largest(&sums) : NULL;
	if (most != NULL)
		add_waiting_code(source, most);
	sums_destroy(&sums, source);
	return status;
}

/* Chooses what frames are taken from: samples if there are enough for shares, else calls, else samples of a kind. */
static int choose_source(finding_source *source, frame_search *search)
{
	enum { ENOUGH_SAMPLES = 100 };
	static const mprof_sample_kind_stats no_kind = {.struct_size = sizeof(no_kind)};
	mprof_sample_kind_stats kind = no_kind;

	search->from = MPROF_FRAME_SOURCE_SAMPLES;
	finding_words(search->subject, "samples of running threads");
	if (source->totals.samples >= ENOUGH_SAMPLES || (source->totals.samples > 0 && source->totals.calls == 0))
		return 1;
	if (source->totals.calls > 0) {
		search->from = MPROF_FRAME_SOURCE_CALLS;
		finding_words(search->subject, "time in methods");
		return 1;
	}
	if (mprof_profile_get_row(source->profile, MPROF_TABLE_SAMPLE_KINDS, 0, &kind) != MPROF_OK)
		return 0;
	search->kind = kind.type;
	finding_words(search->subject, kind.name);
	return kind.weight > 0;
}

mprof_status finding_frames_find(finding_source *source)
{
	frame_search search = {.source = source};
	mprof_frame_tree *tree = NULL;
	mprof_status status;

	if (!choose_source(source, &search))
		return MPROF_OK;
	status = find_waiting_samples(source);
	if (status != MPROF_OK)
		return status;
	status = search.from == MPROF_FRAME_SOURCE_SAMPLES && search.kind == 0 ? find_waiting(&search) : MPROF_OK;
	if (status == MPROF_OK)
		status = make_tree(&search, &tree);
	if (status == MPROF_OK)
		status = find_in_tree(source, &search, tree);
	mprof_frame_tree_destroy(tree);
	sums_destroy(&search.waiting, source);
	return status;
}
