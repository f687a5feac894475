// SPDX-License-Identifier: MIT
// memlab.cjs NAME...: reads NAME.heapsnapshot with the heap engine of memlab, and writes what it found about
// reachable objects to NAME.memlab.objects, in the format of heapsnapshot.c. NODE_PATH is the directory with the package.
'use strict';
const fs = require('node:fs');
const {getFullHeapFromFile} = require('@memlab/heap-analysis');

(async () => {
	for (const name of process.argv.slice(2)) {
		const heap = await getFullHeapFromFile(`${name}.heapsnapshot`);
		const objects = [];
		heap.nodes.forEach(node => {
			// Objects have odd IDs.
			const dominator = node.dominatorNode;
			if (node.id % 2 === 1 && dominator.name !== '(unreachable)')
				objects.push(`${node.id} ${node.retainedSize} ${dominator.id % 2 === 1 ? dominator.id : 0}\n`);
		});
		fs.writeFileSync(`${name}.memlab.objects`, objects.join(''));
	}
	process.exit(0);
})();
