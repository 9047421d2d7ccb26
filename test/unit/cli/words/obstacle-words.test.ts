import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { obstacleWords } from '../../../../src/cli/words/obstacle-words.js';

interface Seen {
  availability?: Schemas['TerminalAvailability'];
  business_state?: 'idle' | 'working' | 'awaiting_operator';
  phase?: Schemas['TurnPhase'];
  editing_input?: Schemas['TriState'];
  stable?: boolean;
}
function words(
  {
    availability = 'available',
    business_state = 'idle',
    phase = 'ready',
    editing_input = 'no',
    stable = true,
  }: Seen,
  server = '',
): string {
  const state = {
    diagnostics: { availability },
    parsed_surface: { business_state },
    turn: { phase },
    surface: { editing_input },
    stability: { stable },
    tracked_session: { tmux_session_name: 'HOUMAO-alpha' },
  };
  return obstacleWords(state as unknown as Schemas['TerminalState'], 'alpha', server);
}
const attach = ': tmux attach -t HOUMAO-alpha';

test.each<[Seen, string]>([
  [{ availability: 'unavailable' }, 'the terminal of the agent is gone: houmao-mgr agents doctor alpha'],
  [
    { availability: 'tui_down' },
    'the tool has ended in its terminal; start it again: houmao-mgr agents restart alpha',
  ],
  [{ availability: 'error' }, `the screen of the terminal cannot be read; look at it${attach}`],
  [{ availability: 'unknown' }, `the screen of the terminal cannot be read; look at it${attach}`],
  [
    { business_state: 'awaiting_operator' },
    'the agent waits for a person; see what it asks, and answer it: houmao-mgr agents answer alpha',
  ],
  [
    { phase: 'active' },
    `the agent works on something that did not come through this gateway; wait, or look at it${attach}`,
  ],
  [
    { editing_input: 'yes' },
    "an unsent draft is in the composer; wait until it is sent, or clear it: houmao-mgr agents keys alpha '<[C-u]>'",
  ],
  [
    { stable: false },
    'the screen has just changed; wait a moment, then look again: houmao-mgr agents gateway status alpha',
  ],
  [{}, `the agent does not report that it is ready for a prompt; look at it${attach}`],
])('%j has a sentence and a remedy', (seen, line) => {
  expect(words(seen)).toBe(line);
});

test.each<[Seen, string]>([
  [{ availability: 'unavailable' }, "the terminal of the agent is gone: the doctor on the agent's machine"],
  [
    { editing_input: 'yes' },
    "an unsent draft is in the composer; wait until it is sent, or clear it: houmao-mgr agents keys alpha '<[C-u]>' --server http://s",
  ],
  [
    { stable: false },
    'the screen has just changed; wait a moment, then look again: houmao-mgr agents gateway status alpha --server http://s',
  ],
])('%j, reported by a server, has a remedy that goes there', (seen, line) => {
  expect(words(seen, ' --server http://s')).toBe(line);
});

test('what explains the rest comes first', () => {
  const all = { availability: 'tui_down', phase: 'unknown', editing_input: 'yes', stable: false } as const;
  expect(words(all)).toMatch(/^the tool has ended/);
  const dialog = { business_state: 'awaiting_operator', phase: 'active', stable: false } as const;
  expect(words(dialog)).toMatch(/^the agent waits/);
  expect(words({ editing_input: 'yes', phase: 'unknown', stable: false })).toMatch(/^an unsent draft/);
});
