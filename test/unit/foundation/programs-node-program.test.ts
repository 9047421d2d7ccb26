import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fitsVersion, NoNode, nodeProgram } from '../../../src/foundation/programs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const gone = join(folder, 'v1', 'node');

/** A folder with a `node` in it. */
function withNode(name: string, make: (path: string) => void): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  make(join(place, 'node'));
  return place;
}
const script = (text: string) => (path: string) => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
};
const old = withNode('old', script('echo v18.20.4'));
const broken = withNode('broken', script('exit 1'));
const fitting = withNode('fitting', (path) => symlinkSync(process.execPath, path));

describe('the Node that starts a program', () => {
  test('is the one that runs this program while its file is there', async () => {
    expect(await nodeProgram('')).toBe(process.execPath);
    expect(await nodeProgram(old, join(fitting, 'node'))).toBe(join(fitting, 'node'));
  });

  test('is the first on PATH whose version fits where that file was removed', async () => {
    const path = ['', join(folder, 'nothing'), broken, old, fitting].join(delimiter);
    expect(await nodeProgram(path, gone)).toBe(join(fitting, 'node'));
  });

  test('is none where none fits, and the missing file is named', async () => {
    const fault = await nodeProgram([broken, old].join(delimiter), gone).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(NoNode);
    expect((fault as NoNode).message).toContain(gone);
  });
});

test.each([
  ['v20.20.0', true],
  ['v20.20.11', true],
  ['v20.21.0', true],
  ['v20.19.9', false],
  ['v18.99.99', false],
  ['v21.9.0', false],
  ['v22.13.9', false],
  ['v22.14.0', true],
  ['v23.0.0', false],
  ['v24.0.0', true],
  ['v100.0.0', true],
  ['v24.0', false],
  ['', false],
])('%s fits the range: %s', (version, fits) => {
  expect(fitsVersion(version, '^20.20.0 || ^22.14.0 || >=24.0.0')).toBe(fits);
});
