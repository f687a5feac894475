// SPDX-License-Identifier: MIT
// Paths from roots as a list of texts, with the references that all paths share marked.
import { element } from './dom.js';
import { bytesText, countText } from './figures.js';

const mark = '*';

// The reference that leads to a step, then the class of the step.
function stepParts({ root, steps }, i) {
	const { field, class: name, isDominator, isRepeated } = steps[i];
	const isShared = isDominator && (i === 0 || steps[i - 1].isDominator);
	const label = i > 0 ? `.${field ?? '?'}` : root.name === '' ? root.kind : `${root.kind} ${root.name}`;
	return [
		element('span', { class: isShared ? 'reference shared' : 'reference', 'data-field': i === 0 ? null : field,
			'data-shared': isShared ? 1 : 0 }, `${label}${isShared ? mark : ''} → `),
		element('span', { class: 'step', 'data-dominates': isDominator ? 1 : 0 }, name), isRepeated ? ' ... ' : ' ',
	];
}

function pathItem(path) {
	const { objects, bytes, retained, example, steps } = path;
	const kept = retained === null ? '' : `${bytesText(retained)} retained by `;
	return element('li', { 'data-objects': objects, 'data-bytes': bytes, 'data-retained': retained ?? '' },
		element('div', { class: 'faint' }, `${kept}${countText(objects)} ${objects === 1 ? 'object' : 'objects'} with ` +
			`${bytesText(bytes)}, such as 0x${example.toString(16)}`),
		element('div', {}, ...steps.flatMap((_, i) => stepParts(path, i))));
}

/** paths: those to show; count: of all. */
export function pathList(paths, count) {
	if (paths.length === 0)
		return [element('p', {}, 'No root reaches the objects of this class.')];
	const title = paths.length < count ? `Paths from roots (${countText(paths.length)} of ${countText(count)})` : 'Paths from roots';
	return [element('h2', {}, title),
		element('p', { class: 'faint' }, `${mark} All paths to these objects lead through this reference, or another one between ` +
			'the same two objects: without it, they would be free. ... The step occurs repeatedly. Each path is a shortest one.'),
		element('ul', { class: 'paths' }, ...paths.map(pathItem))];
}
