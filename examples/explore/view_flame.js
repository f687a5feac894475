// SPDX-License-Identifier: MIT
// The flame graph of calls, samples, allocations or native memory, and its inverse.
import { changeAddress } from './address.js';
import { element, fileName, saveFile } from './dom.js';
import { countOf } from './figures.js';
import { FrameForest } from './flame_layout.js';
import { FlameGraph } from './flame_graph.js';
import { emptyText } from './view_tables.js';

const flameSources = [
	{ id: 'calls', title: 'Time in calls', unit: 'ns', countName: 'calls', total: 'calls' },
	{ id: 'samples', title: 'Samples', unit: 'count', valueName: 'sample', countName: null, total: 'samples' },
	{ id: 'allocations', title: 'Allocated bytes', unit: 'bytes', countName: 'objects', total: 'allocations' },
	{ id: 'memory', title: 'Native memory allocated', unit: 'bytes', countName: 'blocks', total: 'native_allocations' },
	{ id: 'memoryLive', title: 'Native memory not freed', unit: 'bytes', countName: 'blocks', total: 'native_allocations' },
	{ id: 'memoryPeak', title: 'Native memory at the peak', unit: 'bytes', countName: 'blocks', total: 'native_allocations' },
	{ id: 'memoryTemporary', title: 'Temporary native allocations', unit: 'count', countName: null,
		total: 'native_allocations' },
];

// How much a log has of each source: the answers to the question "overview".
function countSources({ totals, memory }) {
	return { ...totals, native_allocations: memory?.allocations ?? 0 };
}

// Options of "mprof record" for a source that the log lacks.
const recordingOptions = { calls: '--calls', samples: '--sample', allocations: '--alloc=stack' };

function choice(title, options, chosen, change) {
	return element('label', {}, `${title} `, element('select', { onchange: (event) => change(event.target.value) },
		...options.map(({ id, title: text }) => element('option', { value: id, selected: id === chosen }, text))));
}

export const flameView = {
	id: 'flame',
	title: 'Flame graph',
	isFilled: (content) => flameSources.some(({ total }) => countSources(content)[total] > 0),
	async draw(container, { client, selection, address }) {
		const totals = countSources(await client.ask('overview', { selection }));
		const filled = flameSources.filter(({ total }) => totals[total] > 0);
		const source = flameSources.find(({ id }) => id === address.source) ?? filled[0] ?? flameSources[0];
		const inverted = address.inverted === '1';
		const forest = new FrameForest(await client.ask('frames', { selection, source: source.id, inverted }));
		const graph = new FlameGraph(forest, { unit: source.unit, valueName: source.valueName, countName: source.countName, search: address.search,
			zoomed: address.zoom, onZoom: (zoom) => changeAddress({ zoom }) });
		container.replaceChildren(
			element('div', { class: 'tools' },
				choice('Value', filled.includes(source) ? filled : [...filled, source], source.id, (id) => changeAddress({ source: id, zoom: null })),
				element('button', { type: 'button', 'aria-pressed': inverted, onclick: () =>
					changeAddress({ inverted: inverted ? null : 1, zoom: null }) }, 'Inverted'),
				element('button', { type: 'button', onclick: () => changeAddress({ zoom: null }) }, 'Show all'),
				element('button', { type: 'button', onclick: () =>
					saveFile(fileName(`${source.id}.svg`), 'image/svg+xml', graph.svg()) }, 'Save as SVG'),
				element('span', { class: 'faint' }, countOf(forest.nodes.length - 1, 'frame'))),
			graph.legend, graph.status, graph.element);
		if (forest.whole === 0)
			graph.element.replaceChildren(emptyText(recordingOptions[source.id] ?? '--malloc'));
		return {
			apply(now, changed) {
				if (changed.some((name) => name !== 'zoom' && name !== 'search'))
					return false;
				if (changed.includes('search'))
					graph.search(now.search ?? '');
				graph.show(now.zoom ?? '');
				return true;
			},
		};
	},
};
