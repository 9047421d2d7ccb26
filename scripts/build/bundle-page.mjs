// Makes the files that the docs page loads beside Swagger UI: its script, of the modules in src/page/ and the search engine, its
// stylesheet, and the outline of each contract, with which its page begins. And copies the files of Swagger UI itself. Then the
// console's page, of console/. Each with the licences of what they contain.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { marked } from 'marked';
import { createElement } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { rolldown } from 'rolldown';
import { outline } from '../../dist/src/page/outline.js';
import { packagesIn, writeLicences } from './licences.mjs';

const out = join('dist', 'page');
const made = await rolldown({ input: join('dist', 'src', 'page', 'start.js'), platform: 'browser' });
const { output: parts } = await made.write({
  dir: out,
  format: 'iife',
  entryFileNames: 'page.js',
  minify: true,
});
await made.close();
writeLicences(out, packagesIn(parts));
copyFileSync(join('src', 'page', 'page.css'), join(out, 'page.css'));
for (const surface of ['gateway', 'managed-agent']) {
  const document = JSON.parse(readFileSync(join('generated', surface, 'openapi.json'), 'utf8'));
  const react = { createElement, useEffect, useState };
  const drawn = createElement(
    outline(react, document, (text) => marked.parse(text)),
    null,
  );
  writeFileSync(join(out, `${surface}.html`), renderToString(drawn));
}

const engine = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const licences = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];
mkdirSync(join(out, 'swagger-ui'), { recursive: true });
for (const file of [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  ...licences,
  'favicon-16x16.png',
  'favicon-32x32.png',
])
  copyFileSync(join(engine, file), join(out, 'swagger-ui', file));

const web = join(out, 'console');
const client = await rolldown({
  input: { console: join('console', 'dist', 'console.js') },
  platform: 'browser',
});
const { output: chunks } = await client.write({
  dir: web,
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  minify: true,
});
await client.close();
writeLicences(web, packagesIn(chunks));
const terminal = dirname(createRequire(import.meta.url).resolve('@xterm/xterm/package.json'));
copyFileSync(join(terminal, 'css', 'xterm.css'), join(web, 'xterm.css'));
for (const file of ['index.html', 'console.css']) copyFileSync(join('console', 'src', file), join(web, file));
