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
