import fc from 'fast-check';

/** JSON as it is written, which no JavaScript value can be: numbers without bounds, lone surrogates, members named twice. */
export type Written =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: Written[] }
  | { kind: 'object'; members: [key: string, value: Written][] };

export const written = (value: unknown): Written => {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(written) };
  if (value !== null && typeof value === 'object')
    return {
      kind: 'object',
      members: Object.entries(value).map(([key, inner]) => [JSON.stringify(key), written(inner)]),
    };
  return { kind: 'text', text: JSON.stringify(value) };
};

export function toText(node: Written): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'list') return `[${node.items.map(toText).join()}]`;
  return `{${node.members.map(([key, value]) => `${key}:${toText(value)}`).join()}}`;
}

/** Numbers, as text. */
const numbers = [
  '1e400',
  '-1e400',
  '-0',
  '0',
  '-1',
  '1.5',
  '1e-400',
  '9007199254740993',
  '-9007199254740993',
  '1e308',
  '3155760001',
  '123456789012345678901234567890',
];
/** Strings: what no process takes as text, and what some program takes for markup, an option, a path or a query. */
const strings = [
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\uDFFF"',
  '"\\u001b[2J\\u001b]0;x\\u0007"',
  '"\\u202e\\u2066\\ufeff"',
  '"\\r\\nX-Injected: yes"',
  '"../../../escape"',
  '"..\\\\..\\\\escape"',
  '"%2e%2e%2f"',
  '"--version"',
  '"$(touch escape)`touch escape`"',
  '"\' OR 1=1; DROP TABLE turns; --"',
  '"%s%s%n{0}{{x}}"',
  '"<script>alert(1)</script>"',
  '"NaN"',
  '"null"',
  '"2026-02-30"',
  '"9999-12-31T23:59:60Z"',
  `"${'x'.repeat(70_000)}"`,
  `"${'é🙂'.repeat(5000)}"`,
];
const others = ['null', 'true', 'false', '[]', '{}', '[null]', '{"a":1}', '[[[[[[[[[[]]]]]]]]]]'];
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '0',
  'a/b~c',
  '\u0000',
  '$ref',
];

type Change = (node: Written, pick: (count: number) => number) => Written;

const replacement =
  (texts: readonly string[]): Change =>
  (_node, pick) => ({ kind: 'text', text: texts[pick(texts.length)] ?? 'null' });

const nested = (open: string, close: string, depth: number, node: Written): Written => ({
  kind: 'text',
  text: `${open.repeat(depth)}${toText(node)}${close.repeat(depth)}`,
});

/** The changes that can be made to a node; each has a name for the counterexample. */
const changes: Readonly<Record<string, Change>> = {
  number: replacement(numbers),
  string: replacement(strings),
  other: replacement(others),
  drop: (node, pick) => {
    if (node.kind === 'text') return node;
    if (node.kind === 'list') return { ...node, items: node.items.toSpliced(pick(node.items.length), 1) };
    return { ...node, members: node.members.toSpliced(pick(node.members.length), 1) };
  },
  unknownKey: (node, pick) =>
    node.kind === 'object'
      ? {
          ...node,
          members: [
            ...node.members,
            [
              JSON.stringify(keys[pick(keys.length)]),
              { kind: 'text', text: others[pick(others.length)] ?? '1' },
            ],
          ],
        }
      : node,
  loneKey: (node) =>
    node.kind === 'object'
      ? { ...node, members: [...node.members, ['"\\ud800"', { kind: 'text', text: '1' }]] }
      : node,
  twice: (node, pick) => {
    const member = node.kind === 'object' ? node.members[pick(node.members.length)] : undefined;
    if (node.kind !== 'object' || !member) return node;
    const other: [string, Written] = [member[0], { kind: 'text', text: others[pick(others.length)] ?? '1' }];
    return { ...node, members: pick(2) ? [...node.members, other] : [other, ...node.members] };
  },
  wider: (node, pick) => {
    const first = node.kind === 'list' ? node.items[0] : undefined;
    if (node.kind !== 'list' || !first) return node;
    // Two changes that meet shall not make hundreds of megabytes.
    const most = Math.ceil(200_000 / toText(first).length);
    return {
      ...node,
      items: Array.from({ length: Math.min([30, 600, 6000][pick(3)] ?? 1, most) }, () => first),
    };
  },
  manyKeys: (node, pick) =>
    node.kind === 'object'
      ? {
          ...node,
          members: [
            ...node.members,
            ...Array.from({ length: [40, 900, 6000][pick(3)] ?? 1 }, (_, index): [string, Written] => [
              `"k${index}"`,
              { kind: 'text', text: '1' },
            ]),
          ],
        }
      : node,
  deeperList: (node, pick) => nested('[', ']', [1, 63, 70, 10_000][pick(4)] ?? 1, node),
  deeperObject: (node, pick) => nested('{"a":', '}', [1, 63, 70, 10_000][pick(4)] ?? 1, node),
};

/** One change at one place; `at` counts nodes from the root. */
interface Step {
  at: number;
  change: string;
  picks: number[];
}

/** A value, changed at one to three places. */
export const changed = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(
      values,
      fc.array(
        fc.record<Step>({
          at: fc.nat({ max: 40 }),
          change: fc.constantFrom(...Object.keys(changes)),
          picks: fc.array(fc.nat({ max: 1000 }), { minLength: 3, maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([value, steps]) => toText(steps.reduce(applied, written(value))));

function applied(root: Written, { at, change, picks }: Step): Written {
  const target = at % countOf(root);
  let next = 0;
  const pick = (count: number): number => {
    next += 1;
    return count > 0 ? (picks[next % picks.length] ?? 0) % count : 0;
  };
  let seen = -1;
  const walk = (node: Written): Written => {
    seen += 1;
    if (seen === target) {
      const result = changes[change]?.(node, pick) ?? node;
      seen += countOf(node) - 1;
      return result;
    }
    if (node.kind === 'list') return { ...node, items: node.items.map(walk) };
    if (node.kind === 'object')
      return { ...node, members: node.members.map(([key, value]) => [key, walk(value)]) };
    return node;
  };
  return walk(root);
}

const countOf = (node: Written): number => {
  if (node.kind === 'list') return node.items.reduce((sum, one) => sum + countOf(one), 1);
  if (node.kind === 'object') return node.members.reduce((sum, [, one]) => sum + countOf(one), 1);
  return 1;
};

/** Bytes that are JSON by chance or not at all. */
export const garbage = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(values, fc.nat()).map(([value, cut]) => {
      const bytes = Buffer.from(JSON.stringify(value));
      return bytes.subarray(0, cut % (bytes.length + 1));
    }),
    fc
      .tuple(values, fc.constantFrom(',', '}', ' {}', '\0', '//', '\u2028', '\ufeff'))
      .map(([value, tail]) => Buffer.from(`${JSON.stringify(value)}${tail}`)),
    fc.constantFrom('[', '{"a":', '"\\u0000', '1,', '[],').map((unit) => Buffer.from(unit.repeat(20_000))),
  );
