// SPDX-License-Identifier: MIT
// The keys of the page, in a dialog.
import { byId, element } from './dom.js';

const keys = [
	['Everywhere', [['?', 'these keys'], ['/', 'search'], ['Tab', 'to the next control, table or drawing'], ['Escape', 'close, or show all']]],
	['Tables', [['arrow keys', 'another row'], ['Page Up, Page Down', '20 rows'], ['Home, End', 'the first or last row'], ['Enter', 'open the row']]],
	['Timeline', [['+ -', 'zoom'], ['W S', 'zoom'], ['A D', 'move'], ['Home, End', 'to the start or end'], ['0', 'the whole run'],
		['Enter', 'choose a call, then zoom to it'], ['arrow keys', 'caller, callee, call before and after']]],
	['Flame graph, treemap', [['arrow keys', 'another box'], ['Enter', 'zoom'], ['Escape', 'show all']]],
	['Heat map', [['arrow keys', 'another cell'], ['Shift and arrow keys', 'select cells'], ['Enter', 'select their time']]],
];

/** Opens the dialog, or closes it. */
export function showKeys() {
	const dialog = byId('help');
	if (dialog.open) {
		dialog.close();
		return;
	}
	dialog.replaceChildren(element('h2', {}, 'Keys'), element('div', { class: 'keys' }, ...keys.map(([title, list]) =>
		element('section', {}, element('h3', {}, title), element('dl', {}, ...list.flatMap(([key, effect]) =>
			[element('dt', {}, element('kbd', {}, key)), element('dd', {}, effect)]))))),
	element('form', { method: 'dialog' }, element('button', {}, 'Close')));
	dialog.showModal();
}
