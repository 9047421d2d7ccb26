import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  compareVersions,
  type ToolVersion,
  toolVersionIn,
  type VersionRange,
  versionChoice,
} from '../../../../src/tools/screen/screen-profile.js';

const ranges: VersionRange<string>[] = [
  { from: [0, 116, 0], before: [0, 117, 0], value: 'old' },
  { from: [0, 144, 0], before: [0, 145, 0], value: 'new' },
];

it.each([
  ['2.1.81 (Claude Code)', [2, 1, 81]],
  ['codex-cli 0.116.0', [0, 116, 0]],
  ['v3.4', [3, 4, 0]],
  ['1 2 3', null],
  ['', null],
  [null, null],
])('the version in %j is %j', (text, version) => {
  expect(toolVersionIn(text)).toEqual(version);
});

it.each([
  ['0.116.0', { value: 'old', newerThanKnown: false }],
  ['0.116.99', { value: 'old', newerThanKnown: false }],
  ['0.144.1-beta', { value: 'new', newerThanKnown: false }],
  ['0.145.0', { value: 'new', newerThanKnown: true }],
  ['1.0', { value: 'new', newerThanKnown: true }],
  ['0.117.0', null],
  ['0.115.9', null],
  ['no version', null],
  [null, null],
])('version %j', (version, choice) => {
  expect(versionChoice(version, ranges)).toEqual(choice);
});

it('no ranges, no choice', () => {
  expect(versionChoice('1.0', [])).toBeNull();
});

it('versions are ordered by their numbers, not by their digits', () => {
  const part = fc.nat(300);
  const versions = fc.tuple(part, part, part);
  const weight = ([major, minor, patch]: ToolVersion): number => (major * 1000 + minor) * 1000 + patch;
  fc.assert(
    fc.property(versions, versions, (one, other) => {
      expect(Math.sign(compareVersions(one, other))).toBe(Math.sign(weight(one) - weight(other)));
    }),
  );
});
