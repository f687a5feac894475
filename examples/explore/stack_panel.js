// SPDX-License-Identifier: MIT
// A call stack in full, one frame on a line.
import { linkTo } from './address.js';
import { frameColor, lookOf } from './colors.js';
import { element } from './dom.js';
import { countOf } from './figures.js';

function frameItem(frame) {
	const { name, line, module, method, isInlined } = frame;
	const box = element('span', { class: 'legend' });
	box.style.background = frameColor(lookOf(frame), frame);
	const source = frame.file ? `${frame.file.split('/').at(-1)}:${line}` : `line ${line}`;
	const notes = [line > 0 ? source : null, module === null ? null : module.split('/').at(-1), isInlined ? 'inlined' : null]
		.filter((note) => note !== null).join(', ');
	return element('li', {}, box, ' ', method > 0 ? element('a', { href: linkTo('methods', { method }) }, name) : name,
		element('span', { class: 'faint' }, notes === '' ? '' : `  ${notes}`));
}

/** title: what the stack is of, or null; frames: the innermost first; close(): called by a button. */
export function stackPanel(title, frames, close) {
	const heading = `${title === null ? '' : `${title}: `}${frames.length === 0 ? 'no call stack was recorded' : countOf(frames.length, 'frame')}`;
	return [element('div', { class: 'tools' }, element('h2', {}, heading), element('button', { type: 'button', onclick: close }, 'Close')),
		element('ol', { class: 'stack' }, ...frames.map(frameItem))];
}
