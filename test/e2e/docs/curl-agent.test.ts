import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';
import { needsProgram } from '../../support/run/needs.js';

const served = serve();

/** Runs curl as an agent would, with nothing known but an address. */
async function curl(path: string, ...flags: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('curl', ['-s', ...flags, served.gateway.url + path]);
  return stdout;
}

/** An operation, as the index and the text of its tag name it. */
interface Found {
  readonly method: string;
  readonly path: string;
  /** The text of the operation. */
  readonly text: string;
}

/** Looks an operation up in the texts that the index leads to, by words of its summary. */
async function find(index: string, summary: RegExp): Promise<Found> {
  for (const section of index.split('\n## ').slice(1)) {
    const [where = '', ...lines] = section.split('\n');
    for (const line of lines) {
      const [, path = '', ways = ''] = /^- ([^:]+): (.*)$/.exec(line) ?? [];
      const way = ways.split('; ').find((one) => summary.test(one));
      if (way === undefined) continue;
      const [method = ''] = way.split(' ');
      const [, text = ''] = (await curl(`/openapi/${where}`)).split(`\n## ${method} ${path}\n`);
      return { method, path, text: text.split('\n## ')[0] ?? '' };
    }
  }
  throw new Error(`the index has nothing like ${summary}`);
}

/** Calls an operation with the values that its path has room for. */
async function call({ method, path }: Found, given: Readonly<Record<string, string>>, body?: object) {
  const filled = Object.entries(given).reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, value),
    path,
  );
  const json = body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)];
  return JSON.parse(await curl(filled, '-X', method, ...json));
}

/** The fields that a text names for the body of a call. */
const fieldsIn = (text: string): string[] =>
  [...text.matchAll(/^- `([\w.]+)` \(/gm)].map(([, name]) => name!);

test(
  'with curl and / alone an agent prompts, waits, reads and interrupts',
  needsProgram('curl'),
  async () => {
    const index = await curl('/');
    const submit = await find(index, /queue a prompt/i);
    expect(fieldsIn(submit.text)).toEqual(expect.arrayContaining(['kind', 'payload', 'payload.prompt']));
    const accepted = await call(submit, {}, { kind: 'submit_prompt', payload: { prompt: 'from curl' } });

    const read = await find(index, /read one request/i);
    expect(read.text).toContain('`wait_seconds` (query');
    const path = `${read.path}?wait_seconds=60`;
    const done = await call({ ...read, path }, { request_id: accepted.request_id });
    expect([done.state, done.turn.outcome]).toEqual(['completed', 'completed']);
    expect(done.turn.answer.text).toContain('from curl');

    const prompt = { kind: 'submit_prompt', payload: { prompt: '[[slow=3600000]] until stopped' } };
    const long = await call(submit, {}, prompt);
    const started = await call(
      { ...read, path: `${path}&wait_until=started` },
      { request_id: long.request_id },
    );
    expect(started.state).toBe('running');
    await call(submit, {}, { kind: 'interrupt', payload: {} });
    const turn = await find(index, /read one turn/i);
    const stopped = await call(
      { ...turn, path: `${turn.path}?wait_seconds=60` },
      { turn_id: started.turn.turn_id },
    );
    expect(stopped.outcome).toBe('interrupted');
  },
);

test('a path that there is not leads to the index', needsProgram('curl'), async () => {
  const head = await curl('/v1/nothing', '-i');
  const [, index = ''] = /^link: <([^>]+)>; rel="index"/im.exec(head) ?? [];
  expect(await curl(index)).toBe(await curl('/'));
});
