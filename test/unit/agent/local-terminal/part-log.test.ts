import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { PartLog } from '../../../../src/agent/local-terminal/part-log.js';
import { systemClock } from '../../../../src/foundation/clock.js';
import { PartWriter, readParts } from '../../../../src/run/part-file.js';
import type { ShownDialog } from '../../../../src/terminal/tracker/shown-dialog.js';
import { textPart } from '../../../../src/tools/adapter/reported-part.js';
import type { TurnEnded, Utterance } from '../../../../src/tools/self-report/self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
let turns = 0;
let path = '';
beforeEach(() => {
  turns += 1;
  path = join(folder, `turn-${turns}`, 'parts.jsonl');
});

const open = () => new PartLog(new PartWriter(path, systemClock, (fault) => expect.fail(fault)), path);
const said = (text: string, offset: number, file = 'chat.jsonl'): Utterance => ({
  kind: 'utterance',
  part: textPart(text),
  place: { file, offset },
  evidence: '',
  at: null,
});
const dialog = (id: string): ShownDialog => ({
  id,
  kind: 'permission',
  question: 'Run it?',
  excerpt: 'Run it?\n1. Yes',
  choices: [{ number: 1, label: 'Yes', marked: true }],
  since: new Date(),
  seen: new Date(),
});
const ended: TurnEnded = {
  kind: 'turn_ended',
  outcome: 'completed',
  settled: true,
  answer: 'done',
  model: 'model-1',
  usage: { input_tokens: 3 },
  error: null,
  evidence: '',
  at: null,
  conversation: null,
  turn: null,
};
const stored = () =>
  readParts(path, 0, 1000).map(({ part }) => (part.kind === 'text' ? part.data.text : part.kind));

describe('a program that adopts the turn', () => {
  test('stores the rows that are new, also the rest of a row with several parts', () => {
    const first = open();
    first.said(said('one', 0));
    first.said(said('two', 80));
    first.close(false);
    const second = open();
    for (const each of [said('one', 0), said('two', 80), said('two, more', 80), said('three', 160)])
      second.said(each);
    second.said(said('one of another file', 0, 'other.jsonl'));
    second.close(true);
    expect(stored()).toEqual(['one', 'two', 'two, more', 'three', 'one of another file']);
  });

  test('knows the question that was shown, and has an id of its own for one that still is', () => {
    const first = open();
    first.sees(dialog('dialog-1'));
    first.close(false);
    const second = open();
    second.sees(dialog('dialog-1'));
    expect(stored()).toEqual(['dialog_shown']);
    second.sees(dialog('dialog-2'));
    second.sees(null);
    second.close(true);
    expect(stored()).toEqual(['dialog_shown', 'dialog_closed', 'dialog_shown', 'dialog_closed']);
  });
});

test('a question is stored when it changes, not each time that it is seen', () => {
  const log = open();
  for (const each of [null, dialog('a'), dialog('a'), dialog('b'), null, null]) log.sees(each);
  log.close(true);
  expect(readParts(path, 0, 10).map(({ part }) => part.data)).toMatchObject([
    { dialog_id: 'a', dialog_kind: 'permission', text: 'Run it?\n1. Yes', choices: ['Yes'] },
    { dialog_id: 'a' },
    { dialog_id: 'b' },
    { dialog_id: 'b' },
  ]);
});

test('the usage of the last report of the end is stored, once the turn is over', () => {
  const left = open();
  left.ends(ended);
  left.close(false);
  expect(stored()).toEqual([]);
  const log = open();
  log.ends({ ...ended, usage: { input_tokens: 1 } });
  log.ends(ended);
  log.close(true);
  expect(readParts(path, 0, 10).map(({ part }) => part)).toMatchObject([
    { kind: 'usage', data: { model: 'model-1', scope: 'turn', amounts: { input_tokens: 3 } } },
  ]);
});
