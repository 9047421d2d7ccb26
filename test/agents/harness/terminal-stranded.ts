import { expect, test } from 'vitest';
import { LocalTerminalTarget } from '../../../src/agent/local-terminal/local-terminal-target.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { readManifest } from '../../../src/session/manifest.js';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { Tmux } from '../../../src/terminal/tmux.js';
import { trackerTimings } from '../../../src/terminal/tracker/tracker-timings.js';
import { digestOf } from './fake-model/server.js';
import type { TerminalStage } from './terminal-stage.js';

const words = (count: number, one: (word: string) => string): string[] =>
  Array.from({ length: count }, (_, n) => one(digestOf(`word ${n}`).slice(0, 6)));

/** Of each, only a part is seen, or something else than was pasted. */
const TEXTS: Readonly<Record<string, string>> = {
  tall: words(32, (word) => `line ${word}`).join('\n'),
  'of which one row is left': words(15, (word) => word).join('\n'),
  folded: words(90, (word) => `and ${word}`).join(' '),
  'folded and wide': words(90, (word) => `漢字${word}全角`).join(''),
  combining: words(32, (word) => `e\u0301te\u0301 ${word} 👩‍👩‍👧‍👦`).join('\n'),
  collapsed: words(400, (word) => `line ${word}`).join('\n'),
};

/** Tests of a text that was pasted and given up. */
export function testStrandedTexts(current: () => TerminalStage): void {
  test.each([24, 10, 50])(
    'a text that was given up is taken out again on a screen of %i rows',
    async (rows) => {
      const stage = current();
      stage.resize(rows);
      const paths = sessionPaths(stage.root);
      const tmux = new Tmux({ environment: process.env });
      const target = new LocalTerminalTarget(
        readManifest(paths.manifest),
        paths,
        { clock: systemClock, environment: process.env, tmux },
        { timings: trackerTimings(), changed: () => undefined, report: () => undefined },
      );
      target.terminal.start();
      try {
        for (const [kind, text] of Object.entries(TEXTS)) {
          await stage.ready();
          stage.paste(text);
          await expect
            .poll(stage.state, { message: kind })
            .toMatchObject({ surface: { editing_input: 'yes' } });
          expect([kind, await target.terminal.removeLate(text, 59_000)]).toEqual([kind, true]);
          await expect
            .poll(stage.state, { message: kind })
            .toMatchObject({ surface: { editing_input: 'no' } });
        }
      } finally {
        await target.terminal.stop();
        stage.resize(50);
      }
    },
  );
}
