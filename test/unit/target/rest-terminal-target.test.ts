import { afterEach, expect, test } from 'vitest';
import { RestTerminalTarget } from '../../../src/target/remote/rest-terminal-target.js';
import { becomeRest } from '../../contract/support/edit-manifest.js';
import { type AgentServer, startAgentServer } from '../../support/agent-server.js';
import { deliveryNotes, plainAssignment } from '../../support/plain-turn.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let server: AgentServer;
let session: TestSession;
afterEach(async () => {
  await server.kill();
  session.remove();
});

test('what goes wrong before the prompt is sent leaves no doubt about it', async () => {
  server = await startAgentServer();
  session = await makeSession();
  becomeRest(session.paths, server.url);
  await server.behave({ faults: { '/terminals/term-123': 'cut' } });
  const target = new RestTerminalTarget(session.paths, new VirtualClock('2026-01-01T00:00:00Z'));
  const turn = target.start(plainAssignment, deliveryNotes());
  expect(await turn.ended).toMatchObject({
    told: { outcome: 'failed', error: { code: 'peer_lost' } },
    deliveryUnknown: null,
  });
  expect((await server.calls()).map(({ method }) => method)).toEqual(['GET']);
});
