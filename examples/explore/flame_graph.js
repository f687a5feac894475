// SPDX-License-Identifier: MIT
// A flame graph: the width of each box is its value, and the boxes below it are what it calls. It looks as that of "mprof flame".
import { BoxChart } from './box_chart.js';
import { frameColor, frameLooks, legendParts, lookColor, lookOf, lookTitle } from './colors.js';
import { element } from './dom.js';
import { layOut } from './flame_layout.js';
import { shortName } from './short_name.js';

const frameHeight = 17;

export class FlameGraph extends BoxChart {
	#looks = new Map();

	/** options: as those of a BoxChart, and look if all boxes are alike. */
	constructor(forest, options) {
		super(forest, { title: 'Flame graph', noun: 'frames', ...options }, { style: 'flame', help: 'arrow keys choose a box, Enter zooms, Escape shows all' });
		this.legend = this.#makeLegend();
	}

	layOut(width) {
		const boxes = layOut(this.forest, this.zoomed, 0.5 / width).map(({ node, depth, x, width: share }) =>
			({ node, x: x * width, y: depth * frameHeight, width: share * width, height: frameHeight }));
		return { height: boxes.reduce((most, { y }) => Math.max(most, y), 0) + frameHeight, boxes };
	}

	// Also what calls the zoomed frame is shown.
	isShown(node) {
		return super.isShown(node) || this.forest.path(this.zoomed).includes(node) || node === 0;
	}

	colorOf(node) {
		return this.#look(node).color;
	}

	labelOf({ node }, columns) {
		return shortName(this.forest.nameOf(node) ?? 'unknown', columns);
	}

	// What a node is, and its color: the same for all nodes of a frame.
	#look(node) {
		const { nodes, name, modules } = this.forest;
		const key = `${name[node]} ${nodes.flags[node]}`;
		let found = this.#looks.get(key);
		if (found === undefined) {
			const frame = { kind: nodes.kind[node], flags: nodes.flags[node], name: this.forest.nameOf(node), module: modules?.[name[node]] ?? null };
			const look = this.options.look ?? lookOf(frame);
			found = { look, color: frameColor(look, frame) };
			this.#looks.set(key, found);
		}
		return found;
	}

	#makeLegend() {
		const used = new Set();
		for (let node = 1; node < this.forest.nodes.length; node++)
			used.add(this.#look(node).look);
		return element('div', { class: 'tools faint' }, ...legendParts(frameLooks.filter((look) => used.has(look))
			.map((look) => [lookColor(look), lookTitle(look)]), element));
	}
}
