// SPDX-License-Identifier: MIT
// devtools.mjs ENGINE NAME...: reads NAME.heapsnapshot with the heap engine of Chrome DevTools, and writes what it found
// about reachable objects to NAME.devtools.objects, in the format of heapsnapshot.c, and the name, objects and retained
// size of each class to NAME.devtools.classes, with tabs.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [engine, ...names] = process.argv.slice(2);
const {HeapSnapshotManager} = await import(pathToFileURL(path.resolve(engine)));

for (const name of names) {
	const file = `${name}.heapsnapshot`;
	const manager = new HeapSnapshotManager();
	const {proxy} = await manager.getSnapshot(file);
	const fieldsOfNode = 6;
	const objects = [];
	const {nodes, strings} = JSON.parse(fs.readFileSync(file, 'utf8'));
	for (let node = 0; node < nodes.length; node += fieldsOfNode) {
		// Objects have odd IDs.
		if (nodes[node + 2] % 2 === 0)
			continue;
		// The object itself, and its dominators up to the root.
		const [object, dominator] = await proxy.getDominatorsOf(node);
		const id = nodes[dominator.nodeIndex + 2];
		if (strings[nodes[dominator.nodeIndex + 1]] !== '(unreachable)')
			objects.push(`${nodes[node + 2]} ${object.retainedSize} ${id % 2 === 1 ? id : 0}\n`);
	}
	const {aggregates} = await manager.getAggregates(file);
	const classes = aggregates.map(({className, count, retainedSize}) => `${className}\t${count}\t${retainedSize}\n`);
	fs.writeFileSync(`${name}.devtools.objects`, objects.join(''));
	fs.writeFileSync(`${name}.devtools.classes`, classes.join(''));
}
process.exit(0);
