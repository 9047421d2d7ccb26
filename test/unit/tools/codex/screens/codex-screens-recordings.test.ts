import { expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { signalsIn, signalsOver } from '../../../../support/screens/detected-signals.js';
import { labelOf, type Recording, recordedCases, recording } from '../../../../support/screens/recordings.js';

function detectAll({ samples, observedVersion }: Recording): FrameSignals[] {
  const frames = samples.map(({ capture, elapsedSeconds }) => ({ at: elapsedSeconds * 1000, capture }));
  return signalsOver(codexScreens, observedVersion, frames);
}

it.each(recordedCases('codex'))('%s shows what its labels say', (name) => {
  const recorded = recording(`codex/${name}`);
  const seen = detectAll(recorded);
  for (const [index, sample] of recorded.samples.entries()) {
    const { acceptingInput, editingInput, readyPosture, activeReasons, interrupted } = seen[index]!;
    const { expectations } = labelOf(recorded, sample)!;
    expect({ acceptingInput, editingInput, readyPosture }, sample.id).toEqual({
      acceptingInput: expectations.surface_accepting_input,
      editingInput: expectations.surface_editing_input,
      readyPosture: expectations.surface_ready_posture,
    });
    expect(activeReasons.length > 0, sample.id).toBe(expectations.turn_phase === 'active');
    expect(interrupted, sample.id).toBe(expectations.last_turn_result === 'interrupted');
  }
});

it.each([
  ['explicit_success', { interrupted: false, successCandidate: true, activeReasons: [] }],
  ['interrupted_after_active', { interrupted: true, successCandidate: false, successBlocked: true }],
])('%s: how it stands at the end', (name, signals) => {
  const { samples, observedVersion } = recording(`codex/${name}`);
  expect(signalsIn(codexScreens, observedVersion, samples.at(-1)!.capture)).toMatchObject(signals);
});
