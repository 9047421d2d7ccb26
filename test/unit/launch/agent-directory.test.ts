import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  AmbiguousName,
  findAgent,
  hasSessionFiles,
  listAgents,
  NoSuchAgent,
  refuseTaken,
} from '../../../src/launch/agent-directory.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { agentIdOf } from '../../../src/launch/agent-name.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { LaunchRefused } from '../../../src/launch/launch-fault.js';
import { leaseMilliseconds, publishRecord, withdrawRecord } from '../../../src/session/registry.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const host = hostIn(folder);
const roots: Record<string, string> = {};

beforeAll(async () => {
  for (const name of ['beta', 'alpha'])
    roots[name] = (await createSession(checkLaunch(requestFor(name, folder), host), host)).root;
});

test('an agent is found by its short name, its whole name and its id', () => {
  for (const name of ['alpha', 'HOUMAO-alpha', agentIdOf('alpha')]) {
    const { name: found, paths } = findAgent(name, host);
    expect([found, paths.root]).toEqual(['HOUMAO-alpha', roots.alpha]);
  }
});

describe('an agent that the older implementation named, without the prefix', () => {
  const registered = (name: string, id: string) => {
    const { record } = findAgent('beta', host);
    const own = { ...record, agent_name: name, agent_id: id, generation_id: id };
    publishRecord(host.registryRoot, own, host.clock.now());
    onTestFinished(() => withdrawRecord(host.registryRoot, id, id));
  };

  test('is found by its name, with the prefix and without, and by its id', () => {
    registered('older', 'its-own-id');
    for (const name of ['older', 'HOUMAO-older', 'its-own-id'])
      expect(findAgent(name, host)).toMatchObject({ name: 'older', record: { agent_id: 'its-own-id' } });
  });

  test('keeps the name from a launch', () => {
    registered('older', 'its-own-id');
    const taken = expect.objectContaining({ trouble: expect.objectContaining({ code: 'name_taken' }) });
    expect(() => checkLaunch(requestFor('older', folder), host)).toThrow(taken);
    expect(() => checkLaunch(requestFor('other', folder), host)).not.toThrow();
  });

  test('and another of the same name are distinguished by their ids', () => {
    registered('alpha', 'its-own-id');
    expect(() => findAgent('alpha', host)).toThrow(AmbiguousName);
    expect(findAgent('its-own-id', host).name).toBe('alpha');
    for (const name of [agentIdOf('alpha'), 'HOUMAO-alpha'])
      expect(findAgent(name, host).record.agent_id).toBe(agentIdOf('alpha'));
  });
});

test('a name that nobody has comes with those that there are', () => {
  const find = (): unknown => findAgent('gamma', host);
  expect(find).toThrow(NoSuchAgent);
  expect(find).toThrow(
    expect.objectContaining({
      asked: 'gamma',
      known: expect.arrayContaining(['alpha', 'beta']),
    }),
  );
});

test('two registries in one process are two hosts', () => {
  const other = hostIn(join(folder, 'other'));
  expect(listAgents(other)).toEqual({ agents: [], unusable: [] });
  expect(() => findAgent('alpha', other)).toThrow(expect.objectContaining({ known: [] }));
});

test('a record that cannot be read hides no other, and is named', () => {
  const record = join(host.registryRoot, 'live_agents', 'broken', 'record.json');
  mkdirSync(join(record, '..'), { recursive: true });
  writeFileSync(record, '{}');
  const { agents, unusable } = listAgents(host);
  expect(agents.map(({ name }) => name).sort()).toEqual(
    expect.arrayContaining(['HOUMAO-alpha', 'HOUMAO-beta']),
  );
  expect(unusable.map(({ path }) => path)).toEqual([record]);
  rmSync(join(record, '..'), { recursive: true });
});

test('an agent whose session is gone is still found', async () => {
  const { root } = await createSession(checkLaunch(requestFor('gone', folder), host), host);
  expect(hasSessionFiles(findAgent('gone', host))).toBe(true);
  rmSync(root, { recursive: true });
  expect(hasSessionFiles(findAgent('gone', host))).toBe(false);
});

test('a name is free again when its lease has run out', () => {
  const later: AgentHost = {
    ...host,
    clock: { ...host.clock, now: () => new Date(Date.now() + leaseMilliseconds + 60_000) },
  };
  expect(() => refuseTaken(agentIdOf('alpha'), host)).toThrow(LaunchRefused);
  expect(() => refuseTaken(agentIdOf('alpha'), later)).not.toThrow();
});
