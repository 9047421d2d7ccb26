import { describe, expect, it } from 'vitest';
import { claudeScreens } from '../../../../../src/tools/claude/screens/claude-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../../../src/tools/screen/styled-rows.js';
import { labelOf, type Recording, recordedCases, recording } from '../../../../support/screens/recordings.js';

/** Labels whose screens are called something else here, and why. */
const deliberateDifferences: Readonly<Record<string, { reason: string; seen: Record<string, string> }>> = {
  'workspace-trust-prompt': {
    reason:
      'The label follows the mark before the first choice and calls it a draft. A prompt that is pasted here would answer the question whether the folder is trusted.',
    seen: { accepting: 'no', editing: 'unknown', ready: 'no', dialog: 'trust' },
  },
};

function detectAll({ samples, observedVersion }: Recording): FrameSignals[] {
  const profile = claudeScreens.profileFor(observedVersion);
  return samples.map(({ capture, elapsedSeconds }) =>
    profile.detect({ rows: toStyledRows(capture), at: elapsedSeconds * 1000 }, []),
  );
}

const surfaceOf = (signals: FrameSignals): Record<string, string> => ({
  accepting: signals.acceptingInput,
  editing: signals.editingInput,
  ready: signals.readyPosture,
  dialog: signals.dialog?.kind ?? 'none',
});

describe.each(recordedCases('claude'))('recording %s', (name) => {
  const recorded = recording(`claude/${name}`);
  const seen = detectAll(recorded);
  const labelled = recorded.samples.map((sample, index) => ({
    id: sample.id,
    label: labelOf(recorded, sample),
    signals: seen[index]!,
  }));

  it('shows what its labels say', () => {
    for (const { id, label, signals } of labelled) {
      const { expectations, label_id } = label!;
      const wanted = deliberateDifferences[label_id]?.seen ?? {
        accepting: expectations.surface_accepting_input,
        editing: expectations.surface_editing_input,
        ready: expectations.surface_ready_posture,
        dialog: 'none',
      };
      expect(surfaceOf(signals), id).toEqual(wanted);
    }
  });

  it('shows work, an interrupt and an answer where its labels have them', () => {
    for (const { id, label, signals } of labelled) {
      const { turn_phase: phase, last_turn_result: result } = label!.expectations;
      expect(signals.activeReasons.length > 0, id).toBe(phase === 'active');
      if (result !== 'success') expect(signals.interrupted, id).toBe(result === 'interrupted');
      if (result === 'success') expect(signals.successCandidate, id).toBe(true);
      expect(signals.knownFailure, id).toBe(false);
    }
  });

  it('has a menu where a person opened one', () => {
    for (const { id, label, signals } of labelled) {
      expect(signals.overlay, id).toBe(label!.label_id === 'slash-overlay' ? 'slash_command' : null);
    }
  });
});

it('every deliberate difference is in a recording', () => {
  const labels = recordedCases('claude').flatMap((name) => recording(`claude/${name}`).labels);
  for (const label of Object.keys(deliberateDifferences)) {
    expect(labels.map(({ label_id }) => label_id)).toContain(label);
  }
});
