// SPDX-License-Identifier: MIT
// What the heap view asks of a log: the classes of a snapshot, paths of a class, and the tree of dominators. Runs in the
// worker.
import { PathShapes, rootKindName } from './heap_shapes.js';
import { dominatorTree } from './heap_tree.js';
import { LogPart } from './log_part.js';

// Graphs that are kept: those of two snapshots that are compared.
const mostGraphs = 2;

// Paths that are shown.
const mostPaths = 100;

export class HeapQuestions {
	#part;
	#graphs = new Map();
	#work = Promise.resolve();

	constructor(mprof, log) {
		this.#part = new LogPart(mprof, log);
	}

	// One question after the other, since a graph is closed when others are asked for.
	ask(answer, parameters) {
		const answers = { heap: this.#describe, heapPaths: this.#paths, heapTree: this.#tree };
		const result = this.#work.then(() => this.#read(parameters.shot)).then((heap) =>
			({ ...answers[answer].call(this, heap, parameters), isWhole: this.#part.isWhole }));
		this.#work = result.catch(() => {});
		return result;
	}

	// The graph of the N-th snapshot, of what has arrived of the log.
	async #read(shot) {
		const log = await this.#part.get(() => this.#graphs.clear());
		const known = this.#graphs.get(shot);
		if (known !== undefined) {
			this.#graphs.delete(shot);
			this.#graphs.set(shot, known);
			return known;
		}
		for (const [other, { graph }] of this.#graphs) {
			if (this.#graphs.size < mostGraphs)
				break;
			this.#graphs.delete(other);
			graph.close();
		}
		const graph = log.heapGraph({ snapshot: shot });
		try {
			await graph.readAll();
			const heap = { graph, problem: this.#analyse(graph), objects: null };
			this.#graphs.set(shot, heap);
			return heap;
		} catch (error) {
			graph.close();
			throw error;
		}
	}

	// Computes what keeps objects alive. Returns why that cannot be done, or null.
	#analyse(graph) {
		const { has_roots: hasRoots } = graph.totals();
		if (hasRoots === 0)
			return null;
		try {
			graph.buildDominators();
			graph.buildPaths();
			return null;
		} catch (error) {
			return String(error.message);
		}
	}

	#name(graph, id) {
		return id === 0 ? '(unknown)' : graph.className(id) ?? `class ${id}`;
	}

	#describe({ graph, problem }) {
		const { roots_by_kind: rootsByKind, ...totals } = graph.totals();
		const classes = graph.table('heap_classes');
		const roots = {};
		rootsByKind.forEach((count, kind) => {
			if (count > 0)
				roots[rootKindName(kind)] = (roots[rootKindName(kind)] ?? 0) + count;
		});
		classes.name = Array.from(classes.class_id, (id) => this.#name(graph, id));
		return { totals, roots, classes, problem, isKnown: totals.has_dominators !== 0 && totals.has_paths !== 0 };
	}

	#objects(heap) {
		heap.objects ??= heap.graph.table('heap_objects');
		return heap.objects;
	}

	#paths(heap, { id }) {
		const { graph } = heap;
		const { class_id: ids } = graph.table('heap_classes');
		const { count, paths } = new PathShapes(graph, this.#objects(heap)).paths(ids.indexOf(id), mostPaths);
		for (const path of paths) {
			for (const step of path.steps)
				step.class = this.#name(graph, ids[step.classIndex]);
		}
		return { count, paths };
	}

	// The tree of dominators, like one of frames: the columns that FrameForest needs.
	#tree(heap) {
		const { graph } = heap;
		const { class_id: ids } = graph.table('heap_classes');
		const tree = dominatorTree(this.#objects(heap), ids.length);
		const { length } = tree.parent;
		const nodes = { length, parent: Uint32Array.from(tree.parent), total: Float64Array.from(tree.total),
			self: Float64Array.from(tree.self), count: Float64Array.from(tree.count), kind: new Uint8Array(length),
			flags: new Uint8Array(length), id: Uint32Array.from(tree.classIndex, (index) => (index < 0 ? 0 : ids[index])) };
		return { nodes, name: Uint32Array.from(tree.classIndex, (index) => Math.max(0, index)),
			names: Array.from(ids, (id) => this.#name(graph, id)) };
	}
}
