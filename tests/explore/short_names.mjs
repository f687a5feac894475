// SPDX-License-Identifier: MIT
// Short names keep what distinguishes them: short_names.mjs SHORT_NAME_JS.
import { expect, expectMany, finish } from './expect.mjs';

const { shortName } = await import(process.argv[2]);

const method = 'System.Collections.Generic.Dictionary`2<System.String,System.Int32>.TryInsert (string,int,bool)';
const wanted = [
	[method, 200, method],
	[method, 80, 'Dictionary`2<System.String,System.Int32>.TryInsert (string,int,bool)'],
	[method, 60, 'Dictionary`2<System.String,System.Int32>.TryInsert(…)'],
	[method, 30, 'Dictionary`2<…>.TryInsert(…)'],
	[method, 26, 'Dictionary`2<…>.TryInsert'],
	[method, 12, 'TryInsert(…)'],
	[method, 9, 'TryInsert'],
	[method, 6, 'TryIn…'],
	[method, 2, 'Sy'],
	['Demo.Index..ctor (string)', 16, 'Index..ctor(…)'],
	['Demo.Index..ctor (string)', 7, '.ctor'],
	['<Module>.runtime_invoke_void (object,intptr)', 24, 'runtime_invoke_void(…)'],
	['std::vector<int, std::allocator<int> >::push_back(int const&)', 30, 'vector<…>::push_back(…)'],
	['shapes::operator<<(std::ostream&, shapes::circle const&)', 20, 'shapes::operator<<'],
	['(anonymous namespace)::helper(int)', 12, 'helper(int)'],
	['/usr/lib/x86_64-linux-gnu/libc.so.6', 12, '…u/libc.so.6'],
	['a.b.', 3, 'a.b'], ['((((', 3, '(((' ], ['<<<<<<<<<<', 5, '<<…>'],
];
for (const [name, width, short] of wanted)
	expect(`${name} in ${width} characters`, shortName(name, width), short);
for (const [name] of wanted) {
	for (let width = 1; width < name.length + 2; width++)
		expect(`${name} in ${width} characters is short enough`, shortName(name, width).length <= width, true);
}
expectMany(wanted.length);
finish();
