// SPDX-License-Identifier: MIT
// heapsnapshot.mjs FILE: checks the structure of a V8 heap snapshot, and prints what it contains as lines with tabs:
// "class NAME OBJECTS BYTES", "root KIND NAME OBJECTS" and "weak COUNT".
import fs from 'node:fs';

const text = fs.readFileSync(process.argv[2], 'utf8');
const file = JSON.parse(text);

function check(condition, message) {
	if (!condition) {
		console.error(`heapsnapshot.mjs: ${message}`);
		process.exit(1);
	}
}

// The readers insist on the order of the keys, and memlab on the absence of spaces.
check(Object.keys(file).join() === 'snapshot,nodes,edges,trace_function_infos,trace_tree,samples,locations,strings',
	'order of keys');
check(text.startsWith('{"snapshot":{') && text.includes('"nodes":['), 'spaces after keys');
const {meta, node_count: nodeCount, edge_count: edgeCount} = file.snapshot;
const {nodes, edges, strings} = file;
const nodeSize = meta.node_fields.length;
const edgeSize = meta.edge_fields.length;
check(nodes.length === nodeCount * nodeSize, `${nodes.length} numbers for ${nodeCount} nodes`);
check(edges.length === edgeCount * edgeSize, `${edges.length} numbers for ${edgeCount} edges`);
check([...nodes, ...edges].every(n => Number.isInteger(n) && n >= 0 && n < 2 ** 32), 'a number has no 32 bits');

const plain = name => name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
const classes = new Map();
const roots = new Map();
const ids = new Set();
const reached = new Uint8Array(nodeCount);
let weak = 0;
let edge = 0;
for (let i = 0; i < nodeCount; i++) {
	const [type, name, id, size, count] = nodes.slice(i * nodeSize, (i + 1) * nodeSize);
	const kind = meta.node_types[0][type];
	check(name < strings.length, `node ${i} has no name`);
	check(!ids.has(id), `node ${i} has the ID of another one`);
	ids.add(id);
	const isCollapsed = strings[name].endsWith(' (collapsed)');
	check(kind === 'object' ? id % 2 === (isCollapsed ? 0 : 1) : kind === 'synthetic' && size === 0,
		`node ${i} is a ${kind}`);
	if (kind === 'object') {
		const row = classes.get(strings[name]) ?? [0, 0];
		classes.set(strings[name], [row[0] + 1, row[1] + size]);
	}
	for (let j = 0; j < count; j++, edge++) {
		const [edgeType, label, target] = edges.slice(edge * edgeSize, (edge + 1) * edgeSize);
		const edgeKind = meta.edge_types[0][edgeType];
		check(target % nodeSize === 0 && target < nodes.length, `edge ${edge} leads to no node`);
		check(['element', 'property', 'weak'].includes(edgeKind), `edge ${edge} is of the type ${edgeKind}`);
		check(edgeKind === 'element' || label < strings.length, `edge ${edge} has no name`);
		reached[target / nodeSize] = 1;
		weak += edgeKind === 'weak';
		const isObject = meta.node_types[0][nodes[target]] === 'object';
		if (kind === 'synthetic' && isObject) {
			const key = `${strings[name]}\t${edgeKind === 'element' ? '' : plain(strings[label])}`;
			roots.set(key, (roots.get(key) ?? 0) + 1);
		}
	}
}
check(edge === edgeCount, `the nodes have ${edge} edges, not ${edgeCount}`);
check(reached.subarray(1).every(n => n === 1), 'a node is not referred to');

for (const [name, [objects, bytes]] of classes)
	console.log(`class\t${plain(name)}\t${objects}\t${bytes}`);
for (const [key, count] of roots)
	console.log(`root\t${key}\t${count}`);
console.log(`weak\t${weak}`);
