// SPDX-License-Identifier: MIT
// Objects of a heap snapshot grouped by the shape of their path from a root: the root, and the field and the class of
// each step. Steps that repeat, as those of a list, are one step. The groups are those of mprof heap. Runs in the worker.

// Steps from this number on have no marks.
const mostMarks = 64;

// Steps that repeat are found if they repeat after at most this many.
const mostPeriod = 4;

const rootKinds = ['other', 'static', 'thread-static', 'stack', 'handle', 'finalizer', 'runtime'];

/** The name of a kind of roots. */
export function rootKindName(kind) {
	return rootKinds[kind] ?? `kind ${kind}`;
}

function firstMarks(steps) {
	return steps < mostMarks ? (1n << BigInt(steps)) - 1n : 0xffffffffffffffffn;
}

function ownMark(shape) {
	return shape.depth < mostMarks ? 1n << BigInt(shape.depth) : 0n;
}

/** objects: the table heap_objects of a graph whose dominators and paths were built. */
export class PathShapes {
	#graph;
	#objects;
	#shapes = new Map();
	#shapeOf;
	#marks;
	#fields = new Map();

	constructor(graph, objects) {
		this.#graph = graph;
		this.#objects = objects;
		this.#shapeOf = new Array(objects.length).fill(null);
		this.#marks = new BigUint64Array(objects.length);
	}

	// Elements of arrays are one field.
	#field(object, offset) {
		if (offset === null)
			return null;
		const classId = this.#objects.class_id[object];
		const key = `${classId} ${offset}`;
		if (!this.#fields.has(key))
			this.#fields.set(key, this.#graph.fieldName(classId, offset)?.replace(/^\[\d+\]/, '[]') ?? null);
		return this.#fields.get(key);
	}

	#child(parent, label, step) {
		const children = parent?.children ?? this.#shapes;
		const key = `${step.classIndex} ${label}`;
		let child = children.get(key);
		if (child === undefined) {
			child = { parent, depth: parent === null ? 0 : parent.depth + 1, root: parent?.root, field: null, isRepeated: false,
				children: new Map(), wanted: 0, bytes: 0, retained: 0, example: null, marks: 0xffffffffffffffffn, ...step };
			children.set(key, child);
		}
		return child;
	}

	#shapeOfRoot(object, classIndex) {
		const { kind, area } = this.#graph.path(object).root;
		const name = area === 0 ? '' : this.#graph.definition('root_area', area)?.name ?? '';
		return this.#child(null, `${kind} ${name}`, { classIndex, root: { kind: rootKindName(kind), name } });
	}

	#ancestor(shape, steps) {
		while (steps-- > 0 && shape !== null)
			shape = shape.parent;
		return shape;
	}

	// Whether the last steps of a path, to which one more is added, are those before them again.
	#repeats(shape, period, field, classIndex) {
		const isSame = (a, b) => a !== null && a.parent !== null && a.classIndex === b.classIndex && a.field === b.field;
		let before = this.#ancestor(shape, period - 1);
		let last = shape;
		if (!isSame(before, { classIndex, field }))
			return false;
		for (let i = 1; i < period; i++) {
			before = before.parent;
			if (last.parent === null || !isSame(before, last))
				return false;
			last = last.parent;
		}
		return true;
	}

	// The shape that a path falls back to if one more step repeats what is before.
	#repeated(shape, field, classIndex) {
		if (shape.parent !== null && shape.classIndex === classIndex && shape.parent.classIndex === classIndex)
			return shape;
		for (let period = 2; period <= mostPeriod; period++) {
			if (this.#repeats(shape, period, field, classIndex))
				return this.#ancestor(shape, period - 1);
		}
		return null;
	}

	#shapeOfStep(parent, classIndex) {
		const before = this.#shapeOf[parent.object];
		const field = this.#field(parent.object, parent.offset);
		const repeated = this.#repeated(before, field, classIndex);
		if (repeated !== null) {
			repeated.isRepeated = true;
			return repeated;
		}
		return this.#child(before, field === null ? '' : `.${field}`, { classIndex, field });
	}

	// The steps on all paths to an object are those of its dominators, which are on its path, so their marks are known. In
	// a repetition, the path of a dominator may have steps that this one does not have.
	#marksBefore(shape, dominator) {
		if (dominator >= this.#objects.length)
			return 0n;
		let a = shape;
		let b = this.#shapeOf[dominator];
		while (a !== b) {
			if (a === null || (b !== null && b.depth >= a.depth))
				b = b.parent;
			else
				a = a.parent;
		}
		return this.#marks[dominator] & firstMarks(a === null ? 0 : a.depth + 1);
	}

	// Finds the shape of an object, and of those before it on its path.
	#resolve(object) {
		const pending = [];
		for (let at = object; at !== null && this.#shapeOf[at] === null;) {
			const parent = this.#graph.parent(at);
			pending.push({ object: at, parent });
			at = parent.object;
		}
		while (pending.length > 0) {
			const { object: at, parent } = pending.pop();
			const classIndex = this.#objects.class_index[at];
			const shape = parent.object === null ? this.#shapeOfRoot(at, classIndex) : this.#shapeOfStep(parent, classIndex);
			this.#shapeOf[at] = shape;
			this.#marks[at] = this.#marksBefore(shape, this.#objects.dominator[at]) | ownMark(shape);
		}
	}

	#add(object, found) {
		const { bytes, retained_bytes: retained, dominator } = this.#objects;
		this.#resolve(object);
		const shape = this.#shapeOf[object];
		if (shape.wanted++ === 0)
			found.push(shape);
		if (shape.example === null || retained[object] > retained[shape.example])
			shape.example = object;
		shape.bytes += bytes[object];
		// One that dominates it, at the same step, retains it.
		if ((this.#marksBefore(shape, dominator[object]) & ownMark(shape)) === 0n)
			shape.retained += retained[object];
		shape.marks &= this.#marks[object];
	}

	#describe(shape) {
		const steps = [];
		const isMarked = ({ depth }) => depth < mostMarks && (shape.marks >> BigInt(depth) & 1n) === 1n;
		for (let at = shape; at !== null; at = at.parent)
			steps.unshift({ classIndex: at.classIndex, field: at.field, isDominator: isMarked(at), isRepeated: at.isRepeated });
		return { objects: shape.wanted, bytes: shape.bytes, retained: shape.depth < mostMarks ? shape.retained : null,
			root: shape.root, example: this.#objects.address[shape.example], steps };
	}

	/** The paths of the reachable objects of a class, those that retain the most first. Called once. */
	paths(classIndex, most) {
		const found = [];
		const { length, class_index: classes, is_reachable: isReachable } = this.#objects;
		for (let i = 0; i < length; i++) {
			if (classes[i] === classIndex && isReachable[i] !== 0)
				this.#add(i, found);
		}
		found.sort((a, b) => b.retained - a.retained || b.bytes - a.bytes);
		return { count: found.length, paths: found.slice(0, most).map((shape) => this.#describe(shape)) };
	}
}
