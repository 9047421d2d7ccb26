import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { brainOf, launchBody, prepare } from '../../support/brain.js';
import type { Answer } from '../../support/http.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// Of several things that are wrong with a launch, callers are told the one that comes first in a fixed order.

const folder = temporaryFolder();
const tmux = ownTmux();
let served: ManagedServer;
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
});
afterAll(() => served.close());

const { wish } = prepare(folder);

interface Asked {
  body: Record<string, unknown>;
  brain: ReturnType<typeof brainOf> & { runtime: { launch_contract: Record<string, unknown> } };
}
interface Fault {
  /** What is told of it. */
  told: RegExp;
  spoil(asked: Asked): void;
}

/** In the order in which they are told. */
const faults: readonly Fault[] = [
  {
    told: /^422 \[.*headless_display_style/,
    spoil: ({ body }) => void Object.assign(body, { headless_display_style: 'loud' }),
  },
  {
    told: /^422 "working_directory /,
    spoil: ({ body }) => void Object.assign(body, { working_directory: '/nowhere/at/all' }),
  },
  {
    told: /^422 "agent_def_dir /,
    spoil: ({ body }) => void Object.assign(body, { agent_def_dir: '/nowhere/either' }),
  },
  {
    told: /^422 "brain_manifest_path .* is not an existing file/,
    spoil: ({ body }) => void Object.assign(body, { brain_manifest_path: '/nowhere.yaml' }),
  },
  {
    told: /^422 "brain_manifest_path does not name a usable brain manifest.*schema_version/,
    spoil: ({ brain }) => void Object.assign(brain, { schema_version: 1 }),
  },
  {
    told: /^422 "role_name nobody: /,
    spoil: ({ body }) => void Object.assign(body, { role_name: 'nobody' }),
  },
  {
    told: /^422 "tool is gemini, but /,
    spoil: ({ body }) => void Object.assign(body, { tool: 'gemini' }),
  },
  {
    told: /^422 "tool kimi cannot run headless/,
    spoil: ({ body, brain }) => {
      body.tool = 'kimi';
      brain.inputs.tool = 'kimi';
    },
  },
  {
    told: /^422 "The environment file /,
    spoil: ({ brain }) => {
      brain.credentials.env_contract.source_file = '/nowhere.env';
    },
  },
  {
    told: /^422 "The brain manifest's runtime\.launch_executable /,
    spoil: ({ brain }) => {
      brain.runtime.launch_executable = 'no-such-program';
    },
  },
  {
    told: /^422 "The brain manifest's launch arguments carry /,
    spoil: ({ brain }) => {
      brain.runtime.launch_contract.adapter_defaults = { args: ['--resume=x'] };
    },
  },
  {
    told: /^422 "The brain manifest's reasoning level 0/,
    spoil: ({ brain }) => {
      const effective = { reasoning: { level: 0 } };
      brain.runtime.launch_contract.model_selection = { resolved: { effective } };
    },
  },
  {
    told: /^422 "agent_name cannot name an agent/,
    spoil: ({ body }) => void Object.assign(body, { agent_name: 'HOUMAO' }),
  },
  {
    told: /^422 "agent_id must be /,
    spoil: ({ body }) => void Object.assign(body, { agent_id: '../x' }),
  },
  {
    told: /^422 "mailbox\.transport is needed/,
    spoil: ({ body }) => void Object.assign(body, { mailbox: {} }),
  },
  {
    told: /^503 "An agent named HOUMAO-first is already running/,
    spoil: ({ body }) => void Object.assign(body, { agent_id: 'taken' }),
  },
];

/** The later fault first: where both spoil the same field, the earlier one has the last word. */
async function launch(...spoilt: readonly Fault[]): Promise<Answer> {
  const brain = structuredClone(brainOf(folder));
  const body: Record<string, unknown> = {
    ...launchBody({ ...wish, brainPath: join(folder, 'asked.yaml') }),
    agent_name: 'second',
  };
  for (const fault of spoilt.toReversed()) fault.spoil({ body, brain });
  writeFileSync(join(folder, 'asked.yaml'), stringify(brain));
  return served.ask('POST', '/houmao/agents/headless/launches', body);
}

const saidOf = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body.detail ?? 'launched')}`;

test('of any two faults the earlier one is told', async () => {
  const first = await served.ask('POST', '/houmao/agents/headless/launches', {
    ...launchBody(wish),
    agent_name: 'first',
    agent_id: 'taken',
  });
  expect(saidOf(first)).toMatch(/^200 /);
  for (const [index, fault] of faults.entries()) {
    expect(saidOf(await launch(fault))).toMatch(fault.told);
    for (const later of faults.slice(index + 1))
      expect(saidOf(await launch(fault, later))).toMatch(fault.told);
  }
  // Nothing came of all that, and nothing else stood in the way.
  expect((await served.ask('GET', '/houmao/agents')).body.agents).toHaveLength(1);
  expect(saidOf(await launch())).toMatch(/^200 /);
});
