import { describe, expect, it } from 'vitest';
import { claudeScreens } from '../../../../src/tools/claude/screens/claude-screens.js';
import { codexScreens } from '../../../../src/tools/codex/screens/codex-screens.js';
import type { ToolScreens } from '../../../../src/tools/screen/screen-profile.js';
import { labelOf, recordedCases, recordedRows, recording } from '../../../support/screens/recordings.js';
import {
  type InputRow,
  type Replayed,
  type RuntimeRow,
  replay,
  type TerminalRecording,
} from '../../../support/terminal/replay.js';

const tools: Readonly<Record<string, ToolScreens>> = { claude: claudeScreens, codex: codexScreens };
const cases = Object.keys(tools).flatMap((tool) => recordedCases(tool).map((name) => ({ tool, name })));

type Words = Readonly<Record<string, string>>;

/** Where the report differs from the labels on purpose, what is reported there, and why. */
const differences: readonly {
  name: string;
  when: (sample: Replayed) => boolean;
  reported: Words;
  reason: string;
}[] = [
  {
    name: 'dialog',
    when: ({ state }) => state.dialog !== null,
    reported: {
      surface_accepting_input: 'no',
      surface_editing_input: 'unknown',
      surface_ready_posture: 'no',
      turn_phase: 'unknown',
    },
    reason:
      'The labels call the first choice of a dialog a draft in a ready composer. A prompt that is pasted there would answer the dialog.',
  },
  {
    name: 'gone',
    when: ({ availability }) => availability !== 'available',
    reported: {
      surface_accepting_input: 'unknown',
      surface_editing_input: 'unknown',
      surface_ready_posture: 'unknown',
    },
    reason:
      'The labels keep the surface of a tool that has gone. A prompt that is pasted there reaches a shell.',
  },
];

const reported = ({ availability, state }: Replayed): Words => ({
  diagnostics_availability: availability,
  surface_accepting_input: state.surface.acceptingInput,
  surface_editing_input: state.surface.editingInput,
  surface_ready_posture: state.surface.readyPosture,
  turn_phase: state.phase,
  last_turn_result: state.lastTurn.result,
  last_turn_source: state.lastTurn.source,
});

function recorded(tool: string, name: string) {
  const path = `${tool}/${name}`;
  const { observedVersion, samples, ...rest } = recording(path);
  const given: TerminalRecording = {
    tool,
    version: observedVersion,
    samples,
    runtime: recordedRows(path, 'runtime_observations') as RuntimeRow[],
    inputs: recordedRows(path, 'input_events') as InputRow[],
  };
  return { ...rest, observedVersion, samples, given };
}

/** Each sample with its label and the report of it. */
function compared(tool: string, name: string) {
  const { given, ...labelled } = recorded(tool, name);
  return replay(given, tools[tool]!, labelled.settleSeconds).samples.map((replayed, index) => {
    const label: Words = labelOf(labelled, labelled.samples[index]!)!.expectations;
    const difference = differences.find(({ when }) => when(replayed));
    return { id: replayed.id, label, difference, reported: reported(replayed) };
  });
}

describe('recordings of real tools', () => {
  it.each(cases)(
    '$tool $name is reported as it was labelled, but for deliberate differences',
    ({ tool, name }) => {
      const all = compared(tool, name);
      const wanted = all.map(({ id, label, difference }) => ({
        id,
        reported: { ...label, ...difference?.reported },
      }));
      expect(all.map(({ id, reported }) => ({ id, reported }))).toEqual(wanted);
    },
  );

  it('169 of 175 samples are as labelled in all seven fields, the other 6 show a dialog', () => {
    const all = cases.flatMap(({ tool, name }) => compared(tool, name));
    const same = all.filter(({ label, reported }) =>
      Object.keys(label).every((key) => label[key] === reported[key]),
    );
    const apart = all.filter((sample) => !same.includes(sample));
    expect([all.length, same.length]).toEqual([175, 169]);
    expect(apart.map(({ difference }) => difference?.name)).toEqual(Array(6).fill('dialog'));
    expect(new Set(all.flatMap(({ label }) => Object.keys(label)))).toEqual(
      new Set(Object.keys(reported(lastSample()))),
    );
  });

  it.each(cases)(
    '$tool $name gives the same again, also when frames are seen more often',
    ({ tool, name }) => {
      const { given, settleSeconds } = recorded(tool, name);
      const once = replay(given, tools[tool]!, settleSeconds);
      expect(replay(given, tools[tool]!, settleSeconds)).toEqual(once);
      const twice = replay({ ...given, samples: doubled(given) }, tools[tool]!, settleSeconds);
      const originals = twice.samples.filter(({ id }) => !id.endsWith('again'));
      expect(originals.map(reported)).toEqual(once.samples.map(reported));
      expect(twice.final.lastTurn.result).toBe(once.final.lastTurn.result);
    },
  );

  it('a tool that goes away in its turn leaves nothing that is ready, and no success', () => {
    const { given, settleSeconds } = recorded('claude', 'explicit_success');
    const dead = { ...given.runtime.at(-1)!, elapsed_seconds: 5, supported_process_alive: false };
    const runtime = [...given.runtime.filter(({ elapsed_seconds }) => elapsed_seconds < 5), dead];
    const { samples, final } = replay({ ...given, runtime }, claudeScreens, settleSeconds);
    const after = samples.filter((_, index) => given.samples[index]!.elapsedSeconds >= 5);
    expect(after.length).toBeGreaterThan(30);
    for (const sample of after) {
      expect(reported(sample)).toMatchObject({
        ...differences[1]!.reported,
        diagnostics_availability: 'tui_down',
        turn_phase: 'unknown',
        last_turn_result: 'none',
      });
    }
    expect(final.lastTurn.result).toBe('none');
  });
});

function lastSample(): Replayed {
  const { given, settleSeconds } = recorded('codex', 'explicit_success');
  return replay(given, codexScreens, settleSeconds).samples.at(-1)!;
}

/** Every frame seen a second time before the next one, unless something was typed in between. */
function doubled({ samples, inputs }: TerminalRecording): TerminalRecording['samples'] {
  return samples.flatMap((sample, index) => {
    const next = samples[index + 1]?.elapsedSeconds ?? sample.elapsedSeconds + 0.2;
    const later = (sample.elapsedSeconds + next) / 2;
    const typed = inputs.some(({ elapsed_seconds: at }) => at > sample.elapsedSeconds && at <= later);
    return typed ? [sample] : [sample, { ...sample, id: `${sample.id} again`, elapsedSeconds: later }];
  });
}
