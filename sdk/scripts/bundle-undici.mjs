// Writes dist/core/transport/undici.js: what the SDK uses of undici, in one file that every bundler takes.
//
// undici is CommonJS and requires modules of Node. esbuild cannot turn that into an ES module: "Dynamic require of "node:assert" is
// not supported" at the first import (https://github.com/evanw/esbuild/issues/1921). Here the modules of Node are asked for by
// `process.getBuiltinModule`, which no bundler has to understand. test/runtimes/bundlers.test.ts tells when this can go.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const transport = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/core/transport');
const undici = dirname(createRequire(import.meta.url).resolve('undici/package.json'));
/** A proxy's tunnel is opened by `connect`, which undici's own entry gives to all dispatchers. */
const entry = `
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
Dispatcher.prototype.connect = connect;
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { fetch } from 'undici/lib/web/fetch/index.js';
export { Request } from 'undici/lib/web/fetch/request.js';
`;

const made = await rolldown({
  input: 'entry',
  platform: 'node',
  external: /^node:/,
  plugins: [
    {
      name: 'entry',
      resolveId: (id) => (id === 'entry' ? join(transport, 'entry.mjs') : null),
      load: (id) => (id === join(transport, 'entry.mjs') ? entry : null),
    },
  ],
});
const { output } = await made.generate({ format: 'cjs', esModule: false, minify: true, comments: false });
await made.close();
const [{ code }] = output;
const body = code.replace(/\brequire\((["'`])(node:[\w/]+)\1\)/g, 'process.getBuiltinModule("$2")');
const left = /(?<![.\w])require\(/.exec(body);
if (left)
  throw new Error(`undici requires more than modules of Node: …${body.slice(left.index, left.index + 80)}…`);

const text = `const undici = {};
((exports) => {${body}})(undici);
export const { Agent, EnvHttpProxyAgent, fetch, Request } = undici;
`;

/** An equal file is left alone: its time tells what was built. */
const path = join(transport, 'undici.js');
if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
copyFileSync(join(undici, 'LICENSE'), join(transport, 'undici.LICENSE'));
