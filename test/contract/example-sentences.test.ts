import { expect, test } from 'vitest';
import { bundle, type Part } from './support/bundle.js';
import { SourceSentences } from './support/sentences.js';

/** The rules of the contract, which a 422 tells in their own words. */
const rulesIn = (node: Part): string[] =>
  node === null || typeof node !== 'object'
    ? []
    : Object.entries<Part>(node).flatMap(([key, inner]) => (key === 'x-rule' ? [inner] : rulesIn(inner)));

const source = new SourceSentences(['src'], rulesIn(bundle));

/** The gateway's future sentences where it answers 501 now; the change that builds one writes the sentence, and takes it out here. */
const notSaidYet = new Set(['Gateway prompt rejected because the TUI is not submit-ready.']);

/** Fields in which the gateway speaks in its own words. */
const spoken = new Set(['detail', 'msg', 'evidence', 'support_error', 'last_error']);

/** The sentences in an example, each with the place it stands at. */
function sentencesIn(value: Part, place: string): [place: string, sentence: string][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    spoken.has(key) && typeof inner === 'string'
      ? [[`${place}/${key}`, inner]]
      : sentencesIn(inner, `${place}/${key}`),
  );
}

/** Every example of every answer in a part of the contract. */
function examplesIn(node: Part, place: string): [place: string, example: unknown][] {
  if (node === null || typeof node !== 'object') return [];
  const { 'application/json': media, ...rest } = node;
  return [
    ...(media?.example === undefined ? [] : [[place, media.example] as [string, unknown]]),
    ...Object.entries<Part>(media?.examples ?? {}).map(([name, { value }]): [string, unknown] => [
      `${place}/${name}`,
      value,
    ]),
    ...Object.entries<Part>(rest).flatMap(([key, inner]) => examplesIn(inner, `${place}/${key}`)),
  ];
}

const sentences = [...examplesIn(bundle.paths, ''), ...examplesIn(bundle.components.responses, 'responses')]
  .filter(([place]) => !place.includes('/requestBody'))
  .flatMap(([place, example]) => sentencesIn(example, place));

test('the examples hold sentences', () => {
  expect(sentences.length).toBeGreaterThan(30);
});

test.each(sentences)('%s says what the gateway says: %s', (_place, sentence) => {
  expect(source.has(sentence)).toBe(!notSaidYet.has(sentence));
});

test('what is not said yet stands in an example', () => {
  const reported = new Set(sentences.map(([, sentence]) => sentence));
  expect([...notSaidYet].filter((sentence) => !reported.has(sentence))).toEqual([]);
});

test.each([
  'The agent is busy.',
  'Turn turn-0f3c9d2b7a11 is running now.',
  'Input should be whatever comes to mind here',
  'Gateway prompt rejected because the agent is busy (and so on and so forth).',
  'No request `a b c d e` on this gateway.',
])('a sentence that nobody says is found: %s', (sentence) => {
  expect(source.has(sentence)).toBe(false);
});
