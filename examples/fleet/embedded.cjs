// SPDX-License-Identifier: MIT
// Answers the queries of this directory without a server: embedded.cjs ENGINE DIRECTORY LOG... The engine is chdb,
// which is ClickHouse in a process, or duckdb, which reads Parquet files. Each log is that of a host of its own. MPROF
// names the tool, MODULES the directory with node_modules/chdb or node_modules/@duckdb/node-api.
'use strict';

const { spawnSync } = require('node:child_process');
const { createRequire } = require('node:module');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const [engineName, directory, ...logs] = process.argv.slice(2);
const requireModule = createRequire(join(resolve(process.env.MODULES ?? '.'), 'modules.cjs'));

const totals = {
	totals: `SELECT count(*), sum(calls), sum(method_ns), sum(allocations), sum(allocated_bytes), sum(samples),
		sum(contended_ns), sum(lost_events) FROM all_logs`,
	methods: 'SELECT sum(calls), sum(self_ns) FROM all_methods',
	classes: 'SELECT sum(allocations), sum(bytes) FROM all_classes',
};

function readStatements(name) {
	const text = readFileSync(join(__dirname, name), 'utf8').replace(/^--.*\n/gm, '');
	return text.split(';').map((statement) => statement.trim()).filter((statement) => statement !== '');
}

const schema = readStatements('schema.sql');
const tables = schema.map((statement) => /^CREATE TABLE ([a-z_]+)/.exec(statement)?.[1]).filter(Boolean);

// Writes the tables of each log into a directory of its own.
function exportLogs(format) {
	return logs.map((log, i) => {
		const rows = resolve(directory, `${format}${i}`);
		const options = [`--to=${format}`, `--host=host${i}`, `--build=${i % 2 + 1}.0`];
		const { status } = spawnSync(process.env.MPROF ?? 'mprof', ['export', ...options, '-o', rows, log],
			{ stdio: ['ignore', 'ignore', 'inherit'] });
		// A damaged log has status 1: its table states that it is not complete.
		if (status !== 0 && status !== 1)
			throw new Error(`mprof export ${log}: status ${status}`);
		return rows;
	});
}

// Two databases take the place of two shards.
class Chdb {
	#session;

	async open() {
		const { Session } = requireModule('chdb');
		this.#session = new Session(join(directory, 'chdb'));
		for (const shard of ['shard0', 'shard1']) {
			this.#session.query(`CREATE DATABASE ${shard}`);
			for (const statement of schema)
				this.#session.query(statement.replace(/^CREATE TABLE /, `CREATE TABLE ${shard}.`));
		}
		for (const table of tables) {
			this.#session.query(`CREATE VIEW all_${table} AS
				SELECT * FROM shard0.${table} UNION ALL SELECT * FROM shard1.${table}`);
		}
		exportLogs('clickhouse').forEach((rows, i) => {
			for (const table of tables) {
				this.#session.query(`INSERT INTO shard${i % 2}.${table}
					SELECT * FROM file('${join(rows, `${table}.tsv`)}', 'TabSeparatedWithNames')`);
			}
		});
	}

	async query(statement) {
		const answer = this.#session.query(statement, 'TabSeparatedRawWithNames');
		return answer.trim().split('\n').map((line) => line.split('\t'));
	}

	close() {
		this.#session.cleanup();
	}
}

class DuckDb {
	#connection;

	async open() {
		const { DuckDBInstance } = requireModule('@duckdb/node-api');
		this.#connection = await (await DuckDBInstance.create(':memory:')).connect();
		exportLogs('parquet');
		for (const table of tables) {
			const files = join(resolve(directory), 'parquet*', `${table}.parquet`);
			await this.#connection.run(`CREATE VIEW all_${table} AS
				SELECT * FROM read_parquet('${files}', union_by_name = true)`);
		}
	}

	async query(statement) {
		// The one function that standard SQL spells differently.
		const reader = await this.#connection.runAndReadAll(
			statement.replace(/quantileExact\(([0-9.]+)\)\((\w+)\)/g, 'quantile_disc($2, $1)'));
		return [reader.columnNames(), ...reader.getRows().map((row) => row.map(String))];
	}

	close() {
		this.#connection.closeSync();
	}
}

async function run() {
	const engine = { chdb: new Chdb(), duckdb: new DuckDb() }[engineName];
	mkdirSync(directory, { recursive: true });
	await engine.open();
	for (const statement of readStatements('queries.sql')) {
		console.log(`${statement};`);
		console.log((await engine.query(statement)).map((row) => row.join('\t')).join('\n'));
	}
	for (const [name, statement] of Object.entries(totals)) {
		const [, row] = await engine.query(statement);
		writeFileSync(join(directory, name), `${row.join('\t')}\n`);
	}
	engine.close();
}

run().catch((error) => {
	console.error(`embedded.cjs: ${error.message}`);
	process.exitCode = 1;
});
