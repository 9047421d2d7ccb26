import { expect, it } from 'vitest';
import { readGeminiTitle } from '../../../../src/tools/gemini/gemini-self-report.js';
import { toolSelfReport } from '../../../../src/tools/terminal-registry.js';
import { factLines, sampleText } from '../session-sample.js';

const titles = [...sampleText('gemini/titles.txt').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
const states = ['state idle', 'state busy', 'state waiting for Action Required'];
const read = (title: string): string[] => {
  const fact = readGeminiTitle(title);
  return fact === null ? [] : factLines([fact]);
};

it('each title of a real terminal, as it is and as OSC 0 and 2 bring it', () => {
  expect(titles.flatMap(read)).toEqual(states);
  expect(titles.map((title) => title.padEnd(80)).flatMap(read)).toEqual(states);
  const { readOsc } = toolSelfReport('gemini');
  for (const code of [0, 2])
    expect(titles.map((text) => readOsc({ code, text })?.state)).toEqual(['idle', 'busy', 'waiting']);
  expect(readOsc({ code: 1, text: titles[0] ?? '' })).toBeNull();
});

it('another title says nothing', () => {
  for (const title of ['', '◇', '✦Working', 'Ready ◇ x', 'bash', '✳ Claude', 'toString x', '__proto__ x'])
    expect(read(title)).toEqual([]);
});
