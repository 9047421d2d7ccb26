import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { markVariables } from '../../../src/foundation/marked-processes.js';
import { agentHost, gatewayEnvironment } from '../../../src/launch/agent-host.js';

test('what an agent launches in a turn of its own is not taken for a part of that turn', () => {
  const home = mkdtempSync(join(tmpdir(), 'houmao-agent-host-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const mark = markVariables({ session: 'outer', turnId: 'turn-outer' });
  const host = agentHost({ HOME: home, PATH: '/bin', ...mark }, systemClock);
  expect(host.environment).toEqual({ HOME: home, PATH: '/bin' });
  for (const environment of [gatewayEnvironment(host), host.tmux.environment])
    for (const name of Object.keys(mark)) expect(environment).not.toHaveProperty(name);
});

test('what makes accounts on a mail server is in no environment of what the host starts', () => {
  const home = mkdtempSync(join(tmpdir(), 'houmao-agent-host-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const secrets = {
    HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN: 'of-the-manager',
    HOUMAO_STALWART_MANAGEMENT_API_KEY: 'key-of-the-manager',
    HOUMAO_STALWART_MANAGEMENT_API_SECRET: 'secret-of-the-manager',
  };
  const host = agentHost({ HOME: home, PATH: '/bin', ...secrets }, systemClock);
  expect(host.management).toEqual({ authorization: 'Bearer of-the-manager', secrets: ['of-the-manager'] });
  for (const environment of [host.environment, gatewayEnvironment(host), host.tmux.environment])
    expect(JSON.stringify(environment)).not.toContain('of-the-manager');
});
