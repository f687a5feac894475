// SPDX-License-Identifier: MIT
// memlab.cjs NAME...: reads NAME.heapsnapshot with the heap engine of memlab, and writes what it found to
// NAME.memlab.objects, in the format of heapsnapshot.c. NODE_PATH is the directory with the package.
'use strict';
const fs = require('node:fs');
const {getFullHeapFromFile} = require('@memlab/heap-analysis');

(async () => {
	for (const name of process.argv.slice(2)) {
		const heap = await getFullHeapFromFile(`${name}.heapsnapshot`);
		const objects = [];
		heap.nodes.forEach(node => {
			// IDs are 2 * number + 1, and 1 is the root.
			if (node.id !== 1)
				objects.push(`${(node.id - 1) / 2} ${node.retainedSize} ${(node.dominatorNode.id - 1) / 2}\n`);
		});
		fs.writeFileSync(`${name}.memlab.objects`, objects.join(''));
	}
	process.exit(0);
})();
