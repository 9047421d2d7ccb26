import fc from 'fast-check';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';

/** Parts that the readers of screens look for, so that random rows reach deep into them. */
const parts = [
  ...[
    '› ',
    '❯ ',
    '> ',
    ' > ',
    ' * ',
    '• ',
    '◦ ',
    '■ ',
    '⚠ ',
    '✦ ',
    '✕ ',
    'ℹ ',
    '● ',
    '│ ',
    '╰──────╯',
    '╭──────╮',
  ],
  ...[
    '────────────',
    '▄▄▄▄',
    '\u001b[1m',
    '\u001b[2m',
    '\u001b[7m',
    '\u001b[0m',
    '\u001b[38;5;183m',
    '\u00a0',
  ],
  ...['1. Yes', '2. No', 'Working (3s • esc to interrupt)', '⠴ Thinking... (esc to cancel, 2s)'],
  ...['  Press enter to confirm or esc to cancel', 'Would you like to run the following command?'],
  ...['Request cancelled.', '[API Error: x]', 'Conversation interrupted', '  Worked for 3s • 20:44'],
  ...['  Queued (press ↑ to edit):', 'Queued follow-up inputs', '/model', '>_ OpenAI Codex (v0.169.0)'],
  ...['Gemini CLI v0.61.0', '    ', '\t', '\u2028', '\u001b]0;title\u0007', '\u001b[4:3m', '🙂'],
];

const row = fc
  .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 6 })), { maxLength: 5 })
  .map((all) => all.join(''));

/** Any text of a screen, much of it of the shapes that are looked for. */
export const anyScreen = fc.array(row, { maxLength: 40 }).map((rows) => rows.join('\n'));

/** The contradiction in a screen, understood or not, by rules that hold for every one; null where there is none. */
export function contradictionIn(signals: FrameSignals): string | null {
  const active = signals.activeReasons.length > 0;
  const rules: readonly (readonly [string, boolean])[] = [
    ['a dialog and input that is taken', signals.dialog !== null && signals.acceptingInput !== 'no'],
    ['a dialog and an agent that waits', signals.dialog !== null && signals.readyPosture !== 'no'],
    ['a dialog and a draft', signals.dialog !== null && signals.promptText !== null],
    ['work and an agent that waits', active && signals.readyPosture !== 'no'],
    ['an overlay and an agent that waits', signals.overlay !== null && signals.readyPosture === 'yes'],
    ['a draft and no editing', (signals.promptText !== null) !== (signals.editingInput === 'yes')],
    ['an agent that waits without a composer', signals.readyPosture === 'yes' && !signals.promptVisible],
    ['a success that is blocked', signals.successCandidate && signals.successBlocked],
    ['a success of no agent that waits', signals.successCandidate && signals.readyPosture !== 'yes'],
    ['work that was interrupted', active && signals.interrupted],
    ['a failure that blocks nothing', signals.currentError && !signals.successBlocked],
    ['a known failure without an error', signals.knownFailure && !signals.currentError],
  ];
  return rules.find(([, broken]) => broken)?.[0] ?? null;
}
