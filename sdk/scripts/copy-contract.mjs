// Copies what the SDK needs of every surface in generated/ into src/generated/, so that the packed SDK stands alone, and writes
// there which versions it is made of.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharingSchemas } from './shared-schemas.mjs';

const sdk = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(sdk);

const copy = (from, to) => write(readFileSync(from, 'utf8'), to);

/** An equal file is left alone: its new time would make `tsc -b` build everything again. */
function write(text, to) {
  if (existsSync(to) && readFileSync(to, 'utf8') === text) return;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}

const parsed = (path) => JSON.parse(readFileSync(path, 'utf8'));
const names = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
const { version } = parsed(join(sdk, 'package.json'));
const surfaces = names(join(root, 'generated')).sort();
/** The others refer to its schemas where theirs are the same. */
const [first] = surfaces;
const copies = join(sdk, 'src/generated');
for (const name of names(copies)) {
  if (!surfaces.includes(name)) rmSync(join(copies, name), { recursive: true });
}
for (const surface of surfaces) {
  const generated = join(root, 'generated', surface);
  const types = readFileSync(join(generated, 'client.ts'), 'utf8');
  const isFirst = surface === first;
  write(
    isFirst
      ? types
      : sharingSchemas(
          types,
          readFileSync(join(root, 'generated', first, 'client.ts'), 'utf8'),
          `../../${first}/types/client.js`,
        ),
    join(copies, surface, 'types', 'client.ts'),
  );
  copy(join(generated, 'methods.ts'), join(copies, surface, 'types', 'methods.ts'));
  copy(join(generated, 'server/operations.ts'), join(copies, surface, 'operations.ts'));
  const { info } = parsed(join(generated, 'openapi.json'));
  const versions = `{ sdk: '${version}', contract: '${surface} ${info.version}' }`;
  write(`export const version = ${versions};\n`, join(copies, surface, 'version.ts'));
}
if (existsSync(join(root, 'LICENSE'))) copy(join(root, 'LICENSE'), join(sdk, 'LICENSE'));
