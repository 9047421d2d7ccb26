// Gemini CLI behind the gateway.
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call } from '../support/http.js';
import { completedTurn, testCommonTurns } from './harness/common-turns.js';
import { gatewayStage } from './harness/gateway-stage.js';

// Gemini CLI reads settings of ours only where root alone could have written them. In a user namespace the root of the
// file system belongs to the user `nobody`, so there is no such place and the gateway has to refuse levels everywhere.
const rootOwned = statSync('/').uid === 0;

describe('gemini', () => {
  const current = gatewayStage('gemini');

  testCommonTurns(current);

  test('takes another model for one turn', async () => {
    const { fake, run } = current();
    const turn = completedTurn(
      await run('another model', { execution: { model: { name: 'gemini-2.5-pro' } } }),
    );
    expect(turn.model).toBe('gemini-2.5-pro');
    expect(fake.turns('another model')).toMatchObject([{ model: 'gemini-2.5-pro' }]);
  });

  const levels = [
    ['gemini-2.5-flash', 0, 'gemini-2.5-flash', { thinkingBudget: 0 }],
    // Gemini CLI sends this one under another name.
    ['gemini-3-pro-preview', 1, 'gemini-3.1-pro-preview', { thinkingLevel: 'LOW' }],
    ['gemma-4-31b-it', 2, 'gemma-4-31b-it', { thinkingLevel: 'MEDIUM' }],
    ['unheard-of', 3, 'unheard-of', { thinkingBudget: 4096 }],
  ] as const;
  test.each(rootOwned ? levels : [])('%s, reasoning level %i', async (name, level, sent, thinking) => {
    const { fake, run } = current();
    const text = `level ${level} of ${name}`;
    completedTurn(await run(text, { execution: { model: { name, reasoning: { level } } } }));
    const [asked] = fake.turns(text);
    expect(asked!.model).toBe(sent);
    // Level and budget together would be refused by the real API.
    expect(asked!.reasoning).toEqual({ thinkingConfig: { includeThoughts: true, ...thinking } });
  });
});

describe('gemini where others can write', () => {
  const current = gatewayStage('gemini', { parent: '/tmp' });

  test('refuses a reasoning level that Gemini CLI would ignore, and says why', async () => {
    const { fake, post, gateway } = current();
    const execution = { model: { reasoning: { level: 2 } } };
    const queued = await post('submit_prompt', { prompt: 'refused', execution });
    const direct = await call(gateway.url, 'POST', '/v1/control/prompt', { prompt: 'refused', execution });
    for (const { status, body } of [queued, direct]) {
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain('only root can write');
    }
    expect(fake.turns('refused')).toEqual([]);
  });
});
