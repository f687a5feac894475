// SPDX-License-Identifier: MIT
// The nodes of a tree of frames: those of a function in several places are one, and code that was inlined has nodes of its
// own. Runs in the worker.

const sums = ['count', 'total'];

/**
 * nodes: the table of nodes of a tree; framesOf(node, isInnermost): its functions, the outermost first, each as {kind, id,
 * flags}; isInverted: callers are below what they call. Returns the table of the new nodes.
 */
export function mergeNodes(nodes, framesOf, isInverted) {
	const columns = { kind: [0], id: [0], flags: [0], parent: [0], count: [0], self: [0], total: [0] };
	const known = new Map();
	const merged = new Uint32Array(nodes.length);
	const hasChildren = new Uint8Array(nodes.length);
	for (let i = 1; i < nodes.length; i++)
		hasChildren[nodes.parent[i]] = 1;
	const childOf = (parent, { kind, id, flags }) => {
		const key = `${parent} ${kind} ${id} ${flags}`;
		let at = known.get(key);
		if (at === undefined) {
			at = columns.kind.length;
			known.set(key, at);
			for (const [name, value] of Object.entries({ kind, id, flags, parent, count: 0, self: 0, total: 0 }))
				columns[name].push(value);
		}
		return at;
	};
	for (let i = 0; i < nodes.length; i++) {
		const frames = i === 0 ? [] : framesOf(i, isInverted ? nodes.parent[i] === 0 : hasChildren[i] === 0);
		let at = i === 0 ? 0 : merged[nodes.parent[i]];
		for (const frame of isInverted ? frames.reverse() : frames) {
			at = childOf(at, frame);
			for (const name of sums)
				columns[name][at] += nodes[name][i];
		}
		columns.self[at] += nodes.self[i];
		merged[i] = at;
	}
	for (const name of sums)
		columns[name][0] = nodes[name][0];
	return { length: columns.kind.length, ...columns };
}
