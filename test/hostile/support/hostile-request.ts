import fc from 'fast-check';
import type { HostileContract, HostileOperation, Parameter } from './contract.js';
import { changed, garbage } from './hostile-json.js';
import { type Schema, type SchemaWorld, validArbitrary } from './schema-arbitrary.js';

/** A request as it will be sent. In a path, `{known}` stands for an id that we got, `{agent}` for the agent that is there. */
export interface HostileRequest {
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Whether its path may be none of the operation's. */
  oddPath: boolean;
  /** Which of the known ids it means. */
  known: number;
}

/** Prompts that the stand-in agent answers at once, and some that end it in other ways. */
const prompts = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => `${text.replaceAll('\0', '')}x`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('--help', '[[exit=1]]', '[[crash]]', '[[slow=50]]', '-', '@file', '/clear'),
  },
);
const worldOf = ({ resolve, accepts }: HostileContract): SchemaWorld => ({
  resolve,
  accepts,
  text: (property) => (property === 'prompt' ? prompts : null),
});

const hostileTexts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '-1',
    '1e400',
    'NaN',
    'Infinity',
    '0x10',
    '1e2',
    '-0',
    '9007199254740993',
    ' 1',
    'null',
    '[]',
    '\0',
    '\u001b[2J',
    '../..',
    '__proto__',
    'a'.repeat(5000),
  ),
);

function queryOf(parameters: Parameter[], world: SchemaWorld): fc.Arbitrary<string> {
  const names = parameters.filter((one) => one.in === 'query');
  const valid = fc.record(Object.fromEntries(names.map((one) => [one.name, validText(one, world)])), {
    requiredKeys: names.filter(({ required }) => required).map(({ name }) => name),
  });
  const unknown = fc.constantFrom(
    'x',
    '__proto__',
    'constructor',
    'limit[]',
    'limit[a]',
    'wait_seconds.x',
    ' ',
  );
  const pair = fc.tuple(
    names.length > 0 ? fc.oneof(fc.constantFrom(...names.map((one) => one.name)), unknown) : unknown,
    hostileTexts,
  );
  const short = ([name, value]: [string, string]): boolean =>
    name !== 'wait_seconds' || !(Number(value) > 0.05 && Number(value) <= 60);
  const encoded = (pairs: [string, string][]): string =>
    new URLSearchParams(pairs.map(([name, value]) => [name, wellFormed(value)])).toString();
  return fc.oneof(
    { weight: 5, arbitrary: valid.map((one) => encoded(Object.entries(one) as [string, string][])) },
    { weight: 3, arbitrary: fc.array(pair.filter(short), { minLength: 1, maxLength: 3 }).map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%zz', '%00', '&&&', '=', '%ed%a0%80', 'a=%', 'x=%c0%ae', '[]=1', '%5B%5D'),
    },
  );
}

// Node 20 has it, the ES2023 types do not.
const wellFormed = (text: string): string => (text as string & { toWellFormed(): string }).toWellFormed();

/** A number of seconds to wait is short: who is asked would keep its word. */
const validText = (parameter: Parameter, world: SchemaWorld): fc.Arbitrary<string> =>
  parameter.name === 'wait_seconds'
    ? fc.constantFrom('0', '0.01', '1e-3')
    : validArbitrary(parameter.schema, world, parameter.name).map(String);

const pathTexts = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ text: '{known}', odd: false }) },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .map((text) => ({ text: encodeURIComponent(wellFormed(text)), odd: /^\.{1,2}$/.test(text) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '%2e%2e',
        '..',
        '%2e%2e%2f%2e%2e%2fmanifest.json',
        '%00',
        'a%00b',
        '%zz',
        '%',
        '%ff',
        '%c0%ae%c0%ae',
        '%ed%a0%80',
        '__proto__',
        'constructor',
        '%1b%5b2J',
        ';x=1',
        'a%2fb',
        '%252e',
        'x'.repeat(4000),
      )
      .map((text) => ({ text, odd: true })),
  },
);

/** Most requests mean the agent that is there. */
const agentTexts = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ text: '{agent}', odd: false }) },
  { weight: 1, arbitrary: pathTexts },
);

const ranges = fc.constantFrom(
  ...['bytes=0-7', 'bytes=-5', 'bytes=5-', 'bytes=999999999-', 'bytes=5-2', 'lines=1-2', 'bytes=0-0,2-3'],
  ...['bytes=-', 'bytes=0-1e400', 'bytes=00-99999999999999999999', ''],
);

const keys = fc.oneof(
  fc.constantFrom('one', 'two', 'three', ' ', '', 'a'.repeat(255), 'a'.repeat(256), '\u00e9', 'a b', '\t'),
  fc.stringMatching(/^[!-~]{1,40}$/),
);
const contentTypes = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  {
    weight: 2,
    arbitrary: fc.stringMatching(/^[a-z0-9]{1,12}$/).map((name) => `application/json; ${name}=1`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/xml',
      'application/jsonx',
      '',
      'application/json, text/html',
    ),
  },
);

/** Bodies that the contract allows. */
export const hostileBodies = (schema: Schema, contract: HostileContract): fc.Arbitrary<unknown> =>
  validArbitrary(schema, worldOf(contract));

/** Requests for one operation: as the contract has them, changed, and whatever. */
export function hostileRequests(
  operation: HostileOperation,
  contract: HostileContract,
): fc.Arbitrary<HostileRequest> {
  const { parameters, body } = operation;
  const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const has = (header: string): boolean => parameters.some(({ name }) => name === header);
  const query = queryOf(parameters, worldOf(contract));
  return fc
    .record({
      segments: fc.record(
        Object.fromEntries(inPath.map((name) => [name, name === 'agent_ref' ? agentTexts : pathTexts])),
      ),
      query:
        body === null
          ? query
          : fc.oneof({ weight: 30, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query }),
      key: has('Idempotency-Key') ? fc.option(keys, { freq: 2 }) : fc.constant(null),
      range: has('Range') ? fc.option(ranges, { freq: 1 }) : fc.constant(null),
      type: contentTypes,
      body: body === null ? fc.constant(null) : bodies(hostileBodies(body, contract)),
      known: fc.nat({ max: 1000 }),
    })
    .map(({ segments, query, key, range, type, body: bytes, known }) => ({
      path: operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => segments[name]?.text ?? ''),
      query,
      headers: {
        ...(bytes === null ? {} : { 'Content-Type': type }),
        ...(key === null ? {} : { 'Idempotency-Key': key }),
        ...(range === null ? {} : { Range: range }),
      },
      body: bytes,
      oddPath: Object.values(segments).some(({ odd }) => odd),
      known,
    }));
}

const bodies = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 3, arbitrary: values.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 5, arbitrary: changed(values).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: garbage(values) },
  );
