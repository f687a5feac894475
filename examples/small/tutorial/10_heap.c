/* SPDX-License-Identifier: MIT */
/*
 * 10: record a heap snapshot.
 *
 * A collector reports the live objects with their references, and the roots that keep them alive. All of it may happen
 * while the world is stopped: these functions take no lock, do not allocate and do not wait. Here the heap is a list of
 * three nodes; a static field refers to the first one.
 *
 *     ./10_heap heap.mprof && mprof report heap.mprof
 */
#include <mprof/recorder.h>

#include <string.h>

enum { CLASS_NODE = 1, NODES = 3 };

struct node {
	struct node *next;
	int value;
};

static uint64_t address(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

int main(int argc, char **argv)
{
	static struct node nodes[NODES] = {{&nodes[1], 1}, {&nodes[2], 2}, {NULL, 3}};
	mprof_description description;
	mprof_recorder *recorder;
	int failed;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK)
		return 1;
	mprof_description_init(&description, sizeof(description));
	description.name = "Node";
	description.name_length = strlen(description.name);
	failed = mprof_recorder_define_class(recorder, CLASS_NODE, &description) != MPROF_OK ||
		 !mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1);
	for (int i = 0; i < NODES && !failed; i++) {
		const uint64_t next = address(nodes[i].next);

		mprof_recorder_add_heap_object(recorder, address(&nodes[i]), CLASS_NODE, sizeof(struct node), &next,
					       NULL, nodes[i].next != NULL);
	}
	if (!failed) {
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STATIC, 0, address(&nodes[0]));
		mprof_recorder_end_heap(recorder);
	}
	failed = mprof_recorder_close(recorder) != MPROF_OK || failed;
	mprof_recorder_destroy(recorder);
	return failed;
}
