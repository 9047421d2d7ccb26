import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect } from 'vitest';

// Temporary files of a test file stand in a folder that is named after it: so what it leaves behind says whose it was. Short,
// for there are sockets in it, whose path has at most 107 characters.
const file = relative(process.cwd(), expect.getState().testPath ?? 'test')
  .replace(/^test\//, '')
  .replace(/\.test\.ts$/, '')
  .replaceAll('/', '-');
const folder = join(process.env.HOUMAO_TEST_FOLDER ?? tmpdir(), file.slice(-40));
mkdirSync(folder, { recursive: true });
process.env.TMPDIR = folder;
