import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPrograms } from '../../../../../sdk/src/testing/test-gateway/programs.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const names = ['houmao-mgr', 'houmao-gateway', 'standin-agent'];

function install(folder: string, programs = names): string {
  mkdirSync(join(folder, 'dist/programs'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "houmao"}');
  for (const name of programs) writeFileSync(join(folder, 'dist/programs', `${name}.js`), '');
  return folder;
}

const programsOf = (folder: string) => ({
  manager: join(folder, 'dist/programs/houmao-mgr.js'),
  gateway: join(folder, 'dist/programs/houmao-gateway.js'),
  standin: join(folder, 'dist/programs/standin-agent.js'),
});

test('the programs are found in the folder that is named, and in the package that is installed', () => {
  const from = temporaryFolder();
  const named = install(join(from, 'named'));
  expect(findPrograms('named', from)).toEqual(programsOf(named));
  expect(findPrograms(named, '/')).toEqual(programsOf(named));
  const installed = install(join(from, 'node_modules/houmao'));
  expect(findPrograms(undefined, from)).toEqual(programsOf(installed));
});

test('what is missing is said in one sentence, with what to do', () => {
  const from = temporaryFolder();
  const example = "for example startTestGateway({ houmao: '/path/to/houmao-gateway' }).";
  expect(() => findPrograms(undefined, from)).toThrow(
    `startTestGateway needs the package houmao, which ${from} does not have: name the folder of a built one, ${example}`,
  );
  expect(() => findPrograms('elsewhere', from)).toThrow(
    `startTestGateway found no package houmao in ${from}/elsewhere: name the folder of its package.json, ${example}`,
  );
  const half = install(join(from, 'half'), names.slice(0, 2));
  expect(() => findPrograms(half, from)).toThrow(
    `startTestGateway needs ${half}/dist/programs/standin-agent.js, which is not there: build it with \`npm run build\` in ${half}.`,
  );
});

test('another package is named, whatever is built in it', () => {
  const from = temporaryFolder();
  const mine = install(join(from, 'mine'));
  writeFileSync(join(mine, 'package.json'), '{"name": "my-project"}');
  expect(() => findPrograms('mine', from)).toThrow(
    `startTestGateway was given the package my-project in ${mine}, which is not houmao: name the folder of that, for example`,
  );
  for (const text of ['{"private": true}', 'null', '{']) {
    writeFileSync(join(mine, 'package.json'), text);
    expect(() => findPrograms(mine, from)).toThrow(`a package in ${mine}, which is not houmao`);
  }
});
