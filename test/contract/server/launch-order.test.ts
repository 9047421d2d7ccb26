import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { brainOf, launchBody, prepare } from '../../support/brain.js';
import type { Answer } from '../../support/http.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// Of several faults of a launch, callers learn the one that comes first in a fixed order.

const folder = temporaryFolder();
const tmux = ownTmux();
let served: ManagedServer;
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
});
afterAll(() => served.close());

const { requested } = prepare(folder);

interface Asked {
  body: Record<string, unknown>;
  brain: ReturnType<typeof brainOf> & { runtime: { launch_contract: Record<string, unknown> } };
}
interface Fault {
  /** The answer that reports it. */
  reported: RegExp;
  spoil(asked: Asked): void;
}

/** In the order in which they are reported. */
const faults: readonly Fault[] = [
  {
    reported: /^422 \[.*headless_display_style/,
    spoil: ({ body }) => void Object.assign(body, { headless_display_style: 'loud' }),
  },
  {
    reported: /^422 "working_directory /,
    spoil: ({ body }) => void Object.assign(body, { working_directory: '/nowhere/at/all' }),
  },
  {
    reported: /^422 "agent_def_dir /,
    spoil: ({ body }) => void Object.assign(body, { agent_def_dir: '/nowhere/either' }),
  },
  {
    reported: /^422 "brain_manifest_path .* is not an existing file/,
    spoil: ({ body }) => void Object.assign(body, { brain_manifest_path: '/nowhere.yaml' }),
  },
  {
    reported: /^422 "brain_manifest_path does not name a usable brain manifest.*schema_version/,
    spoil: ({ brain }) => void Object.assign(brain, { schema_version: 1 }),
  },
  {
    reported: /^422 "role_name nobody: /,
    spoil: ({ body }) => void Object.assign(body, { role_name: 'nobody' }),
  },
  {
    reported: /^422 "tool is gemini, but /,
    spoil: ({ body }) => void Object.assign(body, { tool: 'gemini' }),
  },
  {
    reported: /^422 "tool kimi cannot run headless/,
    spoil: ({ body, brain }) => {
      body.tool = 'kimi';
      brain.inputs.tool = 'kimi';
    },
  },
  {
    reported: /^422 "The environment file /,
    spoil: ({ brain }) => {
      brain.credentials.env_contract.source_file = '/nowhere.env';
    },
  },
  {
    reported: /^422 "The brain manifest's runtime\.launch_executable /,
    spoil: ({ brain }) => {
      brain.runtime.launch_executable = 'no-such-program';
    },
  },
  {
    reported: /^422 "The brain manifest's launch arguments carry /,
    spoil: ({ brain }) => {
      brain.runtime.launch_contract.adapter_defaults = { args: ['--resume=x'] };
    },
  },
  {
    reported: /^422 "The brain manifest's reasoning level 0/,
    spoil: ({ brain }) => {
      const effective = { reasoning: { level: 0 } };
      brain.runtime.launch_contract.model_selection = { resolved: { effective } };
    },
  },
  {
    reported: /^422 "agent_name cannot name an agent/,
    spoil: ({ body }) => void Object.assign(body, { agent_name: 'HOUMAO' }),
  },
  {
    reported: /^422 "agent_id must be /,
    spoil: ({ body }) => void Object.assign(body, { agent_id: '../x' }),
  },
  {
    reported: /^422 "mailbox\.transport is needed/,
    spoil: ({ body }) => void Object.assign(body, { mailbox: {} }),
  },
  {
    reported: /^503 "An agent named HOUMAO-first is already running/,
    spoil: ({ body }) => void Object.assign(body, { agent_id: 'taken' }),
  },
];

/** The later fault first: where both spoil the same field, the earlier one has the last word. */
async function launch(...spoilt: readonly Fault[]): Promise<Answer> {
  const brain = structuredClone(brainOf(folder));
  const body: Record<string, unknown> = {
    ...launchBody({ ...requested, brainPath: join(folder, 'asked.yaml') }),
    agent_name: 'second',
  };
  for (const fault of spoilt.toReversed()) fault.spoil({ body, brain });
  writeFileSync(join(folder, 'asked.yaml'), stringify(brain));
  return served.ask('POST', '/houmao/agents/headless/launches', body);
}

const saidOf = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body.detail ?? 'launched')}`;

test('of any two faults the earlier one is reported', async () => {
  const first = await served.ask('POST', '/houmao/agents/headless/launches', {
    ...launchBody(requested),
    agent_name: 'first',
    agent_id: 'taken',
  });
  expect(saidOf(first)).toMatch(/^200 /);
  for (const [index, fault] of faults.entries()) {
    expect(saidOf(await launch(fault))).toMatch(fault.reported);
    for (const later of faults.slice(index + 1))
      expect(saidOf(await launch(fault, later))).toMatch(fault.reported);
  }
  // Nothing came of all that, and nothing else stood in the way.
  expect((await served.ask('GET', '/houmao/agents')).body.agents).toHaveLength(1);
  expect(saidOf(await launch())).toMatch(/^200 /);
});
