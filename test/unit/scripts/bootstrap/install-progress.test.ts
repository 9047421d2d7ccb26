import { expect, test } from 'vitest';
import { installFailure, installProgress } from '../../../../scripts/bootstrap/install-progress.mjs';

const saidBy = () => {
  const said: string[] = [];
  return { said, ...installProgress((line: string) => said.push(line)) };
};

test('a compile is reported once, when node-gyp begins, and not for the command that npm prints', () => {
  const { said, heard, still } = saidBy();
  heard('> better-sqlite3@12.11.1 install\n> prebuild-install || node-gyp rebuild --release\n');
  still(20);
  expect(said).toEqual(['still installing packages, 20 seconds so far']);
  heard('gyp info it worked if it ends with ok\ngyp info using node-gyp@12.4.0\n');
  heard('gyp info spawn make\n');
  still(40);
  expect(said).toHaveLength(3);
  expect(said[1]).toMatch(/^compiling SQLite: .* one to five minutes, once; /);
  expect(said[2]).toBe('still compiling SQLite, 40 seconds so far');
});

test.each([
  ['gyp ERR! stack Error: not found: make', 'make'],
  ['gyp ERR! find Python\ngyp ERR! stack Error: Could not find any Python installation to use', 'Python 3'],
  ['make: g++: No such file or directory\ngyp ERR! stack Error: `make` failed', 'a C++ compiler'],
  ['/bin/sh: 1: c++: not found\ngyp ERR! stack Error: `make` failed', 'a C++ compiler'],
])('%j names the program that is missing, and how to install it', (log, missing) => {
  expect(installFailure(log, 'npm-install.log')).toBe(
    `SQLite could not be compiled: ${missing} was not found. Install it (Debian: apt-get install python3 make g++) and run this again; npm-install.log has all that npm said.`,
  );
});

test.each([
  [
    'sqlite3.c:1:10: fatal error: zlib.h: No such file\ngyp ERR! stack Error: `make` failed',
    'SQLite could not be compiled: fatal error: zlib.h: No such file. npm-install.log',
  ],
  [
    'gyp ERR! stack FetchError: request to the headers failed',
    'SQLite could not be compiled: FetchError: request to the headers failed. npm-install.log',
  ],
  [
    'npm error code EAI_AGAIN\nnpm error request to the registry failed',
    'the packages could not be installed: request to the registry failed. npm-install.log',
  ],
  ['', 'the packages could not be installed. npm-install.log'],
])('%j is reported with its own reason, and no compiler is asked for', (log, words) => {
  expect(installFailure(log, 'npm-install.log')).toBe(`${words} has all that npm said.`);
});
