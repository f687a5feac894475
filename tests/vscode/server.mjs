// SPDX-License-Identifier: MIT
// Serves Code for browsers, the extension, and the logs of the current directory, on a port of this machine.
import { createReadStream, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';
import { buffer } from 'node:stream/consumers';

const types = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json',
	'.svg': 'image/svg+xml' };

// The page of the workbench with a theme, dark or light. Without a log, it opens what was open when it was closed.
function workbenchPage(port, log, theme) {
	const here = { scheme: 'http', authority: `localhost:${port}` };
	const options = {
		folderUri: { scheme: 'logs', path: '/' },
		additionalBuiltinExtensions: [{ ...here, path: '/extension' }, { ...here, path: '/logs-extension' }],
		defaultLayout: log === null ? undefined : { editors: [{ uri: { scheme: 'logs', path: `/${log}` } }], force: true },
		configurationDefaults: {
			'workbench.startupEditor': 'none',
			'workbench.colorTheme': theme === 'dark' ? 'Default Dark Modern' : 'Default Light Modern',
			'security.workspace.trust.enabled': false,
		},
		productConfiguration: {
			enableTelemetry: false,
			webviewContentExternalBaseUrlTemplate:
				`http://{{uuid}}.localhost:${port}/code/out/vs/workbench/contrib/webview/browser/pre/`,
			webEndpointUrlTemplate: `http://{{uuid}}.localhost:${port}/code`,
		},
	};
	return `<!DOCTYPE html>
<html><head><meta charset="utf-8"><link rel="stylesheet" href="/code/out/vs/workbench/workbench.web.main.css"></head>
<body><script src="/code/out/vs/loader.js"></script><script>
require.config({ baseUrl: location.origin + '/code/out' });
</script><script src="/code/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/code/out/vs/workbench/workbench.web.main.js"></script><script>
require(['vs/workbench/workbench.web.main'], (workbench) => workbench.create(document.body, ${JSON.stringify(options)}));
</script></body></html>`;
}

/** Starts the server: {port, close()}. Directories are those of Code, of the extension, and of the tests. */
export async function startServer({ code, extension, tests }) {
	const roots = { code, extension, logs: '.', 'logs-extension': join(tests, 'logs_extension') };
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://localhost');
		response.setHeader('Access-Control-Allow-Origin', '*');
		response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, PUT');
		if (pathname === '/') {
			response.setHeader('Content-Type', 'text/html');
			response.end(workbenchPage(server.address().port, searchParams.get('log'), searchParams.get('theme')));
			return;
		}
		const [, root, path] = /^\/([a-z-]+)\/(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
		const file = roots[root] === undefined ? null : join(roots[root], normalize(`/${path}`));
		if (request.method === 'PUT' && root === 'logs') {
			writeFileSync(basename(file), await buffer(request));
			response.end();
			return;
		}
		const stat = file === null ? undefined : statSync(file, { throwIfNoEntry: false });
		if (!stat?.isFile()) {
			response.writeHead(request.method === 'OPTIONS' ? 204 : 404).end();
			return;
		}
		response.writeHead(200, { 'Content-Length': stat.size,
			'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
		if (request.method === 'HEAD')
			response.end();
		else
			createReadStream(file).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, 'localhost', resolve));
	return { port: server.address().port, close: () => server.close() };
}
