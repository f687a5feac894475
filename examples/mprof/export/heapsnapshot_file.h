/* SPDX-License-Identifier: MIT */
/**
 * \file export/heapsnapshot_file.h
 * \brief The parts of a heap snapshot in the format of V8: nodes, edges and texts.
 *
 * The nodes begin with those of #snapshot_node. The edges are in the order of the nodes that they begin at.
 */
#ifndef EXPORT_HEAPSNAPSHOT_FILE_H
#define EXPORT_HEAPSNAPSHOT_FILE_H

#include "export/heap_source.h"
#include "export/intern.h"

#include <stdio.h>

/** Numbers of the types of nodes and edges that are used. */
enum { NODE_OBJECT = 3 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_WEAK = 6 };

/** Nodes that are no objects; those of kinds of roots are from NODE_FIRST_KIND on. */
enum snapshot_node {
	NODE_ROOT,
	NODE_GC_ROOTS,
	NODE_UNREACHABLE,
	NODE_NOTE,
	NODE_FIRST_KIND,
	NODE_FIRST_OBJECT = NODE_FIRST_KIND + HEAP_ROOT_KINDS
};

/** The viewers number nodes times fields with 32 bits. */
#define SNAPSHOT_MAX_NODES (UINT32_MAX / 6)

typedef struct snapshot_file {
	FILE *stream;
	const heap_view *view;
	intern_table strings;
	const char *separator;
	int has_failed; /**< Out of memory. */
} snapshot_file;

/** Numbers of edges from the nodes that are no objects. */
typedef struct snapshot_edges {
	uint64_t gc_roots; /**< In addition to those to the kinds of roots. */
	uint64_t unreachable;
	uint64_t roots[HEAP_ROOT_KINDS];
} snapshot_edges;

/** Whether no root keeps an object alive. */
int snapshot_is_unreachable(const heap_view *view, const mprof_heap_object *object);

/** The number of a text. */
uint32_t snapshot_string(snapshot_file *file, const char *text);

/** Begins a file whose numbers of objects and edges are known; the edges of the first nodes are added. */
void snapshot_begin(snapshot_file *file, uint64_t objects, uint64_t edges, const snapshot_edges *first);

/** Begins the nodes with those that are no objects. \p what is added to the note about the snapshot. */
void snapshot_begin_nodes(snapshot_file *file, const snapshot_edges *edges, const char *what);

/** Writes a node. Objects have odd IDs. A size that does not fit 32 bits is replaced by the greatest that does. */
void snapshot_put_node(snapshot_file *file, uint32_t name, uint32_t id, uint64_t bytes, uint64_t edges);

/** Ends the nodes, and writes the edges of the first two nodes except snapshot_edges::gc_roots. */
void snapshot_begin_edges(snapshot_file *file);
void snapshot_put_edge(snapshot_file *file, uint32_t type, uint32_t name_or_index, uint32_t node);

/** Writes the edge of a root. \p element is its number among the roots of its kind. */
void snapshot_put_root(snapshot_file *file, const mprof_heap_root *root, uint32_t element, uint32_t node);

/** Writes the edge of a reference: an element of an array with its index, any other with the name of its field. */
void snapshot_put_reference(snapshot_file *file, const mprof_heap_object *object, const mprof_heap_reference *reference,
			    uint32_t type, uint32_t node);

/** Ends the edges, and writes the texts. */
void snapshot_end(snapshot_file *file);

void snapshot_release(snapshot_file *file);

#endif
