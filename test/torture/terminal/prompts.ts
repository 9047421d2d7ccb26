import type { SeededRandom } from '../random.mjs';

/** Makes a prompt of some shape around a tag. */
type Shape = (tag: string, random: SeededRandom) => string;

const filler = (length: number, word: string): string =>
  word.repeat(Math.ceil(length / word.length)).slice(0, length);

/** Longer texts have the tag at both ends: a half of one is recognised as well. */
const framed = (tag: string, body: string): string => `${tag} ${body} ${tag}`;

const linesOf = (tag: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${tag} line ${line + 1}`).join('\n');

/** Every shape that a prompt may have, with how often it comes. */
const shapes: Readonly<Record<string, { weight: number; make: Shape }>> = {
  short: { weight: 8, make: (tag) => `say ${tag}` },
  'same opening': {
    weight: 4,
    make: (tag) => `the same opening of each of these prompts is longer than what is compared ${tag}`,
  },
  lines: { weight: 5, make: (tag, random) => linesOf(tag, random.between(2, 6)) },
  'empty lines': { weight: 2, make: (tag) => `\n\n${tag}\n\n\nand an end\n\n` },
  '1 KB': { weight: 4, make: (tag) => framed(tag, filler(1000, 'word ')) },
  '8 KB': { weight: 4, make: (tag) => framed(tag, filler(8192, 'many words on a line, ')) },
  '8 KB in lines': { weight: 2, make: (tag) => linesOf(tag, Math.ceil(8192 / (tag.length + 9))) },
  '100 KB': {
    weight: 2,
    make: (tag, random) => framed(tag, filler(random.between(100, 250) * 1024, 'a long prompt in one line ')),
  },
  'end of paste': { weight: 3, make: (tag) => `${tag} before\u001b[201~ after\r${tag} \u001b[200~again` },
  'control characters': {
    weight: 3,
    make: (tag) =>
      `\u0003${tag}\u001b\u0004 \u0015and\u007f \u009b201~\u0001more\u001b[A\u001b]0;title\u0007`,
  },
  'line ends': { weight: 2, make: (tag) => `${tag}\r\nsecond\rthird\n\tfourth ${tag}` },
  wide: {
    weight: 3,
    make: (tag) => `${tag} 漢字かな交じり文 한국어 👩‍👩‍👧‍👦 🇩🇪 e\u0301 a\u0308\u0323 ｆｕｌｌ`,
  },
  'wide lines': { weight: 2, make: (tag) => `${filler(150, '寿司')}\n${tag} ${filler(90, '👍🏽')}\n${tag}` },
  direction: { weight: 1, make: (tag) => `${tag} \u202eright to left\u202c and \u2066isolated\u2069` },
  invisible: { weight: 1, make: (tag) => `${tag} zero\u200bwidth\ufeff and\u2028separator` },
  'looks like keys': {
    weight: 2,
    make: (tag) => `<[Enter]> C-c ${tag} <[Escape]> $(touch x) \`id\` #{pane_id} ;`,
  },
  placeholder: { weight: 1, make: (tag) => `[Pasted text #1 +60 lines] ${tag}` },
  digits: { weight: 2, make: (tag) => `1 ${tag} 2\n3\n1` },
  slow: { weight: 4, make: (tag, random) => `[[slow=${random.between(200, 2500)}]] ${tag}` },
  drip: { weight: 2, make: (tag) => `[[drip=60]] [[words=12]] ${tag}` },
  tool: { weight: 3, make: (tag) => `[[tool=Bash {"command":"echo ${tag}"}]] ${tag}` },
  'slow tool': { weight: 2, make: (tag) => `[[slow=600]] [[tool=Bash {"command":"sleep"}]] ${tag}` },
  command: { weight: 1, make: (tag) => `/nothing ${tag}` },
  'API error': { weight: 1, make: (tag) => `[[fail=529]] ${tag}` },
};

const urn = Object.entries(shapes).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

export interface MadePrompt {
  shape: string;
  prompt: string;
}

export function makePrompt(tag: string, random: SeededRandom): MadePrompt {
  const shape = random.pick(urn);
  return { shape, prompt: shapes[shape]?.make(tag, random) ?? tag };
}

/** The form that is common to all tags and stands in nothing else. */
const tags = /(?:tag|draft)x\d+x\d+x/g;

export const promptTag = (scenario: number, serial: number): string => `tagx${scenario}x${serial}x`;
export const draftTag = (scenario: number, serial: number): string => `draftx${scenario}x${serial}x`;

/** The tags in a text, each once, in their order. */
export const tagsIn = (text: string): string[] => [...new Set(text.match(tags) ?? [])];
