import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { launchStandin } from '../../support/standin-agent.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { AgentStory } from './agent-story.js';

// Gateways come, go and die, servers too: each turn runs once, and is reported under its id throughout.

const tmux = ownTmux();
let folder: string;
let server: ServerProcess;
const start = async (): Promise<void> => {
  server = await startManagedServer(managedHost(folder, tmux), folder);
};
const ends: Record<string, () => Promise<unknown>> = {
  'is stopped': () => server.stop(),
  'is killed': () => server.kill(),
};

describe.each(['headless', 'tui'] as const)('a %s agent', (transport) => {
  let agent: AgentStory;

  beforeEach(async () => {
    folder = temporaryFolder(tmux);
    const standin = await launchStandin(managedHost(folder, tmux), folder, `teller-${transport}`, transport);
    await start();
    agent = new AgentStory(standin, (...given) => server.ask(...given));
  });
  afterEach(async () => {
    await agent.stop();
    expect(await server.stop()).toBe(0);
  });

  test('is prompted between all changes', async () => {
    await agent.say('before any gateway');
    await agent.attach();
    await agent.say('through its gateway');
    await agent.detach();
    await agent.say('after the detach');
    await agent.attach();
    await agent.say('through another gateway');
    await agent.killGateway();
    await agent.say('after the crash');
    for (const [how, end] of Object.entries(ends)) {
      await end();
      await start();
      await agent.say(`after a server that ${how}`);
    }
    await agent.attach();
    await agent.check();
  });

  test('works through all changes', async () => {
    await agent.work('while a gateway comes');
    await agent.attach();
    await agent.check();
    await agent.work('while the gateway goes');
    await agent.detach();
    await agent.check();
    await agent.attach();
    await agent.work('while the gateway dies');
    await agent.killGateway();
    await agent.check();
    for (const [how, end] of Object.entries(ends)) {
      await agent.work(`while the server ${how}`);
      await end();
      await start();
      await agent.check();
    }
    await agent.attach();
    await agent.work('while both die');
    await agent.killGateway();
    await server.kill();
    await start();
    await agent.check();
  }, 120_000);
});
