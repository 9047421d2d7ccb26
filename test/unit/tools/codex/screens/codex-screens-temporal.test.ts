import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { codexScreen, prompted, working } from '../../../../support/screens/codex-screen.js';
import { signalsOver } from '../../../../support/screens/detected-signals.js';

const lastOver = (version: string, ...frames: [at: number, capture: string][]): FrameSignals =>
  signalsOver(
    codexScreens,
    version,
    frames.map(([at, capture]) => ({ at, capture })),
  ).at(-1)!;

const screen = (...rows: string[]): string => codexScreen({ transcript: [prompted('go'), ...rows] });
const grown = ['  one', '  two'];
const long = `  ${'x'.repeat(47)}`;

describe('a transcript that grows', () => {
  it('shows work, in old versions by itself', () => {
    for (const rows of [grown, [long]]) {
      expect(lastOver('0.116.0', [0, screen()], [1000, screen(...rows)])).toMatchObject({
        activeReasons: ['transcript_growth'],
        readyPosture: 'no',
        successCandidate: false,
        successBlocked: true,
        notes: expect.arrayContaining(['temporal_transcript_growth']),
      });
    }
  });

  it('within three seconds, two from one look to the next', () => {
    const frames: [number, string][] = [
      [0, screen()],
      [2000, screen('  one')],
      [3000, screen(...grown)],
    ];
    expect(lastOver('0.116.0', ...frames).activeReasons).toEqual(['transcript_growth']);
  });

  it('adds nothing to what Codex says itself', () => {
    const seen = lastOver('0.116.0', [0, screen()], [500, screen(...grown, working(1))]);
    expect(seen.activeReasons).toEqual(['status_row']);
  });

  it('in later ones only soon after work was seen, and before an answer is', () => {
    expect(lastOver('0.144.0', [0, screen()], [1000, screen(...grown)]).activeReasons).toEqual([]);
    expect(
      lastOver('0.144.0', [0, screen(working(1))], [1000, screen(...grown, '  three')]).activeReasons,
    ).toEqual(['transcript_growth']);
    expect(
      lastOver('0.144.0', [0, screen(working(1))], [1000, screen('• One', ...grown, '  three')])
        .activeReasons,
    ).toEqual([]);
  });

  it('does not show work for ever by itself', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => `  row ${index}`);
    const frames = [1, 2, 3, 4, 5, 6].map((count): [number, string] => [
      count * 1000,
      count === 1 ? screen(working(1)) : screen(...rows(count * 3)),
    ]);
    expect(lastOver('0.144.0', ...frames).activeReasons).toEqual([]);
    expect(lastOver('0.144.0', ...frames.slice(0, 3)).activeReasons).toEqual(['transcript_growth']);
  });

  it.each<[string, [number, string][]]>([
    [
      'by less',
      [
        [0, screen()],
        [1000, screen('  one')],
      ],
    ],
    [
      'more than three seconds ago',
      [
        [0, screen()],
        [3001, screen(...grown)],
      ],
    ],
    [
      'before a gap',
      [
        [0, screen()],
        [2001, screen(...grown)],
      ],
    ],
    [
      'before a gap between earlier frames',
      [
        [0, screen()],
        [200, screen(...grown)],
        [2300, screen(...grown)],
      ],
    ],
    [
      'by a character less',
      [
        [0, screen()],
        [1000, screen(long.slice(0, -1))],
      ],
    ],
    [
      'before a gap, and no more since',
      [
        [0, screen()],
        [2100, screen(...grown)],
        [2300, screen(...grown)],
      ],
    ],
    [
      'before it failed',
      [
        [0, screen()],
        [1000, screen(...grown, '■ It failed')],
      ],
    ],
    [
      'before it was interrupted',
      [
        [0, screen()],
        [1000, screen(...grown, '■ Conversation interrupted')],
      ],
    ],
    [
      'where there is no composer',
      [
        [0, screen()],
        [1000, [...grown, ...grown].join('\n')],
      ],
    ],
  ])('not where it grew %s', (_, frames) => {
    expect(lastOver('0.116.0', ...frames).activeReasons).toEqual([]);
  });

  it('grows from the screen before Codex has drawn anything', () => {
    const banner = ['>_ OpenAI Codex (v0.116.0)', 'model: loading', 'directory: /work'];
    expect(
      lastOver('0.116.0', [0, ''], [1000, codexScreen({ transcript: banner, draft: 'first' })]),
    ).toMatchObject({ activeReasons: ['transcript_growth'], editingInput: 'yes' });
  });

  it('says nothing once the turn has said that it is over', () => {
    const ended = screen(...grown, '• Done', '  Worked for 3s • 20:44');
    expect(lastOver('0.169.0', [0, screen(working(2))], [500, ended])).toMatchObject({
      activeReasons: [],
      successCandidate: true,
    });
  });
});

describe('an interrupt without a word', () => {
  const gone = (draft: string, ...rows: string[]): string => codexScreen({ transcript: rows, draft });
  const banner = '>_ OpenAI Codex (v0.144.1)';
  const atWork: [number, string] = [
    0,
    codexScreen({ transcript: [banner, prompted('do this'), working(1)] }),
  ];

  it('is one where the prompt is back in the composer', () => {
    for (const version of ['0.144.1', '0.169.0']) {
      expect(lastOver(version, atWork, [500, gone('do this', banner)])).toMatchObject({
        interrupted: true,
        activeReasons: [],
        readyPosture: 'yes',
        editingInput: 'yes',
        successBlocked: true,
        notes: expect.arrayContaining(['temporal_silent_interruption']),
      });
    }
  });

  it('with all the rows of the prompt', () => {
    expect(lastOver('0.144.1', atWork, [500, gone('do  this\nand that', banner)]).interrupted).toBe(true);
  });

  it('is none for the placeholder, whatever was asked', () => {
    const asked = codexScreen({ transcript: [banner, prompted('Ask Codex to do anything'), working(1)] });
    const idle = codexScreen({ transcript: [banner] });
    expect(lastOver('0.144.1', [0, asked], [500, idle]).interrupted).toBe(false);
  });

  it('is none where prompts wait', () => {
    const queued = gone('do this', banner, '• Queued follow-up inputs');
    expect(lastOver('0.144.1', atWork, [500, queued]).notes).toEqual(['prompt_kind=draft']);
  });

  it('also after an earlier turn', () => {
    const before = [banner, prompted('before'), '• Done', '  Worked for 1s • 20:44'];
    const working2 = codexScreen({ transcript: [...before, prompted('do this'), working(1)] });
    expect(lastOver('0.169.0', [0, working2], [500, gone('do this', ...before)]).interrupted).toBe(true);
  });

  it.each<[string, string, [number, string][]]>([
    ['in versions that say it', '0.116.0', [atWork, [500, gone('do this', banner)]]],
    ['where another text is typed', '0.144.1', [atWork, [500, gone('and that', banner)]]],
    ['where nothing is typed', '0.144.1', [atWork, [500, codexScreen({ transcript: [banner] })]]],
    [
      'where no work was seen',
      '0.144.1',
      [
        [0, codexScreen({ transcript: [banner] })],
        [500, gone('do this', banner)],
      ],
    ],
    ['long after', '0.144.1', [atWork, [3001, gone('do this', banner)]]],
    [
      'where it was answered and is typed again',
      '0.144.1',
      [atWork, [500, gone('do this', banner, prompted('do this'), '• Done')]],
    ],
    [
      'while it is worked on',
      '0.144.1',
      [atWork, [500, gone('do this', banner, prompted('do this'), working(2))]],
    ],
  ])('not %s', (_, version, frames) => {
    expect(lastOver(version, ...frames).interrupted).toBe(false);
  });
});
