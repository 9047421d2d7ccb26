import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgent, listAgents, type RegisteredAgent } from '../../../src/launch/agent-directory.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { LaunchFault } from '../../../src/launch/launch-fault.js';
import { stopAgent } from '../../../src/launch/stop-agent.js';
import { Tmux } from '../../../src/terminal/tmux.js';
import { addField } from '../../support/added-field.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const { tmux } = ownTmux();
const noTmux = new Tmux({ environment: { PATH: '/nowhere' } });
let counter = 0;

async function launched(
  inTmux: boolean,
): Promise<{ host: AgentHost; agent: RegisteredAgent; session: string }> {
  counter += 1;
  const host = { ...hostIn(join(folder, String(counter))), tmux };
  await createSession(checkLaunch(requestFor('alpha', folder, { tmux: inTmux }), host), host);
  const agent = findAgent('alpha', host);
  return { host, agent, session: agent.record.terminal.session_name };
}
const isRegistered = (host: AgentHost): boolean => listAgents(host).agents.length > 0;

test('ends the tmux session, forgets the agent and keeps its files', async () => {
  const { host, agent, session } = await launched(true);
  expect(await stopAgent(agent, host)).toEqual({
    gatewayStopped: false,
    tmuxStopped: true,
    tmuxStays: null,
    leftUndone: [],
  });
  expect(await tmux.hasSession(session)).toBe(false);
  expect(isRegistered(host)).toBe(false);
  expect(existsSync(agent.paths.manifest)).toBe(true);
});

test('an agent whose tmux session cannot be ended stays registered, and can be stopped later', async () => {
  const { host, agent, session } = await launched(true);
  const stopping = stopAgent(agent, { ...host, tmux: noTmux });
  await expect(stopping).rejects.toThrow(LaunchFault);
  await expect(stopping).rejects.toThrow(/could not be ended \(.*tmux was not found.*stays registered/);
  expect([isRegistered(host), await tmux.hasSession(session)]).toEqual([true, true]);
  expect(await stopAgent(agent, host)).toMatchObject({ tmuxStopped: true });
});

test('an agent without tmux needs none to be stopped', async () => {
  const { host, agent } = await launched(false);
  expect(await stopAgent(agent, { ...host, tmux: noTmux })).toMatchObject({ leftUndone: [] });
  expect(isRegistered(host)).toBe(false);
});

test('a manifest that cannot be read keeps nobody from stopping: the record says which session it is', async () => {
  const { host, agent, session } = await launched(true);
  writeFileSync(agent.paths.manifest, '{ half a file');
  const state = readFileSync(agent.paths.state, 'utf8');
  expect(await stopAgent(agent, host)).toEqual({
    gatewayStopped: false,
    tmuxStopped: true,
    tmuxStays: null,
    leftUndone: [
      expect.stringMatching(/manifest\.json could not be read \(is not valid JSON\).*left as they are/),
    ],
  });
  expect([await tmux.hasSession(session), isRegistered(host)]).toEqual([false, false]);
  expect(readFileSync(agent.paths.manifest, 'utf8')).toBe('{ half a file');
  expect(readFileSync(agent.paths.state, 'utf8')).toBe(state);
});

test('a record of the registry that cannot be used is left, and all else is ended', async () => {
  const { host, agent, session } = await launched(true);
  addField(join(host.registryRoot, 'live_agents', agent.record.agent_id, 'record.json'));
  expect(await stopAgent(agent, host)).toEqual({
    gatewayStopped: false,
    tmuxStopped: true,
    tmuxStays: null,
    leftUndone: [
      expect.stringMatching(/record\.json cannot be used \(field \/added: .*left as it is/),
      'It may be listed until its record is deleted.',
    ],
  });
  expect([await tmux.hasSession(session), existsSync(agent.paths.stoppedAt)]).toEqual([false, true]);
});

test('a damaged request for the gateway keeps nobody from stopping, and is named', async () => {
  const { host, agent, session } = await launched(true);
  writeFileSync(agent.paths.desiredConfig, '{ half');
  expect(await stopAgent(agent, host)).toMatchObject({
    leftUndone: [expect.stringMatching(/desired-config\.json cannot be used \(is not valid JSON\)/)],
  });
  expect([await tmux.hasSession(session), isRegistered(host)]).toEqual([false, false]);
});

test('where neither manifest nor tmux tells, it says what is not known', async () => {
  const { host, agent, session } = await launched(false);
  rmSync(agent.paths.manifest);
  const { leftUndone } = await stopAgent(agent, { ...host, tmux: noTmux });
  expect(leftUndone).toEqual([
    expect.stringContaining('the file does not exist'),
    expect.stringMatching(new RegExp(`It is not known whether the tmux session ${session} still runs`)),
  ]);
  expect(isRegistered(host)).toBe(false);
});

test('a session that is gone is forgotten, and not made again', async () => {
  const { host, agent } = await launched(false);
  rmSync(agent.paths.root, { recursive: true });
  expect(await stopAgent(agent, host)).toEqual({
    gatewayStopped: false,
    tmuxStopped: false,
    tmuxStays: null,
    leftUndone: [],
  });
  expect([isRegistered(host), existsSync(agent.paths.root)]).toEqual([false, false]);
});
