// SPDX-License-Identifier: MIT
// The tree of dominators of a heap snapshot, with objects of one class that the same objects dominate as one node. Runs
// in the worker.

// Objects below this depth are counted with their dominator.
const mostDepth = 100;

/** objects: the table heap_objects; classCount: the number of classes. Returns nodes like those of a tree of frames. */
export function dominatorTree(objects, classCount) {
	const { length, class_index: classOf, dominator, is_reachable: isReachable } = objects;
	const nodeOf = new Uint32Array(length);
	const numbers = new Map();
	const nodes = { parent: [0], depth: [0], total: [0], self: [0], count: [0], classIndex: [-1] };

	const childOf = (parent, classIndex) => {
		const key = parent * classCount + classIndex;
		let child = numbers.get(key);
		if (child === undefined) {
			child = nodes.parent.length;
			numbers.set(key, child);
			nodes.parent.push(parent);
			nodes.depth.push(nodes.depth[parent] + 1);
			nodes.classIndex.push(classIndex);
			for (const name of ['total', 'self', 'count'])
				nodes[name].push(0);
		}
		return child;
	};
	// An object that one of its own class dominates, as in a list, is in the same node, which retains it already.
	const add = (object) => {
		const above = dominator[object] < length ? nodeOf[dominator[object]] : 0;
		const isSame = above !== 0 && (nodes.classIndex[above] === classOf[object] || nodes.depth[above] >= mostDepth);
		const node = isSame ? above : childOf(above, classOf[object]);
		nodeOf[object] = node;
		nodes.self[node] += objects.bytes[object];
		nodes.count[node]++;
		if (!isSame)
			nodes.total[node] += objects.retained_bytes[object];
	};
	const pending = [];
	for (let i = 0; i < length; i++) {
		for (let at = i; at < length && isReachable[at] !== 0 && nodeOf[at] === 0; at = dominator[at])
			pending.push(at);
		while (pending.length > 0)
			add(pending.pop());
	}
	return nodes;
}
