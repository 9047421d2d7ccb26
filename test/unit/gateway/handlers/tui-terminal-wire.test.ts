import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { wireState } from '../../../../src/gateway/handlers/tui.js';
import { runtimeDocument } from '../../../../src/http/contract/runtime-document.js';
import { wireSnapshot } from '../../../../src/terminal/terminal-wire.js';
import type { TerminalTracker } from '../../../../src/terminal/tracker/terminal-tracker.js';
import { planted } from '../../../support/terminal/planted-frames.js';
import { captured, plantedWords, toolDown } from '../../../support/terminal/planted-screens.js';
import { plantedTracker } from '../../../support/terminal/planted-state.js';

const bundle = JSON.parse(
  readFileSync(new URL('../../../../generated/gateway/openapi.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv2020({ strict: false, discriminator: true, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'c', components: (runtimeDocument(bundle) as { components: object }).components });
const fitsState = ajv.compile({ $ref: 'c#/components/schemas/TerminalState' });
const fitsSnapshot = ajv.compile({ $ref: 'c#/components/schemas/TerminalSnapshot' });

const session = {
  tracked_session_id: 'local_interactive-20260331-000000Z-1a2b3c4d',
  session_name: 'local_interactive-20260331-000000Z-1a2b3c4d',
  tool: 'toy',
  observed_tool_version: null,
  tmux_session_name: 'HOUMAO-toy',
  tmux_window_name: 'agent',
  terminal_aliases: [],
  agent_name: null,
  agent_id: null,
  manifest_path: null,
  session_root: null,
};
function expectFit(tracker: TerminalTracker): void {
  const state = wireState(session, tracker.state);
  expect([fitsState(state), fitsState.errors]).toEqual([true, null]);
}

describe('the state of a tracker', () => {
  it('fits the contract, field by field, whatever was observed', () => {
    const { tracker, clock, see } = plantedTracker();
    expectFit(tracker);
    for (const word of [...plantedWords, 'broken', 'draft:x']) {
      see(word);
      expectFit(tracker);
    }
    tracker.notePrompt('fix it');
    expectFit(tracker);
    for (const step of ['tmux', 'process', 'capture'] as const) {
      tracker.observe({ kind: 'probe_failed', step, message: 'no', details: { session: 'x' } });
      expectFit(tracker);
    }
    tracker.observe(toolDown);
    expectFit(tracker);
    tracker.observe({ kind: 'session_missing' });
    expectFit(tracker);
    clock.pass(1);
    for (const entry of tracker.history(0)) {
      expect([fitsSnapshot(wireSnapshot(entry)), fitsSnapshot.errors]).toEqual([true, null]);
    }
  });

  it('says with a degraded conversation who saw it', () => {
    const chatContext = {
      state: 'degraded' as const,
      diagnostic: { degradedErrorType: 'unknown', messagePreview: 'no' },
    };
    const { tracker } = plantedTracker('2026-03-31T00:00:00Z', () => ({ ...planted.idle(), chatContext }));
    tracker.observe(captured('idle'));
    expectFit(tracker);
    expect(wireState(session, tracker.state)).toMatchObject({
      chat_context: 'degraded',
      chat_context_diagnostic: {
        tool_name: 'toy',
        detector_name: 'toy',
        detector_version: '1.x',
        degraded_error_type: 'unknown',
        message_preview: 'no',
      },
    });
  });
});
