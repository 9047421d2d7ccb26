import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { UnusableFile } from '../../../../src/foundation/faults.js';
import { parseBrainManifest } from '../../../../src/launch/brain/brain-manifest.js';
import { brainOf } from '../../../support/brain.js';

const path = '/somewhere/brain.yaml';
const folder = '/somewhere';
const parse = (value: unknown) => parseBrainManifest(path, stringify(value));
const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof UnusableFile) return error.reason;
    throw error;
  }
  throw new Error('it was taken');
};

test('says what a launch needs, and passes over what it does not know', () => {
  const brain = brainOf(folder);
  const runtime = {
    ...brain.runtime,
    launch_contract: {
      tool_metadata: { anything: 1 },
      construction_provenance: {},
      adapter_defaults: { args: ['--one'], tool_params: {} },
      requested_overrides: { preset: null, direct: { args: { mode: 'append', values: ['--two'] } } },
      model_selection: { resolved: { effective: { name: 'opus', reasoning: { level: 2 } } } },
    },
  };
  expect(parse({ ...brain, runtime, identity: { canonical_agent_name: ' HOUMAO-x ' }, later: true })).toEqual(
    {
      tool: 'claude',
      executable: brain.runtime.launch_executable,
      home: { variable: 'CLAUDE_CONFIG_DIR', path: join(folder, 'home') },
      arguments: ['--one', '--two'],
      model: 'opus',
      reasoningLevel: 2,
      unattended: false,
      agentName: 'HOUMAO-x',
      mailbox: null,
    },
  );
});

test('an agent is unattended unless its manifest says otherwise', () => {
  const { launch_policy: _, ...brain } = brainOf(folder);
  expect(parse(brain).unattended).toBe(true);
});

const runtime = brainOf(folder).runtime;
const contract = (launch_contract: object) => ({ runtime: { ...runtime, launch_contract } });
test.each([
  [{ schema_version: 2 }, /^field \/schema_version: /],
  [{ inputs: {} }, /^field \/inputs\/tool: /],
  [{ inputs: { tool: ' ' } }, /^field \/inputs\/tool: /],
  [{ runtime: { ...runtime, launch_executable: 7 } }, /^field \/runtime\/launch_executable: /],
  [
    { runtime: { ...runtime, launch_home_selector: { env_var: 'A', value: 'home' } } },
    /^field \/runtime\/launch_home_selector\/value: must be /,
  ],
  [
    { credentials: { env_contract: { source_file: 'agent.env' } } },
    /^field \/credentials\/env_contract\/source_file: must be /,
  ],
  [{ launch_policy: { operator_prompt_mode: 'always' } }, /^field \/launch_policy\/operator_prompt_mode: /],
  [contract({ env_records: { 'NO NAME': '1' } }), /^field \/runtime\/launch_contract\/env_records/],
  [
    contract({ adapter_defaults: { tool_params: { x: 1 } } }),
    /^field \/runtime\/launch_contract\/adapter_defaults\/tool_params: .*write them as args$/,
  ],
  [
    contract({ requested_overrides: { direct: { args: { mode: 'prepend', values: [] } } } }),
    /^field \/runtime\/launch_contract\/requested_overrides/,
  ],
  [{ mailbox: { transport: 'pigeon' } }, /^field \/mailbox\/transport: /],
])('%o is refused by its field', (change, reason) => {
  expect(reasonOf(() => parse({ ...brainOf(folder), ...change }))).toMatch(reason);
});

test.each([['a: ["'], ['a: 1\na: 2'], ['- 1\nb'], ['x: *nobody']])(
  '%j is no YAML, and nothing of it is quoted',
  (text) => {
    expect(reasonOf(() => parseBrainManifest(path, `${text} # secret-of-mine`))).toMatch(
      /^is not valid YAML( \(line \d\))?$/,
    );
  },
);

test('any file is a manifest or refused, and no value of it is shown', () => {
  const secret = 'sk-ant-very-secret';
  const leaf = fc.oneof(fc.constant(secret), fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'schema_version',
          'inputs',
          'tool',
          'runtime',
          'launch_contract',
          'credentials',
          'mailbox',
        ),
        tie('tree'),
      ),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      try {
        parse(value);
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        expect(error.message).not.toContain(secret);
      }
    }),
  );
});
