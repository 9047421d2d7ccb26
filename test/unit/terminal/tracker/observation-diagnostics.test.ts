import { describe, expect, it } from 'vitest';
import {
  type Diagnostics,
  diagnosticsOf,
  notObserved,
  type PollOutcome,
  type ReadOutcome,
} from '../../../../src/terminal/tracker/observation.js';

const pane = { paneId: '%3', panePid: 42, processNames: ['toy'] };
const captured: PollOutcome = { kind: 'captured', text: '', ...pane };
const understood: ReadOutcome = { kind: 'understood' };
const inWords = ({ availability, transport, process, parse }: Diagnostics) =>
  [availability, transport, process, parse].join(' ');

describe('diagnostics', () => {
  it('are unknown before the first look', () => {
    expect(inWords(notObserved)).toBe('unknown tmux_missing unknown transport_unavailable');
  });

  it.each<[string, PollOutcome, ReadOutcome]>([
    ['unavailable tmux_missing unknown transport_unavailable', { kind: 'session_missing' }, understood],
    ['tui_down tmux_up tui_down skipped_tui_down', { kind: 'tool_down', ...pane }, understood],
    ['available tmux_up tui_up parsed', captured, understood],
    ['unknown tmux_up tui_up parsed', captured, { kind: 'not_understood' }],
    ['unknown tmux_up unsupported_tool unsupported_tool', captured, { kind: 'unsupported_tool' }],
    ['error tmux_up tui_up parse_error', captured, { kind: 'failed', message: 'no' }],
    [
      'error probe_error probe_error probe_error',
      { kind: 'probe_failed', step: 'tmux', message: 'no' },
      understood,
    ],
    [
      'error tmux_up probe_error probe_error',
      { kind: 'probe_failed', step: 'process', message: 'no' },
      understood,
    ],
    [
      'error probe_error probe_error probe_error',
      { kind: 'probe_failed', step: 'capture', message: 'no' },
      understood,
    ],
  ])('are %s', (words, outcome, read) => {
    expect(inWords(diagnosticsOf(outcome, read))).toBe(words);
  });

  it('name an error by the step that failed, with its facts', () => {
    const kindOf = (step: 'tmux' | 'process' | 'capture') =>
      diagnosticsOf({ kind: 'probe_failed', step, message: 'no' }, understood).probeError?.kind;
    expect([kindOf('tmux'), kindOf('process'), kindOf('capture')]).toEqual([
      'tmux_probe_error',
      'process_probe_error',
      'tmux_capture_error',
    ]);
    const details = { tmux_session_name: 'HOUMAO-gpu' };
    const outcome: PollOutcome = { kind: 'probe_failed', step: 'tmux', message: 'no answer', details };
    expect(diagnosticsOf(outcome, understood)).toMatchObject({
      probeError: { kind: 'tmux_probe_error', message: 'no answer', details },
      parseError: null,
    });
    expect(diagnosticsOf(captured, { kind: 'failed', message: 'broken' })).toMatchObject({
      probeError: null,
      parseError: { kind: 'parse_error', message: 'broken', details: {} },
    });
  });
});
