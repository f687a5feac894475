// SPDX-License-Identifier: MIT
// Numbers as texts, with the units and digits of mprof report.

const timeUnits = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']];
const byteUnits = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];

function withUnit(value, units, unit) {
	for (const [size, name] of units) {
		if (Math.abs(value) < size)
			continue;
		const scaled = value / size;
		return `${scaled.toFixed(Math.abs(scaled) >= 100 ? 1 : 2)} ${name}`;
	}
	return `${value} ${unit}`;
}

export function countText(value) {
	return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** A number and what it counts: "1 thread", "2 threads". */
export function countOf(value, singular, plural = `${singular}s`) {
	return `${countText(value)} ${value === 1 ? singular : plural}`;
}

export function timeText(ns) {
	return withUnit(Math.round(ns), timeUnits, 'ns');
}

export function bytesText(bytes) {
	return withUnit(bytes, byteUnits, 'B');
}

export function shareText(part, whole) {
	return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : '';
}

export function figureText(value, unit) {
	if (value === null || value === undefined)
		return '';
	return { ns: timeText, bytes: bytesText, count: countText }[unit](Number(value));
}
