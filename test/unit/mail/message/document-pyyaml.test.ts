import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument, renderDocument } from '../../../../src/mail/message/document.js';
import { readYaml, type YamlNode } from '../../../../src/mail/message/yaml-reader.js';
import { anyMessage } from '../../../support/mail/any-message.js';
import { frontMatterOf } from '../../../support/mail/documents.js';
import { type Loaded, pyYamlDump, pyYamlLoad } from '../../../support/mail/pyyaml.js';
import { needsPyYaml } from '../../../support/run/needs.js';

/** Every message is another one, so a run has many; one process reads them all. */
const messages = fc.sample(anyMessage, 300);
const matters = messages.map((message) => frontMatterOf(renderDocument(message)));

const valueOfLine = (line: string): [string, unknown] => {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), JSON.parse(line.slice(colon + 2))];
};
const valuesOf = (matter: string) => Object.fromEntries(matter.trimEnd().split('\n').map(valueOfLine));

/** A value as the support's Python program tells it. */
function pairs(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return expect.anything();
  if (Array.isArray(value)) return value.map(pairs);
  if (value === null || typeof value !== 'object') return value;
  return { map: Object.entries(value).map(([key, inner]) => [key, pairs(inner)]) };
}

test('PyYAML reads from our front matter what we wrote', needsPyYaml, () => {
  const loaded = pyYamlLoad(matters);
  for (const [index, matter] of matters.entries())
    expect(loaded[index]).toEqual({ value: pairs(valuesOf(matter)) });
});

test('numbers of headers have the same value to PyYAML', needsPyYaml, () => {
  const numbers = [...fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 300), 1e21, 1e-7, 12];
  const written = numbers.map((number) => {
    const [message] = messages;
    const document = renderDocument({ ...message!, headers: { n: number } });
    return frontMatterOf(document).split('\nheaders: ')[1]!.split('\n')[0]!;
  });
  for (const [index, answer] of pyYamlLoad(written).entries()) {
    const { map } = (answer as { value: { map: [[string, number | { float: string }]] } }).value;
    const value = map[0][1];
    expect(typeof value === 'object' ? Number(value.float) : value, written[index]).toEqual(
      numbers[index]! + 0,
    );
  }
});

test('we read from PyYAML’s front matter what it was given', needsPyYaml, () => {
  const dumped = pyYamlDump(matters.map(valuesOf));
  for (const [index, text] of dumped.entries()) {
    const { body, ...written } = messages[index]!;
    const read = parseDocument(`---\n${text}---\n${body === '' ? '' : `\n${body}`}`);
    expect(read).toEqual({ ...written, body });
  }
});

const plain = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789+-._:eExobTZ ~yn'), maxLength: 9 }),
  fc.constantFrom(
    'yes',
    'No',
    'oN',
    'off',
    'y',
    'null',
    'Null',
    'nULL',
    'true',
    '<<',
    '=',
    '1e3',
    '.inf',
    '-.INF',
    '.nan',
  ),
  fc.constantFrom(
    '2026-01-01',
    '2026-1-1 1:2:3',
    '2026-01-01T01:02:03Z',
    '2026-01-01 01:02:03 +1:30',
    '12:30:00',
    '0b1_0',
  ),
);

/** The value or the kind that both see in a scalar. */
function kindOf(node: YamlNode): unknown {
  if (node.is === 'timestamp') return { timestamp: true };
  if (node.is === 'null') return null;
  if (node.is === 'float') return { float: node.value };
  return 'value' in node ? node.value : node.is;
}

function loadedKind({ value }: { value: unknown }): unknown {
  if (value === null || typeof value !== 'object' || !('float' in value)) return value;
  const text = String(value.float).replace('inf', 'Infinity').replace('nan', 'NaN');
  return { float: Number(text) };
}

test('a plain scalar means to us what it means to PyYAML', needsPyYaml, () => {
  const texts = [...new Set(fc.sample(plain, 4000))].map((text) => `[a, ${text}]`);
  let compared = 0;
  for (const [index, answer] of pyYamlLoad(texts).entries()) {
    const ours = tried(texts[index]!);
    const theirs = listed(answer);
    if (ours === undefined || theirs === undefined) continue;
    compared += 1;
    expect(ours, texts[index]).toEqual(theirs);
  }
  expect(compared).toBeGreaterThan(700);
});

/** The second item of a list of two; undefined where the text is something else. */
function tried(text: string): unknown {
  try {
    const node = readYaml(text);
    const item = node.is === 'list' && node.items.length === 2 ? node.items[1] : undefined;
    return item && item.is !== 'map' && item.is !== 'list' && item.is !== 'special'
      ? kindOf(item)
      : undefined;
  } catch {
    return undefined;
  }
}

function listed(answer: Loaded): unknown {
  if ('error' in answer || !Array.isArray(answer.value) || answer.value.length !== 2) return undefined;
  const item: unknown = answer.value[1];
  return item !== null && typeof item === 'object' && 'map' in item ? undefined : loadedKind({ value: item });
}
