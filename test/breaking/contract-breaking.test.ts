import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const project = new URL('../../', import.meta.url).pathname;
const repository = mkdtempSync(join(tmpdir(), 'houmao-breaking-'));
const identity = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com'];
const git = (...args: string[]) =>
  execFileSync('git', [...identity, ...args], { cwd: repository, stdio: 'pipe' });

function compare(args: string[] = [], environment: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/contract-breaking.mjs', ...args], {
    cwd: repository,
    encoding: 'utf8',
    env: environment,
  });
  return { status, stdout, stderr };
}

/** Changes one place of a file of the contract. */
function edit(file: string, from: string, to: string): void {
  const path = join(repository, 'openapi', file);
  const text = readFileSync(path, 'utf8');
  expect(text.split(from), `${from} in ${file}`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
/** The documents, one for each surface; they share schemas, and have a version each. */
const documents = readdirSync(join(project, 'openapi')).filter((name) => name.endsWith('.yaml'));
const setVersion = (from: string, to: string): void => {
  for (const name of documents) edit(name, `  version: ${from}\n`, `  version: ${to}\n`);
};

beforeAll(() => {
  for (const name of ['scripts', 'openapi', 'src/contract/document', 'redocly.yaml', 'package.json'])
    cpSync(join(project, name), join(repository, name), { recursive: true });
  mkdirSync(join(project, '.tools'), { recursive: true });
  for (const name of ['node_modules', '.tools']) symlinkSync(join(project, name), join(repository, name));
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'scripts', 'openapi');
  git('commit', '--quiet', '--message=The contract');
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

test('without a release there is nothing to compare', () => {
  git('tag', 'v1.0.0-rc.1');
  expect(compare()).toEqual({
    status: 0,
    stdout: 'contract: there is no release tag (v1.2.3) in this history yet; nothing to compare with\n',
    stderr: '',
  });
});

test('--help tells the rule', () => {
  const { status, stdout } = compare(['--help']);
  expect(status).toBe(0);
  expect(stdout).toContain('A breaking change needs a higher major in info.version');
});

describe('since a release', () => {
  beforeAll(() => {
    git('tag', 'v0.9.0');
    edit('gateway.yaml', 'summary: A durable prompt queue', 'summary: The durable prompt queue');
    git('commit', '--quiet', '--all', '--message=A word');
    git('tag', 'v1.0.0');
  });
  afterEach(() => git('checkout', '--quiet', '--', 'openapi'));

  test('the same contract breaks nothing', () => {
    const lines = documents.map(
      (name) => `contract: ${name.replace('.yaml', '')}: nothing breaks between 1.0.0 (v1.0.0) and 1.0.0\n`,
    );
    expect(lines).toHaveLength(2);
    expect(compare()).toMatchObject({ status: 0, stdout: lines.join('') });
  });

  test('what is only added breaks nothing', () => {
    edit(
      'gateway/events.yaml',
      '    parameters:\n',
      '    parameters:\n      - { name: kind, in: query, required: false, description: Only these., schema: { type: string } }\n',
    );
    edit(
      'components/requests.yaml',
      '  required: [paused]\n  properties:\n',
      '  required: [paused]\n  properties:\n    note: { type: string, description: Why. }\n',
    );
    edit('gateway.yaml', 'paths:\n', "paths:\n  /healthz: { $ref: './gateway/status.yaml#/status' }\n");
    edit('gateway/status.yaml', 'operationId: getStatus', 'x-note: added\n    operationId: getStatus');
    expect(compare()).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing breaks') });
  });

  test('a new word breaks nothing where words may grow', () => {
    edit(
      'components/requests.yaml',
      'unavailable, reconciliation, paused, behind]',
      'unavailable, reconciliation, paused, behind, asleep]',
    );
    edit(
      'components/responses.yaml',
      '  x-houmao-error-codes: [not_json]',
      '  x-houmao-error-codes: [not_json, unknown_turn]',
    );
    expect(compare()).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing breaks') });
  });

  test('a surface that is new breaks nothing', () => {
    const text = readFileSync(join(repository, 'openapi', 'gateway.yaml'), 'utf8');
    const path = join(repository, 'openapi', 'second.yaml');
    writeFileSync(path, text);
    try {
      expect(compare()).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('contract: second: v1.0.0 did not have it; nothing breaks\n'),
      });
    } finally {
      rmSync(path);
    }
  });

  const health =
    'properties:\n    protocol_version: { type: string, const: v1, description: Version of the protocol. }\n    status: { type: string, const: ok, description: Alive. }\n  example';
  const breaking: [what: string, change: () => void, says: RegExp][] = [
    [
      'an object that opens',
      () =>
        edit(
          'components/status.yaml',
          "description: The gateway's own liveness. It says nothing about the agent.\n  additionalProperties: false",
          "description: The gateway's own liveness. It says nothing about the agent.\n  additionalProperties: true",
        ),
      /#\/components\/schemas\/Health was closed and is open/,
    ],
    [
      'an object that closes',
      () => edit('components/events.yaml', 'additionalProperties: true', 'additionalProperties: false'),
      /#\/components\/schemas\/EventData was open and is closed/,
    ],
    [
      'a property of an answer that goes',
      () => {
        edit(
          'components/status.yaml',
          health,
          'properties:\n    status: { type: string, const: ok, description: Alive. }\n  example',
        );
        edit('components/status.yaml', 'required: [protocol_version, status]', 'required: [status]');
      },
      /GET \/health .*removed .*`protocol_version`/,
    ],
    [
      'a property of an answer that comes',
      () =>
        edit(
          'components/status.yaml',
          health,
          health.replace('properties:', 'properties:\n    since: { type: string, description: When. }'),
        ),
      /GET \/health .*`since`/,
    ],
    [
      'an operation that goes',
      () => edit('gateway.yaml', "  /v1/turns/{turn_id}: { $ref: './gateway/turns.yaml#/one' }\n", ''),
      /GET \/v1\/turns\/\{turn_id\} .*removed/,
    ],
    [
      'a field that callers now have to send',
      () => edit('components/requests.yaml', 'required: [paused]\n', 'required: [paused, schema_version]\n'),
      /PUT \/v1\/control\/queue .*`schema_version`.*required/,
    ],
    [
      'a value that is no longer taken',
      () => edit('components/requests.yaml', 'enum: [adopt, discard]', 'enum: [adopt]'),
      /POST \/v1\/control\/reconcile .*`discard`/,
    ],
    [
      'a query parameter that goes',
      () => edit('gateway/requests.yaml', '      - name: state\n', '      - name: phase\n'),
      /GET \/v1\/requests .*`state`/,
    ],
    [
      'a status that goes',
      () => {
        const running = "            example: { $ref: '../examples/requests.yaml#/Running' }\n";
        const noTurn = "      '404': { $ref: '../components/responses.yaml#/NoTurn' }\n";
        edit('gateway/turns.yaml', running + noTurn, running);
      },
      /GET \/v1\/turns\/\{turn_id\} .*`404`/,
    ],
    [
      'a status that goes from every operation',
      () =>
        edit('components/shared-responses.yaml', "  '421': { $ref: './responses.yaml#/HostRefused' }\n", ''),
      /GET \/health .*`421`/,
    ],
    [
      'a new word where the contract has no others',
      () =>
        edit(
          'components/requests.yaml',
          'enum: [accepted, running, completed, failed, coalesced, cancelled]',
          'enum: [accepted, running, completed, failed, coalesced, cancelled, expired]',
        ),
      /GET \/v1\/requests\/\{request_id\} .*`expired`/,
    ],
    [
      'another operationId',
      () => edit('gateway/turns.yaml', 'operationId: getTurn', 'operationId: readTurn'),
      /GET \/v1\/turns\/\{turn_id\} .*`getTurn`/,
    ],
  ];

  test.each(breaking)('%s is refused', (_what, change, says) => {
    change();
    const { status, stdout } = compare();
    expect(stdout).toMatch(says);
    expect(stdout).toContain('between 1.0.0 (v1.0.0) and 1.0.0; raise the major of info.version');
    expect(status).toBe(1);
  });

  test.each([
    ['1.1.0', 1, 'raise the major'],
    ['1.0.1', 1, 'raise the major'],
    ['2.0.0', 0, 'and the version says so'],
  ])('with version %s the exit code is %i', (version, code, says) => {
    edit('components/requests.yaml', 'enum: [adopt, discard]', 'enum: [adopt]');
    setVersion('1.0.0', version);
    expect(compare()).toMatchObject({ status: code, stdout: expect.stringContaining(says) });
  });

  test('--base compares with something else', () => {
    edit('components/requests.yaml', 'enum: [adopt, discard]', 'enum: [adopt]');
    expect(compare(['--base', 'v0.9.0'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('(v0.9.0)'),
    });
    expect(compare(['--base', 'v9.9.9'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^contract: .*v9\.9\.9/),
    });
  });

  test('without Go and oasdiff one line says what to install', () => {
    const bare = join(repository, 'bare');
    mkdirSync(join(bare, 'bin'), { recursive: true });
    const programs = execFileSync('which', ['git', 'tar', 'env'], { encoding: 'utf8' }).trim().split('\n');
    for (const path of [...programs, process.execPath])
      symlinkSync(path, join(bare, 'bin', path.slice(dirname(path).length + 1)));
    rmSync(join(repository, '.tools'));
    try {
      const { status, stderr } = compare([], { ...process.env, PATH: join(bare, 'bin') });
      expect(stderr).toMatch(/^contract: go was not found; .*apt-get install golang-go\)\n$/);
      expect(status).toBe(1);
    } finally {
      symlinkSync(join(project, '.tools'), join(repository, '.tools'));
    }
  });
});

test('while the major is 0, a higher minor may break', () => {
  setVersion('1.0.0', '0.4.0');
  git('commit', '--quiet', '--all', '--message=Before its first version');
  edit('components/requests.yaml', 'enum: [adopt, discard]', 'enum: [adopt]');
  setVersion('0.4.0', '0.4.1');
  expect(compare(['--base', 'HEAD']).status).toBe(1);
  setVersion('0.4.1', '0.5.0');
  expect(compare(['--base', 'HEAD']).status).toBe(0);
});
