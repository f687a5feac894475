// SPDX-License-Identifier: MIT
// Where the frames of a tree are in a flame graph: a list of rectangles for a zoomed node, without those too narrow to
// be seen.

/** A tree of frames with the children of each node, the largest first. */
export class FrameForest {
	/** nodes: the table of nodes; names[name[i]] is the name of node i, and modules[name[i]] the file of its native code. */
	constructor({ nodes, name, names, modules = null }) {
		this.nodes = nodes;
		this.name = name;
		this.names = names;
		this.modules = modules;
		this.#order();
		this.whole = Array.from(this.children(0)).reduce((sum, node) => sum + nodes.total[node], nodes.self[0]);
	}

	#order() {
		const { parent, length, total } = this.nodes;
		this.first = new Uint32Array(length + 1);
		for (let i = 1; i < length; i++)
			this.first[parent[i] + 1]++;
		for (let i = 0; i < length; i++)
			this.first[i + 1] += this.first[i];
		const next = this.first.slice();
		this.list = new Uint32Array(Math.max(0, length - 1));
		for (let i = 1; i < length; i++)
			this.list[next[parent[i]]++] = i;
		for (let i = 0; i < length; i++) {
			if (this.first[i + 1] - this.first[i] > 1)
				this.children(i).sort((a, b) => total[b] - total[a] || a - b);
		}
	}

	children(node) {
		return this.list.subarray(this.first[node], this.first[node + 1]);
	}

	/** The value of a node: for the root, what its children and it have together. */
	value(node) {
		return node === 0 ? this.whole : this.nodes.total[node];
	}

	nameOf(node) {
		return node === 0 ? 'all' : this.names[this.name[node]];
	}

	/** The nodes from below the root to a node. */
	path(node) {
		const path = [];
		for (let at = node; at !== 0; at = this.nodes.parent[at])
			path.unshift(at);
		return path;
	}

	/** A text that identifies a path, for addresses. */
	pathText(node) {
		return this.path(node).map((at) => `${this.nodes.kind[at]}.${this.nodes.id[at]}.${this.nodes.flags[at]}`).join('_');
	}

	/** The node of such a text, or the last one that exists on its path. */
	nodeAt(text) {
		let node = 0;
		for (const step of (text ?? '').split('_')) {
			const found = this.children(node).find((at) =>
				step === `${this.nodes.kind[at]}.${this.nodes.id[at]}.${this.nodes.flags[at]}`);
			if (found === undefined)
				break;
			node = found;
		}
		return node;
	}

	/** The nodes that match are not counted within each other. */
	matchedValue(matches) {
		let sum = 0;
		const visit = [0];
		while (visit.length > 0) {
			const node = visit.pop();
			if (node !== 0 && matches[this.name[node]])
				sum += this.nodes.total[node];
			else
				visit.push(...this.children(node));
		}
		return sum;
	}
}

/** The rectangles of a node, its callers above it, and what is below: {node, depth, x, width}, x and width from 0 to 1. */
export function layOut(forest, zoomed, least) {
	const boxes = [];
	const above = [0, ...forest.path(zoomed)];
	above.forEach((node, depth) => boxes.push({ node, depth, x: 0, width: 1 }));
	const scale = forest.value(zoomed) > 0 ? 1 / forest.value(zoomed) : 0;
	const visit = [{ node: zoomed, depth: above.length - 1, x: 0 }];
	while (visit.length > 0) {
		const { node, depth, x } = visit.pop();
		let at = x;
		for (const child of forest.children(node)) {
			const width = forest.nodes.total[child] * scale;
			// The largest child is first, so the others are narrower still.
			if (width < least)
				break;
			boxes.push({ node: child, depth: depth + 1, x: at, width });
			visit.push({ node: child, depth: depth + 1, x: at });
			at += width;
		}
	}
	return boxes;
}
