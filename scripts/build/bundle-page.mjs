// Makes the two files that the docs page loads beside Swagger UI: its script, of the modules in src/page/, and its stylesheet. And
// copies the files of Swagger UI itself, with the licences of what they contain.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const out = join('dist', 'page');
const made = await rolldown({ input: join('dist', 'src', 'page', 'start.js'), platform: 'browser' });
await made.write({ dir: out, format: 'iife', entryFileNames: 'page.js', minify: true });
await made.close();
copyFileSync(join('src', 'page', 'page.css'), join(out, 'page.css'));

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
