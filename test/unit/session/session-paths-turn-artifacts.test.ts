import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listArtifacts, sessionPaths, turnArtifacts } from '../../../src/session/session-paths.js';

test('a turn without a folder has no files; a folder that cannot be read is a fault that names it, not an empty one', () => {
  const root = mkdtempSync(join(tmpdir(), 'ta-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const paths = sessionPaths(root);
  const { directory } = turnArtifacts(paths, 'turn-1');
  expect(listArtifacts(paths, 'turn-1')).toEqual([]);
  mkdirSync(directory, { recursive: true });
  for (const name of ['stdout.jsonl', 'exitcode', 'exitcode.tmp']) writeFileSync(join(directory, name), '');
  expect(listArtifacts(paths, 'turn-1')).toEqual([
    'manifest.turn-artifacts/turn-1/exitcode',
    'manifest.turn-artifacts/turn-1/stdout.jsonl',
  ]);
  // As for a file in its place, so for rights: only what is not there is empty.
  const inFile = turnArtifacts(paths, 'turn-1/exitcode/deeper').directory;
  expect(() => listArtifacts(paths, 'turn-1/exitcode/deeper')).toThrow(inFile);
});
