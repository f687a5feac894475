// SPDX-License-Identifier: MIT
// The nodes of a tree of frames: those of a function in several lines are one, and inlined functions have a flag. Runs in
// the worker.

// Of the flags of a node: its caller contains the code of the frame.
const inlinedFlag = 2;

const sums = ['count', 'self', 'total'];

/** nodes: the table of nodes of a tree with lines; isInlined(position) whether the frames there are inlined. */
export function mergeLines(nodes, isInlined) {
	const columns = { kind: [], id: [], flags: [], parent: [], count: [], self: [], total: [] };
	const merged = new Uint32Array(nodes.length);
	const known = new Map();
	for (let i = 0; i < nodes.length; i++) {
		const flags = nodes.flags[i] | (nodes.position[i] > 0 && isInlined(nodes.position[i]) ? inlinedFlag : 0);
		const parent = i === 0 ? 0 : merged[nodes.parent[i]];
		const key = `${parent} ${nodes.kind[i]} ${nodes.id[i]} ${flags}`;
		let at = i === 0 ? undefined : known.get(key);
		if (at === undefined) {
			at = columns.kind.length;
			known.set(key, at);
			for (const [name, value] of Object.entries({ kind: nodes.kind[i], id: nodes.id[i], flags, parent, count: 0, self: 0, total: 0 }))
				columns[name].push(value);
		}
		merged[i] = at;
		for (const name of sums)
			columns[name][at] += nodes[name][i];
	}
	return { length: columns.kind.length, ...columns };
}
