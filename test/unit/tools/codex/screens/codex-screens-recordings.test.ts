import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { signalsOver } from '../../screen-fixture.js';

interface Recording {
  observed_version: string;
  samples: [id: string, seconds: number, screen: number][];
  screens: string[];
}

interface Label {
  label_id: string;
  sample_id: string;
  sample_end_id: string;
  expectations: Record<string, string>;
}

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../../fixtures/recordings/codex/${path}`, import.meta.url), 'utf8'));

it.each(['explicit_success', 'interrupted_after_active'])('%s is seen as it was labelled', (name) => {
  const recording: Recording = read(`${name}/recording.json`);
  const labels: Label[] = read(`${name}/labels.json`).labels;
  const frames = recording.samples.map(([, seconds, screen]) => ({
    at: seconds * 1000,
    capture: recording.screens[screen]!,
  }));
  const signals = signalsOver(codexScreens, recording.observed_version, frames);
  const seen = recording.samples.map(([id], index) => {
    const { acceptingInput, editingInput, readyPosture } = signals[index]!;
    return [id, acceptingInput, editingInput, readyPosture].join(' ');
  });
  const labelled = recording.samples.map(([id]) => {
    const label = labels.find((each) => each.sample_id <= id && id <= each.sample_end_id);
    const { surface_accepting_input, surface_editing_input, surface_ready_posture } = label!.expectations;
    return [id, surface_accepting_input, surface_editing_input, surface_ready_posture].join(' ');
  });
  expect(seen).toEqual(labelled);
});

it('an interrupt is seen once it is there, and no success with it', () => {
  const recording: Recording = read('interrupted_after_active/recording.json');
  const last = recording.screens.at(-1)!;
  const [signals] = signalsOver(codexScreens, recording.observed_version, [{ at: 0, capture: last }]);
  expect(signals).toMatchObject({ interrupted: true, successCandidate: false, successBlocked: true });
});

it('an answer of one word is a success', () => {
  const recording: Recording = read('explicit_success/recording.json');
  const last = recording.screens.at(-1)!;
  const [signals] = signalsOver(codexScreens, recording.observed_version, [{ at: 0, capture: last }]);
  expect(signals).toMatchObject({ interrupted: false, successCandidate: true, activeReasons: [] });
});
