// SPDX-License-Identifier: MIT
// devtools.mjs ENGINE NAME...: reads NAME.heapsnapshot with the heap engine of Chrome DevTools, and writes what it found
// to NAME.devtools.objects and NAME.devtools.classes, in the format of heapsnapshot.c.
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
	const nodeCount = JSON.parse(fs.readFileSync(file, 'utf8')).snapshot.node_count;
	for (let node = 1; node < nodeCount; node++) {
		// The object itself, and its dominators up to the root.
		const [object, dominator] = await proxy.getDominatorsOf(node * fieldsOfNode);
		objects.push(`${node} ${object.retainedSize} ${dominator.nodeIndex / fieldsOfNode}\n`);
	}
	const {aggregates} = await manager.getAggregates(file);
	const classes = aggregates.map(({className, count, retainedSize}) => `${className} ${count} ${retainedSize}\n`);
	fs.writeFileSync(`${name}.devtools.objects`, objects.join(''));
	fs.writeFileSync(`${name}.devtools.classes`, classes.join(''));
}
process.exit(0);
