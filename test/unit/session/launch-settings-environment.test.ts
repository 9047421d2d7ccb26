import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { UnusableFile } from '../../../src/foundation/faults.js';
import { LaunchSettingsReader, toEnvironmentFile } from '../../../src/session/launch-settings.js';
import type { Manifest } from '../../../src/session/manifest-schema.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// The parser itself, whose calls are counted.
vi.mock('yaml', { spy: true });

const folder = temporaryFolder();
const variable = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
/** Values that the launch can carry: one kind of quote must be left, and no carriage return. */
const value = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("'", '"', '`', '\\', '\n', '#', '=', ' ', '$', 'n', '\t'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  })
  .filter(
    (text) =>
      !text.includes('\0') &&
      !text.includes('\r') &&
      (!text.includes("'") || !text.includes('`') || !(text.includes('"') || text.includes('\\'))),
  );

describe('the environment file of a launch', () => {
  it('reads back as it was', () => {
    const environment = fc.dictionary(variable, value, { noNullPrototype: true, maxKeys: 6 });
    fc.assert(
      fc.property(environment, (variables) => {
        expect({ ...parseEnv(toEnvironmentFile(variables)) }).toEqual(variables);
      }),
      { numRuns: 1000 },
    );
  });

  it('names its variables in order', () => {
    expect(toEnvironmentFile({ B: 'two', A: "it's" })).toBe("A=`it's`\nB='two'\n");
  });

  it('refuses a value that it would change, without repeating it', () => {
    expect(() => toEnvironmentFile({ ODD: `hidden '"\`` })).toThrow(/^The value of ODD(?!.*hidden)/);
    expect(() => toEnvironmentFile({ ODD: "hidden '`\\" })).toThrow(/^The value of ODD(?!.*hidden)/);
  });
});

const manifestWith = (brain: string, agentDefinition: string | null = null): Manifest =>
  ({
    brain_manifest_path: brain,
    role_name: 'default',
    runtime: { agent_def_dir: agentDefinition },
  }) as unknown as Manifest;

function brainFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('launch settings', () => {
  const own = { PATH: '/own/bin', HOME: '/own', SECRET_OF_GATEWAY: 'no' };

  it('hold what is recorded and allowed, and of the gateway’s own only the basics', () => {
    const source = brainFile('agent.env', "A='1'\nB='2'\nPATH='/agent/bin'\n");
    const brain = brainFile(
      'brain.yaml',
      `credentials: { env_contract: { source_file: ${source}, allowlisted_env_vars: [A, PATH] } }
runtime: { launch_contract: { model_selection: { resolved: { effective: { name: m, reasoning: { level: 2 } } } } } }`,
    );
    expect(new LaunchSettingsReader(own).read(manifestWith(brain))).toEqual({
      environment: { PATH: '/agent/bin', HOME: '/own', A: '1' },
      model: { name: 'm', reasoningLevel: 2 },
      role: null,
    });
  });

  it('have the role of its folder, and in its place the one that the older implementation composed', () => {
    const definition = join(folder, 'definition');
    mkdirSync(join(definition, 'roles', 'default'), { recursive: true });
    writeFileSync(join(definition, 'roles', 'default', 'system-prompt.md'), 'You test.\n');
    const roleWith = (name: string, inputs: string) =>
      new LaunchSettingsReader(own).read(manifestWith(brainFile(name, inputs), definition)).role;
    expect(roleWith('plain-role.yaml', 'inputs: { tool: claude }')).toBe('You test.');
    expect(roleWith('composed-role.yaml', 'inputs: { role_prompt_text: "You are one of many.\\n" }')).toBe(
      'You are one of many.',
    );
    expect(roleWith('no-role.yaml', 'inputs: { role_prompt_text: "" }')).toBeNull();
  });

  it('a session without a brain manifest has the basics', () => {
    expect(new LaunchSettingsReader(own).read(manifestWith(join(folder, 'none')))).toEqual({
      environment: { PATH: '/own/bin', HOME: '/own' },
      model: { name: null, reasoningLevel: null },
      role: null,
    });
  });

  it.each([
    ['a brain that is no YAML', 'bad.yaml', 'a: [1'],
    [
      'an environment file that is gone',
      'gone.yaml',
      'credentials: { env_contract: { source_file: /nowhere/x } }',
    ],
  ])('%s is a fault that names the file', (_name, file, text) => {
    expect(() => new LaunchSettingsReader(own).read(manifestWith(brainFile(file, text)))).toThrow(
      UnusableFile,
    );
  });

  it('are read afresh when a file has changed', () => {
    const model = (name: string): string =>
      `runtime: { launch_contract: { model_selection: { resolved: { effective: { name: ${name} } } } } }`;
    const manifest = manifestWith(brainFile('changing.yaml', model('first')));
    const reader = new LaunchSettingsReader(own);
    expect(reader.read(manifest).model.name).toBe('first');
    brainFile('changing.yaml', model('second'));
    expect(reader.read(manifest).model.name).toBe('second');
  });

  it('of many agents are parsed once each, in whatever order they are read', () => {
    const agents = ['one', 'two', 'three'].map((name) => ({
      reader: new LaunchSettingsReader(own),
      manifest: manifestWith(brainFile(`own-${name}.yaml`, `name: ${name}`)),
    }));
    vi.mocked(parse).mockClear();
    for (const order of [agents, agents.toReversed(), agents])
      for (const { reader, manifest } of order) reader.read(manifest);
    expect(vi.mocked(parse).mock.calls.map(([text]) => text)).toEqual([
      'name: one',
      'name: two',
      'name: three',
    ]);
  });
});
