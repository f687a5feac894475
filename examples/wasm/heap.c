/* SPDX-License-Identifier: MIT */
/* Dominators, paths and references of heap graphs. */
#include "module.h"

#include <stddef.h>
#include <stdlib.h>

/* JavaScript reads the structs up to their names. */
#define JS_REFERENCE_SIZE offsetof(mprof_heap_reference, name)
#define JS_STEP_SIZE offsetof(mprof_heap_step, name)

mprof_status WASM_EXPORT(mprof_js_graph_build_dominators)(log_view *view)
{
	return mprof_heap_graph_build_dominators(view->graph);
}

mprof_status WASM_EXPORT(mprof_js_graph_build_paths)(log_view *view)
{
	return mprof_heap_graph_build_paths(view->graph);
}

mprof_status WASM_EXPORT(mprof_js_graph_build_referrers)(log_view *view)
{
	return mprof_heap_graph_build_referrers(view->graph);
}

uint32_t WASM_EXPORT(mprof_js_graph_lookup)(const log_view *view, uint64_t address)
{
	uint32_t object = MPROF_HEAP_NO_OBJECT;

	(void)mprof_heap_graph_lookup_object(view->graph, address, &object);
	return object;
}

/* Gets objects by their dominator. Returns their number, which may exceed capacity, or a negative status. */
double WASM_EXPORT(mprof_js_graph_get_dominated)(const log_view *view, uint32_t dominator, uint32_t *objects,
						 uint32_t capacity)
{
	size_t count = 0;
	mprof_status status = mprof_heap_graph_get_dominated(view->graph, dominator, objects, capacity, &count);

	return status == MPROF_OK ? (double)count : -(double)status;
}

/* Gets the retained size of a set of objects, or a negative status. */
double WASM_EXPORT(mprof_js_graph_get_retained)(log_view *view, const uint32_t *objects, uint32_t count)
{
	uint64_t bytes = 0;
	mprof_status status = mprof_heap_graph_get_retained(view->graph, objects, count, &bytes);

	return status == MPROF_OK ? (double)bytes : -(double)status;
}

/* Gets references of an object, or with is_referrer references to it. Returns their number or a negative status. */
double WASM_EXPORT(mprof_js_graph_get_references)(const log_view *view, uint32_t is_referrer, uint32_t object,
						  uint32_t first, mprof_heap_reference *references, uint32_t capacity)
{
	size_t count = 0;
	mprof_status status = is_referrer ? mprof_heap_graph_get_referrers(view->graph, object, first, references,
									   JS_REFERENCE_SIZE, capacity, &count)
					  : mprof_heap_graph_get_references(view->graph, object, first, references,
									    JS_REFERENCE_SIZE, capacity, &count);

	return status == MPROF_OK ? (double)count : -(double)status;
}

/* Gets the last reference of the path to an object. */
mprof_status WASM_EXPORT(mprof_js_graph_get_parent)(const log_view *view, uint32_t object,
						    mprof_heap_reference *reference)
{
	return mprof_heap_graph_get_parent(view->graph, object, reference, JS_REFERENCE_SIZE);
}

/* Gets the path to an object: three numbers of its root, then its steps. Returns the number of steps as above. */
double WASM_EXPORT(mprof_js_graph_get_path)(const log_view *view, uint32_t object, uint32_t root[3],
					    mprof_heap_step *steps, uint32_t capacity)
{
	mprof_heap_root from = {.struct_size = sizeof(from)};
	size_t count = 0;
	mprof_status status =
		mprof_heap_graph_get_path(view->graph, object, &from, steps, JS_STEP_SIZE, capacity, &count);

	root[0] = from.object;
	root[1] = from.kind;
	root[2] = from.area;
	return status == MPROF_OK ? (double)count : -(double)status;
}
