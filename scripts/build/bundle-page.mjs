// Makes the two files that the docs page loads beside Swagger UI: its script, of the modules in src/page/, and its stylesheet.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const out = join('dist', 'page');
const made = await rolldown({ input: join('dist', 'src', 'page', 'start.js'), platform: 'browser' });
await made.write({ dir: out, format: 'iife', entryFileNames: 'page.js', minify: true });
await made.close();
copyFileSync(join('src', 'page', 'page.css'), join(out, 'page.css'));
