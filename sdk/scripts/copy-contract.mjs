// Copies what the SDK needs of the generated contract into src/generated/, so that the packed SDK stands alone.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sdk = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(sdk);

/** An equal file is left alone: its new time would make `tsc -b` build everything again. */
function copy(from, to) {
  const text = readFileSync(from, 'utf8');
  if (existsSync(to) && readFileSync(to, 'utf8') === text) return;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}

copy(join(root, 'generated/gateway/client.ts'), join(sdk, 'src/generated/gateway.ts'));
copy(join(root, 'generated/gateway/server/operations.ts'), join(sdk, 'src/generated/operations.ts'));
if (existsSync(join(root, 'LICENSE'))) copy(join(root, 'LICENSE'), join(sdk, 'LICENSE'));
