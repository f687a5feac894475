// SPDX-License-Identifier: MIT
// heapsnapshot_retained.mjs JSON FILE FILE...: computes the retained sizes of the objects in V8 heap snapshots. Those in
// the first FILE must include those in the output of "mprof heap --json", and those in the others be equal. Prints a
// line for each FILE: the number of objects, and the number of those that retain others.
import fs from 'node:fs';

const gcRoots = 1;

function check(condition, message) {
	if (!condition) {
		console.error(`heapsnapshot_retained.mjs: ${message}`);
		process.exit(1);
	}
}

// A retained size by its definition: the bytes that the roots do not reach if the node is taken away.
function retainedSizes(file) {
	const {snapshot, nodes, edges} = JSON.parse(fs.readFileSync(file, 'utf8'));
	const nodeSize = snapshot.meta.node_fields.length;
	const targets = [];
	let edge = 0;
	for (let i = 0; i < snapshot.node_count; i++) {
		targets.push([]);
		for (let j = 0; j < nodes[i * nodeSize + 4]; j++, edge++)
			targets[i].push(edges[edge * 3 + 2] / nodeSize);
	}
	const reachableWithout = removed => {
		const seen = new Set([gcRoots, removed]);
		const pending = [gcRoots];
		let bytes = 0;
		while (pending.length > 0) {
			const node = pending.pop();
			bytes += nodes[node * nodeSize + 3];
			for (const target of targets[node]) {
				if (!seen.has(target)) {
					seen.add(target);
					pending.push(target);
				}
			}
		}
		return bytes;
	};
	const all = reachableWithout(-1);
	const sizes = new Map();
	let retaining = 0;
	for (let i = 0; i < snapshot.node_count; i++) {
		const [, , id, size] = nodes.slice(i * nodeSize, (i + 1) * nodeSize);
		// Objects have odd IDs.
		if (id % 2 === 1) {
			sizes.set(id, all - reachableWithout(i));
			retaining += sizes.get(id) > size;
		}
	}
	console.log(`${sizes.size} ${retaining}`);
	return sizes;
}

const [json, first, ...others] = process.argv.slice(2);
const wanted = retainedSizes(first);
for (const row of JSON.parse(fs.readFileSync(json, 'utf8')).dominators) {
	const found = wanted.get(Number(BigInt(row.object) >> 3n & 0x7fffffffn) * 2 + 1);
	check(found === row.retained_bytes, `${row.object} retains ${found}, not ${row.retained_bytes}`);
}
for (const file of others) {
	for (const [id, found] of retainedSizes(file))
		check(found === wanted.get(id), `${file}: ${id} retains ${found}, not ${wanted.get(id)}`);
}
