import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/foundation/clock.js';
import type { AgentHost } from '../../../../src/launch/agent-host.js';
import { agentIdOf } from '../../../../src/launch/agent-name.js';
import { checkLaunch } from '../../../../src/launch/check-launch.js';
import { createSession } from '../../../../src/launch/create-session.js';
import { AgentDirectory } from '../../../../src/server/directory/agent-directory.js';
import {
  type Registration,
  writeAuthority,
  writeRegistration,
} from '../../../../src/server/directory/agent-records.js';
import { type ServerPaths, serverPaths } from '../../../../src/server/directory/server-paths.js';
import { withdrawRecord } from '../../../../src/session/registry.js';
import type { SessionPaths } from '../../../../src/session/session-paths.js';
import { requestFor } from '../../../support/launch-host.js';
import { managedHost } from '../../../support/managed-server.js';
import { ownTmux } from '../../../support/own-tmux.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const tmux = ownTmux();
const home = temporaryFolder(tmux);
beforeAll(() => tmux.tmux.newSession('always', home, {}));
afterAll(async () => void (await tmux.tmux.killSession('always')));

interface Stage {
  folder: string;
  host: AgentHost;
  paths: ServerPaths;
  faults: string[];
  directory: AgentDirectory;
  launch(name: string): Promise<SessionPaths>;
  names(): (string | null)[];
}

/** A directory over a host of its own. @param prepare what is there before it looks. @param clock of the directory. */
async function stage(
  prepare: (stage: Stage) => unknown = () => undefined,
  clock: Clock = systemClock,
): Promise<Stage> {
  const folder = temporaryFolder(tmux);
  const host = managedHost(folder, tmux);
  const { registryRoot } = host;
  const faults: string[] = [];
  const paths = serverPaths(join(folder, 'server'));
  const report = (fault: string) => void faults.push(fault);
  const directory = new AgentDirectory({
    paths,
    registryRoot,
    tmux: tmux.tmux,
    clock,
    hostName: null,
    report,
  });
  const made: Stage = {
    folder,
    host,
    paths,
    faults,
    directory,
    launch: (name) => createSession(checkLaunch(requestFor(name, folder), host), host),
    names: () => directory.list().map(({ agentName }) => agentName),
  };
  await prepare(made);
  await directory.start();
  onTestFinished(() => directory.close());
  return made;
}

const registration = (session: string, more: Partial<Registration> = {}): Registration => ({
  session_name: session,
  tool: 'claude',
  terminal_id: null,
  observed_tool_version: null,
  manifest_path: null,
  session_root: null,
  agent_name: session,
  agent_id: null,
  tmux_session_name: null,
  tmux_window_name: null,
  ...more,
});

const recordOf = ({ host }: Stage, name: string): string =>
  join(host.registryRoot, 'live_agents', agentIdOf(name), 'record.json');

describe('the directory follows', () => {
  test('agents of the registry as they come and go', async () => {
    const { host, launch, names, directory, faults } = await stage();
    expect(names()).toEqual([]);
    let reported = 0;
    directory.follow(() => {
      reported += 1;
    });
    const paths = await launch('alpha');
    await expect.poll(names).toEqual(['HOUMAO-alpha']);
    expect(reported).toBeGreaterThan(0);
    expect(directory.resolve('alpha')).toMatchObject({
      kind: 'one',
      agent: { sessionRoot: paths.root, transport: 'headless' },
    });
    const { registry_generation_id } = JSON.parse(readFileSync(paths.manifest, 'utf8'));
    withdrawRecord(host.registryRoot, agentIdOf('alpha'), registry_generation_id);
    await expect.poll(names).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('them without a look at the files at each call: what it saw last is what it answers', async () => {
    const made = await stage(async (before) => {
      await before.launch('alpha');
      writeRegistration(before.paths.sessions, registration('always'));
    });
    const { directory, host, paths } = made;
    directory.close();
    rmSync(host.registryRoot, { recursive: true });
    rmSync(paths.sessions, { recursive: true });
    await directory.refresh();
    expect(made.names()).toEqual(['HOUMAO-alpha', 'always']);
    expect(directory.resolve('alpha').kind).toBe('one');
    await directory.changed();
    expect(made.names()).toEqual([]);
  });

  test('nobody so slowly that one who is there is missed: a name without an agent is looked up in the files', async () => {
    const made = await stage();
    const { directory, paths } = made;
    // From here on no event of the file system reaches it.
    directory.close();
    expect((await directory.find('alpha')).kind).toBe('none');
    await made.launch('alpha');
    expect(directory.resolve('alpha').kind).toBe('none');
    expect((await directory.find('alpha')).kind).toBe('one');
    writeRegistration(paths.sessions, registration('always', { terminal_id: '00c0ffee' }));
    expect(await directory.findTerminal('00c0ffee')).toMatchObject({ trackedAgentId: 'always' });
  });

  test('leases that end', async () => {
    const clock = new VirtualClock('2026-03-19T08:00:00Z');
    const made = await stage(async (before) => {
      await before.launch('alpha');
      const path = recordOf(before, 'alpha');
      const record = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...record, lease_expires_at: '2026-03-19T08:00:02Z' }));
    }, clock);
    clock.pass(2000);
    await made.directory.refresh();
    expect(made.names()).toEqual(['HOUMAO-alpha']);
    clock.pass(1);
    await made.directory.refresh();
    expect(made.names()).toEqual([]);
  });

  test('terminals that live and those that end', async () => {
    const made = await stage(({ paths }) => {
      for (const name of ['gpu', 'gone']) writeRegistration(paths.sessions, registration(name));
    });
    const look = async () => {
      await made.directory.refresh();
      return made.names();
    };
    expect(await look()).toEqual([]);
    await tmux.tmux.newSession('gpu', made.folder, {});
    await expect.poll(look).toEqual(['gpu']);
    const [agent] = made.directory.list();
    expect(made.directory.byTerminal(agent?.terminalId ?? '')).toBe(agent);
    expect(made.directory.byTerminal('00000000')).toBeNull();
    await tmux.tmux.killSession('gpu');
    await expect.poll(look).toEqual([]);
  });
});

describe('one agent of several sources', () => {
  test('is one: its authority record and its registry record', async () => {
    const made = await stage(async (before) => {
      const paths = await before.launch('alpha');
      writeAuthority(before.paths.managedAgents, {
        tracked_agent_id: 'claude_headless-1',
        backend: 'claude_headless',
        tool: 'claude',
        manifest_path: paths.manifest,
        session_root: paths.root,
        tmux_session_name: 'x',
        agent_def_dir: null,
        agent_name: null,
        agent_id: null,
        created_at_utc: '2026-01-01T00:00:00+00:00',
        updated_at_utc: '2026-01-01T00:00:00+00:00',
      });
    });
    expect(made.directory.list()).toMatchObject([
      { trackedAgentId: 'claude_headless-1', agentName: 'HOUMAO-alpha', agentId: agentIdOf('alpha') },
    ]);
  });

  test('is listed by its authority record after its lease has ended', async () => {
    const made = await stage(async (before) => {
      const paths = await before.launch('alpha');
      const path = recordOf(before, 'alpha');
      const record = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...record, lease_expires_at: '2020-01-01T00:00:00Z' }));
      writeAuthority(before.paths.managedAgents, {
        tracked_agent_id: 'claude_headless-1',
        backend: 'claude_headless',
        tool: 'claude',
        manifest_path: paths.manifest,
        session_root: paths.root,
        tmux_session_name: 'x',
        agent_def_dir: null,
        agent_name: 'HOUMAO-alpha',
        agent_id: null,
        created_at_utc: '2026-01-01T00:00:00+00:00',
        updated_at_utc: '2026-01-01T00:00:00+00:00',
      });
    });
    expect(made.names()).toEqual(['HOUMAO-alpha']);
  });
});

describe('a record that cannot be read', () => {
  test('is named once, left alone, and hides no other', async () => {
    const broken = 'not JSON';
    const made = await stage(async (before) => {
      await before.launch('alpha');
      for (const path of [
        join(before.host.registryRoot, 'live_agents', 'broken', 'record.json'),
        join(before.paths.sessions, 'broken', 'registration.json'),
        join(before.paths.managedAgents, 'broken', 'authority.json'),
      ]) {
        mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
        writeFileSync(path, broken);
      }
    });
    await made.directory.changed();
    expect(made.names()).toEqual(['HOUMAO-alpha']);
    expect(
      made.faults.map((fault) => /(\w+)\/broken\/\w+\.json: is not valid JSON; /.exec(fault)?.[1]).sort(),
    ).toEqual(['live_agents', 'managed_agents', 'sessions']);
    const path = join(made.paths.managedAgents, 'broken', 'authority.json');
    expect(readFileSync(path, 'utf8')).toBe(broken);
  });

  test('does not take away an agent that was known, and counts again once it is mended', async () => {
    const made = await stage((before) => before.launch('alpha'));
    const path = recordOf(made, 'alpha');
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, '{');
    await expect.poll(() => made.faults).toHaveLength(1);
    expect(made.names()).toEqual(['HOUMAO-alpha']);
    writeFileSync(path, good.replace('HOUMAO-alpha', 'HOUMAO-renamed'));
    await expect.poll(made.names).toEqual(['HOUMAO-renamed']);
    expect(made.faults).toHaveLength(1);
  });

  test('is reported of a manifest too; the agent is listed with what its record says', async () => {
    const made = await stage(async (before) => {
      const paths = await before.launch('alpha');
      writeFileSync(paths.manifest, '{}');
    });
    expect(made.names()).toEqual(['HOUMAO-alpha']);
    expect(made.faults).toEqual([expect.stringContaining('manifest.json: field ')]);
  });
});

test('the folders that it follows are made, for their owner only', async () => {
  const { paths, host } = await stage();
  for (const folder of [paths.sessions, paths.managedAgents, join(host.registryRoot, 'live_agents')])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmSync(paths.sessions, { recursive: true });
});
