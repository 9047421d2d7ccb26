// The packed project on machines that had nothing: each Node that Houmao runs on, in an empty folder.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Machine, type NodeMajor, newMachine, packed } from './machine.js';

interface Up {
  readonly server: { api_base_url: string; reused_existing: boolean };
  readonly agent: { gateway_url: string };
}

const folder = temporaryFolder();
let tarball: ReturnType<typeof packed>;

beforeAll(() => {
  tarball = packed(folder);
});

test('the package has the programs, the page, the contract and nothing of the tests and sources, in less than 3 MB', () => {
  expect(tarball.size).toBeLessThan(3_000_000);
  expect(tarball.files).toEqual(
    expect.arrayContaining([
      ...[
        'dist/programs/houmao-mgr.js',
        'dist/programs/houmao-gateway.cjs',
        'dist/programs/houmao-server.cjs',
      ],
      ...['dist/programs/standin-agent.js', 'dist/programs/THIRD-PARTY-LICENSES.txt'],
      ...['dist/page/page.js', 'dist/page/swagger-ui/swagger-ui-bundle.js', 'generated/gateway/openapi.json'],
      ...['dist/validators/gateway/validators.cjs', 'openapi/gateway.yaml', 'skills/houmao/SKILL.md'],
      ...['README.md', 'LICENSE'],
    ]),
  );
  const expected =
    /^(dist\/(programs|page|validators)|generated\/[\w-]+|openapi|skills)\/|^[A-Z]+(\.md)?$|^package\.json$/;
  expect(tarball.files.filter((path) => !expected.test(path) || /\.(ts|map|cache)$|demo/.test(path))).toEqual(
    [],
  );
});

const machineFor = (major: NodeMajor, compilers: boolean): (() => Machine) => {
  let machine: Machine;
  beforeAll(async () => {
    machine = newMachine(major, compilers);
    await machine.install(tarball.path);
  });
  afterAll(() => machine?.remove());
  return () => machine;
};

describe.each(['22', '24'] as const)('on Node %s, without a compiler', (major) => {
  const machine = machineFor(major, false);

  test('one command leads to an agent that answers, to its page and to its server; a second one changes nothing', () =>
    worksOn(machine()));

  test('npx runs it without installing', async () => {
    const { code, stdout, stderr } = await machine().run(
      ...(['npx', '--yes', '--package', tarball.path, 'houmao-mgr', 'up', '--standin', '--json'] as const),
    );
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(stdout) as Up).server.reused_existing).toBe(true);
  });
});

describe('on Node 20', () => {
  const machine = machineFor('20', true);

  test('the first command compiles SQLite: it says so before, and how long it has taken', async () => {
    const { code, stderr } = await machine().run('houmao-mgr', 'setup');
    const [first, ...others] = stderr.trim().split('\n');
    expect(first).toMatch(/^SQLite is compiled for Node 20\.[\d.]+, once: it takes one to five minutes/);
    expect(others).toContainEqual(expect.stringMatching(/^still compiling SQLite, \d+ seconds so far$/));
    expect(code).toBe(0);
    expect((await machine().run('houmao-mgr', 'setup')).stderr).toBe('');
  });

  test('it works from then on', () => worksOn(machine()));
});

describe('on Node 20 without a compiler', () => {
  const machine = machineFor('20', false);

  test('a command says what is missing and how to get it, and is whole again once it is there', async () => {
    const { code, stderr } = await machine().run('houmao-mgr', 'up', '--standin', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error_code: 'sqlite_missing',
      detail: expect.stringContaining('apt-get install'),
    });
    expect((await machine().run('houmao-mgr', '--version')).code).toBe(0);
  });
});

async function worksOn(machine: Machine): Promise<void> {
  const up = await machine.manage<Up>('up', '--standin', '--port', '0');
  expect(up.server.reused_existing).toBe(false);
  const prompted = await machine.run('houmao-mgr', 'agents', 'prompt', 'standin', 'Hello');
  expect(prompted).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello') });
  for (const url of [up.server.api_base_url, up.agent.gateway_url])
    for (const file of ['docs/', 'docs/page.js', 'docs/swagger-ui-bundle.js', 'openapi.json'])
      expect((await fetch(`${url}/${file}`)).status, `${url}/${file}`).toBe(200);
  const again = await machine.manage<Up>('up', '--standin');
  expect(again.server).toMatchObject({ api_base_url: up.server.api_base_url, reused_existing: true });
  expect(again.agent.gateway_url).toBe(up.agent.gateway_url);
}
