import { expect, it } from 'vitest';
import { GeminiLog } from '../../../../src/tools/gemini/gemini-self-report.js';
import { factLines, sampleText } from '../session-sample.js';

const sample = sampleText('gemini/logs.json');
const entries: object[] = JSON.parse(sample);
const session = '8f9b1c04-1200-4952-b9b1-7784f635f699';
const read = (log: GeminiLog, text: string | null): string[] => factLines(log.read(text, 'logs.json'));

it('what our session submitted since the first look', () => {
  const log = new GeminiLog(session);
  expect(read(log, JSON.stringify(entries.slice(0, 2)))).toEqual([]);
  expect(read(log, '')).toEqual([]);
  expect(read(log, JSON.stringify(entries.slice(0, 4)).slice(0, -9))).toEqual([]);
  expect(log.read(JSON.stringify(entries.slice(0, 4)), 'tmp/project/logs.json')).toEqual([
    expect.objectContaining({ text: 'first [[delay=3000]]', pending: true }),
    {
      kind: 'prompt_taken',
      text: 'queued A\n\nqueued B',
      pending: true,
      evidence: 'message 3 of tmp/project/logs.json',
      at: '2026-11-22T18:37:46.116Z',
      conversation: null,
      turn: null,
    },
  ]);
  expect(read(log, JSON.stringify(entries.slice(0, 4)))).toEqual([]);
  // An entry that another process lost is not reported again when it is back.
  expect(read(log, JSON.stringify(entries.slice(0, 2)))).toEqual([]);
  expect(read(log, sample)).toEqual([
    '- prompt_taken, pending: escbefore [[delay=6000]]',
    '- prompt_taken, pending: escafter [[words=200]] [[drip=50]]',
    ...['g1', 'g2', 'g3'].map(
      (file) =>
        `- prompt_taken, pending: [[tool=run_shell_command {"command":"touch /work/project/${file}","description":"make"}]]`,
    ),
    '- prompt_taken, pending: !echo hi',
  ]);
});

it('a file that comes late is all news', () => {
  const log = new GeminiLog(session);
  expect(read(log, null)).toEqual([]);
  expect(read(log, sample).length).toBe(10);
});

it('what is no list of messages says nothing', () => {
  const log = new GeminiLog('s');
  expect(read(log, null)).toEqual([]);
  for (const text of [
    '{}',
    '7',
    '[7,null,{}]',
    '[{"sessionId":"s","messageId":"0","type":"user","message":"x"}]',
  ])
    expect(read(log, text)).toEqual([]);
  expect(read(log, '[{"sessionId":"s","messageId":0,"type":"info","message":"x"}]')).toEqual([]);
  expect(read(log, '[{"sessionId":"s","messageId":0,"type":"user","message":"x"}]').length).toBe(1);
});
