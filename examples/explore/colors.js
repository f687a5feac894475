// SPDX-License-Identifier: MIT
// Colors of drawings. Those of frames are the ones of "mprof flame".

export function isDarkTheme() {
	return document.documentElement.dataset.theme === 'dark';
}

// By kind, in shades by class or module.
const shades = {
	managed: ['#f7b267', '#f79d65', '#ffca7a', '#f4a78a', '#ffd8a8', '#efb36f'],
	native: ['#c3b1e1', '#b3a5dc', '#d6c9ee'],
	kernel: ['#e0a9b4', '#d697a6'],
	runtime: ['#9ccc9c'],
	waiting: ['#9fb8cc'],
	class: ['#8fd0c8', '#a5dbd2', '#7fc4bd', '#b4e0d6', '#9ccfdf', '#a8d8b9'],
	other: ['#c9ced2'],
};

/** The kinds of frames, in the order of a legend. */
export const frameLooks = Object.keys(shades);

/** Boxes have the same colors in both themes, and so have their texts. */
export const boxText = '#1b1f24';

/** A color for the legend. */
export function lookColor(look) {
	return shades[look][0];
}

// Methods and native functions in which a thread waits.
const waitingMethods = /^System\.Threading\.(Monitor\.(Enter|TryEnter|Wait|ObjWait|Monitor_wait|Monitor_try_enter|try_enter_with_atomic_var)|WaitHandle\.(Wait|InternalWaitOne)|Thread\.(Sleep|SleepInternal|Join|JoinInternal))/;
const waitingFunctions = /^_*(pthread_cond_(wait|timedwait|clockwait)|pthread_join|(clock_)?nanosleep|p?poll|select|epoll_wait|futex_wait|sem_(wait|timedwait)|u?sleep)(@.*)?$/;

// Work of the runtime is a method with such a name.
const runtimeWork = /^\[[A-Z].*\]$/;

const methodKind = 1;
const nativeKinds = [2, 3, 4];
const classKind = 7;

const compiling = 1;

/** What a frame is: a key of the shades. kind: an mprof_sample_kind; module: the file of native code, or null. */
export function lookOf({ kind, name, module = null, flags = 0 }) {
	const text = name ?? '';
	if (kind === methodKind) {
		if ((flags & compiling) !== 0 || runtimeWork.test(text))
			return 'runtime';
		return waitingMethods.test(text) ? 'waiting' : 'managed';
	}
	if (nativeKinds.includes(kind)) {
		if (module?.startsWith('[kernel') || text.includes('[kernel'))
			return 'kernel';
		return waitingFunctions.test(text) ? 'waiting' : 'native';
	}
	return kind === classKind ? 'class' : 'other';
}

/** The color of a frame: methods of a class have the same one, and functions of a module. */
export function frameColor(look, name, module = null) {
	const text = look === 'managed' ? (name ?? '').replace(/ ?\(.*/, '').replace(/[.:][^.:]*$/, '') : module ?? name ?? '';
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	const list = shades[look];
	return list[(hash >>> 8) % list.length];
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

export const activityColors = { methods: '#4c8fd6', waiting: '#e0a23c', stopped: '#d0574f', samples: '#7b61c9', collection: '#3f9c6b' };

/** Colors of a theme for drawings. */
export function drawingColors(isDark) {
	return isDark
		? { text: '#f0f3f6', faint: '#9aa4af', line: '#39424d', accent: '#74b3f2', match: '#e08cf5', matchText: '#1b1f24', ground: '#12161c',
			dense: '#c49a5c', selected: 'rgb(116 179 242 / 22%)', stopped: 'rgb(224 88 79 / 30%)', root: '#39424d' }
		: { text: '#1b1f24', faint: '#57606a', line: '#d0d7de', accent: '#0b5cad', match: '#e08cf5', matchText: '#1b1f24', ground: '#ffffff',
			dense: '#e2a668', selected: 'rgb(11 92 173 / 14%)', stopped: 'rgb(208 87 79 / 22%)', root: '#d0d7de' };
}

/** Explains colors: pairs of a color and what it means, as parts of a line. */
export function legendParts(pairs, element) {
	return pairs.map(([color, text]) => {
		const box = element('span', { class: 'legend' });
		box.style.background = color;
		return element('span', { class: 'legend-entry' }, box, ` ${text}`);
	});
}
