// A session whose store cannot be opened takes no prompt, and is nobody's: once it is mended, the server runs its turns.
import { mkdirSync, rmdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { turnOwner } from '../../../src/turn/turn-ownership.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const here = agentAtServerEach();
const prompt = () =>
  here.server.ask('POST', pathOf(here.session, '/requests'), {
    request_kind: 'submit_prompt',
    prompt: 'hello',
  });

test('a store that cannot be made keeps prompts out until it can', async () => {
  // Nothing is there that could be read, and the log that SQLite writes first has no place.
  const log = `${here.session.paths.queue}-wal`;
  mkdirSync(log);
  for (let times = 0; times < 2; times += 1) {
    expect((await prompt()).status).toBe(503);
    expect(turnOwner(here.session.paths.run)).toBeNull();
  }
  rmdirSync(log);
  const taken = await prompt();
  expect(taken.status, taken.body.detail).toBe(200);
  const path = pathOf(here.session, `/turns/${taken.body.headless_turn_id}?wait_seconds=30`);
  expect((await here.server.ask('GET', path)).body.status).toBe('completed');
});
