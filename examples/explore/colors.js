// SPDX-License-Identifier: MIT
// Colors of drawings.

export function isDarkTheme() {
	return document.documentElement.dataset.theme === 'dark';
}

/** The same name has the same color everywhere. */
export function colorOf(name, isDark) {
	let hash = 0;
	for (let i = 0; i < name.length && name[i] !== '('; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	const hue = 20 + (hash >>> 0) % 40;
	const light = ((hash >>> 8) & 15) + (isDark ? 24 : 68);
	return `hsl(${hue} ${isDark ? 55 : 85}% ${light}%)`;
}

export const activityColors = { methods: '#4c8fd6', waiting: '#e0a23c', stopped: '#d0574f', samples: '#7b61c9' };

/** Colors of a theme for drawings. */
export function drawingColors(isDark) {
	return isDark
		? { text: '#f0f3f6', faint: '#9aa4af', line: '#39424d', accent: '#74b3f2', match: '#b9a3ff', matchText: '#1b1f24',
			dense: '#8a5a2c', selected: 'rgb(116 179 242 / 22%)', stopped: 'rgb(224 88 79 / 30%)' }
		: { text: '#1b1f24', faint: '#57606a', line: '#d0d7de', accent: '#0b5cad', match: '#b9a3ff', matchText: '#1b1f24',
			dense: '#e2a668', selected: 'rgb(11 92 173 / 14%)', stopped: 'rgb(208 87 79 / 22%)' };
}
