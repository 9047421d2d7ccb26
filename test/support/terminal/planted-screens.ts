import type { PollOutcome } from '../../../src/terminal/tracker/observation.js';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import { cautiousPauses, type ToolScreens } from '../../../src/tools/screen/screen-profile.js';
import { planted } from './planted-frames.js';
import { plainRows } from './rows.js';

/** Words that a planted screen understands as its first row; `draft:` with what was typed. */
const words: Readonly<Record<string, () => FrameSignals>> = {
  idle: () => planted.idle(),
  working: () => planted.working(),
  'status row': () => planted.statusRow(),
  done: () => planted.done(),
  interrupted: () => planted.interrupted(),
  failed: () => planted.failed(),
  dialog: () => planted.dialog(),
  menu: () => planted.menu(),
  nothing: () => planted.nothing(),
};
export const plantedWords = Object.keys(words);

function detect(text: string): FrameSignals {
  const [word = ''] = text.split('\n');
  if (word === 'broken') throw new Error('a planted fault');
  const signals = word.startsWith('draft:') ? planted.draft(word.slice(6)) : words[word]?.();
  return { ...(signals ?? planted.nothing()), surfaceSignature: text };
}

/** A tool whose screens say in their first row what a detector is to see. Versions `2…` are read with a profile of their own. */
export const plantedScreens: ToolScreens = {
  name: 'toy',
  processNames: ['toy'],
  keyPauses: cautiousPauses,
  profileFor: (version) => ({
    version: version?.startsWith('2') ? '2.x' : '1.x',
    detect: ({ rows }) => detect(rows.map(({ text }) => text).join('\n')),
  }),
};

export const plantedRows = (text: string) => plainRows(...text.split('\n'));

export const captured = (text: string): PollOutcome => ({
  kind: 'captured',
  text,
  paneId: '%3',
  panePid: 42,
  processNames: ['toy'],
});
export const toolDown: PollOutcome = { kind: 'tool_down', paneId: '%3', panePid: 42, processNames: [] };
