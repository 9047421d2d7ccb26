import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentIdOf } from '../../../../src/launch/agent-name.js';
import { AgentDirectory } from '../../../../src/server/directory/agent-directory.js';
import { writeAuthority } from '../../../../src/server/directory/agent-records.js';
import { serverPaths } from '../../../../src/server/directory/server-paths.js';
import { AgentLeases } from '../../../../src/server/lifecycle/agent-leases.js';
import { isFresh, readRecord } from '../../../../src/session/registry.js';
import { launchOn } from '../../../support/managed-agents.js';
import { managedHost } from '../../../support/managed-server.js';
import { ownTmux } from '../../../support/own-tmux.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const tmux = ownTmux();
const hour = 60 * 60 * 1000;

test('agents that live keep their leases for days; others have theirs for a day', async () => {
  const folder = temporaryFolder(tmux);
  const clock = new VirtualClock(new Date().toISOString());
  const launching = managedHost(folder, tmux);
  const host = { ...launching, clock };
  const paths = serverPaths(join(folder, 'server'));
  await launchOn(launching, folder, 'screen', { terminal: true, tmux: true });
  const ours = await launchOn(launching, folder, 'ours');
  await launchOn(launching, folder, 'other');
  const stamp = '2026-01-01T00:00:00+00:00';
  writeAuthority(paths.managedAgents, {
    tracked_agent_id: 'claude_headless-1',
    backend: 'claude_headless',
    tool: 'claude',
    manifest_path: ours.manifest,
    session_root: ours.root,
    tmux_session_name: 'x',
    agent_def_dir: null,
    agent_name: 'HOUMAO-ours',
    agent_id: agentIdOf('ours'),
    created_at_utc: stamp,
    updated_at_utc: stamp,
  });
  const faults: string[] = [];
  const report = (fault: string) => void faults.push(fault);
  const { registryRoot } = host;
  const directory = new AgentDirectory({
    paths,
    registryRoot,
    tmux: tmux.tmux,
    clock,
    hostName: null,
    report,
  });
  await directory.start();
  const leases = new AgentLeases({ host, paths, directory, report });
  // A lease is never shortened, and the launches were a moment after the clock began.
  clock.pass(hour);
  leases.start();
  onTestFinished(() => {
    leases.close();
    directory.close();
  });
  const expiry = (name: string): number =>
    Date.parse(readRecord(registryRoot, agentIdOf(name))?.lease_expires_at ?? '');
  // One agent at each turn of the event loop.
  const allRenewed = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const passHours = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 1) {
      clock.pass(hour);
      const renewed = clock.now().getTime() + 24 * hour;
      await expect.poll(() => expiry('ours')).toBe(renewed);
      await allRenewed();
    }
  };
  await expect.poll(() => expiry('ours')).toBe(clock.now().getTime() + 24 * hour);
  await allRenewed();
  const otherEnds = expiry('other');
  await passHours(30);
  expect(expiry('screen')).toBe(clock.now().getTime() + 24 * hour);
  expect(expiry('other')).toBe(otherEnds);
  await directory.refresh();
  expect(directory.list().map(({ agentName }) => agentName)).toEqual(['HOUMAO-ours', 'HOUMAO-screen']);

  const { tmuxSessionName } = directory.list()[1]!;
  await tmux.tmux.killSession(tmuxSessionName ?? '');
  const screenEnds = expiry('screen');
  await passHours(25);
  expect(expiry('screen')).toBe(screenEnds);
  const record = readRecord(registryRoot, agentIdOf('screen'));
  expect(record && isFresh(record, clock.now())).toBe(false);
  leases.close();
  clock.pass(2 * hour);
  await directory.refresh();
  expect(expiry('ours')).toBe(clock.now().getTime() + 22 * hour);
  expect(faults).toEqual([]);
});
