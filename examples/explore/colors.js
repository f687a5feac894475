// SPDX-License-Identifier: MIT
// Colors of drawings. Those of frames are the ones of "mprof flame": assemble.sh makes frameLookTable, waitingMethodNames and
// waitingFunctionNames of examples/mprof/flame/looks.def.
import { className } from './short_name.js';

export function isDarkTheme() {
	return document.documentElement.dataset.theme === 'dark';
}

/** The kinds of frames, in the order of a legend. */
export const frameLooks = Object.keys(frameLookTable);

/** Boxes have the same colors in both themes, and so have their texts. */
export const boxText = '#1b1f24';

/** A color for the legend, and what it means. */
export function lookColor(look) {
	return frameLookTable[look].colors[0];
}

export function lookTitle(look) {
	return frameLookTable[look].title;
}

const methodKind = 1;
const nativeKinds = [2, 3, 4];
const classKind = 7;
const idleKind = 9;

/** Flags of frames: those of a compilation, and of code that its caller contains. */
export const frameFlags = { compiling: 1, inlined: 2 };

// Methods whose names are in brackets stand for work of the runtime.
function lookOfMethod(name, flags) {
	if (name.startsWith('[GC]'))
		return 'collector';
	if (name.startsWith('[waiting'))
		return 'waiting';
	if ((flags & frameFlags.compiling) !== 0 || name.startsWith('['))
		return 'runtime';
	if (waitingMethodNames.some((start) => name.startsWith(start)))
		return 'waiting';
	return (flags & frameFlags.inlined) !== 0 ? 'inlined' : 'managed';
}

function lookOfNativeCode(name, module, flags) {
	if (module?.startsWith('[kernel'))
		return 'kernel';
	if (waitingFunctionNames.includes(name.replace(/^_+/, '').replace(/@.*/, '')))
		return 'waiting';
	return (flags & frameFlags.inlined) !== 0 ? 'inlined' : 'native';
}

/** What a frame is, one of frameLooks. kind: an mprof_sample_kind; module: the file of native code, or null. */
export function lookOf({ kind, name, module = null, flags = 0 }) {
	if (kind === methodKind)
		return lookOfMethod(name ?? '', flags);
	if (nativeKinds.includes(kind))
		return lookOfNativeCode(name ?? '', module, flags);
	if (kind === idleKind)
		return 'waiting';
	return kind === classKind ? 'class' : 'other';
}

/** The color of a frame: methods of a class have the same one, and functions of a module. */
export function frameColor(look, { kind, name, module = null }) {
	const text = kind === methodKind ? className(name ?? '') : kind === classKind ? name ?? '' : module ?? name ?? '';
	let hash = 2166136261;
	for (const byte of new TextEncoder().encode(text))
		hash = Math.imul(hash ^ byte, 16777619);
	const list = frameLookTable[look].colors;
	return list[(hash >>> 8) % list.length];
}

/** The color of a class of objects. */
export function classColor(name) {
	return frameColor('class', { kind: classKind, name });
}

/** A color for a name that is no frame, such as a span. The same name has the same color everywhere. */
export function colorOf(name, isDark) {
	let hash = 0;
	for (let i = 0; i < name.length && name[i] !== '('; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	const hue = 20 + (hash >>> 0) % 40;
	const light = ((hash >>> 8) & 15) + (isDark ? 24 : 68);
	return `hsl(${hue} ${isDark ? 55 : 85}% ${light}%)`;
}

export const activityColors = { methods: '#4c8fd6', running: '#2a9fb5', waiting: '#e0a23c', stopped: '#d0574f', samples: '#7b61c9', collection: '#3f9c6b' };

/** Colors of a theme for drawings. */
export function drawingColors(isDark) {
	return isDark
		? { text: '#f0f3f6', faint: '#9aa4af', line: '#39424d', accent: '#74b3f2', match: '#e08cf5', matchText: '#1b1f24', ground: '#12161c',
			dense: '#c49a5c', selected: 'rgb(116 179 242 / 22%)', stopped: 'rgb(224 88 79 / 30%)', root: '#39424d', life: '#242c36' }
		: { text: '#1b1f24', faint: '#57606a', line: '#d0d7de', accent: '#0b5cad', match: '#e08cf5', matchText: '#1b1f24', ground: '#ffffff',
			dense: '#e2a668', selected: 'rgb(11 92 173 / 14%)', stopped: 'rgb(208 87 79 / 22%)', root: '#d0d7de', life: '#e9edf1' };
}

/** Explains colors: pairs of a color and what it means, as parts of a line. */
export function legendParts(pairs, element) {
	return pairs.map(([color, text]) => {
		const box = element('span', { class: 'legend' });
		box.style.background = color;
		return element('span', { class: 'legend-entry' }, box, ` ${text}`);
	});
}
