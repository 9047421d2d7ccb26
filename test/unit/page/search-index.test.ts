import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContractDocument } from '../../../src/contract/document/contract-document.js';
import { excerptOf, findablesOf, searchOver, wordsOf } from '../../../src/page/search-index.js';

function pageOf(surface: 'gateway' | 'managed-agent') {
  const path = new URL(`../../../generated/${surface}/openapi.json`, import.meta.url);
  const search = searchOver(findablesOf(JSON.parse(readFileSync(path, 'utf8')) as ContractDocument));
  /** @returns the findings as the page shows them. */
  return (phrase: string) =>
    search(phrase).map(({ badge, title, place, excerpt }) => ({
      thing: `${badge} ${title}`,
      place,
      excerpt: excerpt.map(({ text, marked }) => (marked ? `[${text}]` : text)).join(''),
    }));
}
const gateway = pageOf('gateway');
const server = pageOf('managed-agent');
const things = (findings: ReturnType<typeof gateway>): string[] => findings.map(({ thing }) => thing);

test.each([
  ['answer', ['GET /v1/requests/{request_id}', 'GET /v1/turns/{turn_id}']],
  ['stop', ['POST /v1/requests', 'DELETE /v1/requests/{request_id}']],
  ['busy', ['POST /v1/requests', 'POST /v1/control/prompt']],
  ['stream', ['GET /v1/turns/{turn_id}/stream', 'GET /v1/events']],
])('%s finds what is useful among the first', (phrase, useful) =>
  expect(things(gateway(phrase)).slice(0, 4)).toEqual(expect.arrayContaining(useful)),
);

test('on the page of a server, too: what people call comes before what programs of this project call', () => {
  const agent = '/houmao/agents/{agent_ref}';
  expect(things(server('stop')).slice(0, 2)).toContain(`POST ${agent}/stop`);
  expect(things(server('busy')).slice(0, 3)).toContain(`POST ${agent}/requests`);
  expect(things(server('stream')).slice(0, 2)).toContain(`GET ${agent}/turns/{turn_id}/stream`);
  expect(things(server('answer')).slice(0, 4)).toContain(`GET ${agent}/gateway/requests/{request_id}`);
  expect(things(server('headless-prompt'))).toContain(`POST ${agent}/gateway/internal/headless-prompt`);
});

test.each([
  ['summary', 'resume the queue', 'PUT /v1/control/queue', 'Pause or [resume] [the] [queue]'],
  ['name', 'GETREMINDER', 'GET /v1/reminders/{reminder_id}', '[getReminder] reminders'],
  ['parameter', 'wait_seconds', 'GET /v1/turns/{turn_id}', '[wait_seconds]: '],
  ['parameter', 'idempotency-key', 'POST /v1/mail/post', '[Idempotency]-[Key]: 1 to 255'],
  ['request field', 'escape_special_keys', 'POST /v1/control/send-keys', '[escape_special_keys]: '],
  ['answer field', 'queue_depth', 'GET /v1/status', '[queue_depth]: '],
  ['error code', 'unknown_request', 'ERROR unknown_request', 'no [request] of that name'],
  ['event kind', 'turn_ended', 'EVENT turn_ended', 'A [turn] is over.'],
  ['event kind', 'turn_ended', 'GET /v1/events', 'A [turn] is over.'],
  ['request field force', 'readiness tests', 'POST /v1/control/prompt', '[readiness] [tests]'],
  ['description', 'survives a crash', 'POST /v1/requests', '[survives] a [crash]'],
])('%s: %s', (place, phrase, thing, excerpt) => {
  const finding = gateway(phrase).find((one) => one.thing === thing);
  expect(finding).toMatchObject({ place, excerpt: expect.stringContaining(excerpt) });
});

test('the word of a code or of a kind comes first, then the operations that answer or return it', () => {
  expect(things(gateway('unknown_request'))).toEqual([
    'ERROR unknown_request',
    'DELETE /v1/requests/{request_id}',
    'GET /v1/requests/{request_id}',
  ]);
  expect(things(gateway('turn_ended'))[0]).toBe('EVENT turn_ended');
  // Every operation answers it: its row says so.
  expect(things(gateway('token_refused'))).toEqual(['ERROR token_refused']);
  expect(things(gateway('415'))).toEqual(['ERROR not_json']);
});

test('a slip of the fingers and a beginning of a word find it, and nonsense nothing', () => {
  expect(things(gateway('remidner'))).toContain('POST /v1/reminders');
  expect(things(gateway('remin'))).toContain('POST /v1/reminders');
  for (const word of ['qwyjibo', 'constructor']) expect(gateway(word)).toEqual([]);
  expect(gateway('  ')).toEqual([]);
});

test('a name is found by its parts and as a whole', () => {
  expect(wordsOf('streamTurn of turn_id, `X-Houmao-If-Turn`')).toEqual([
    'streamturn',
    'stream',
    'turn',
    'of',
    'turn_id',
    'turn',
    'id',
    'x',
    'houmao',
    'if',
    'turn',
  ]);
});

test('an excerpt is a part of the text as it stands, and marks every hit in it, if there is one', () => {
  const word = fc.stringMatching(/^[a-d]{1,3}$/);
  const text = fc.array(word, { maxLength: 80 }).map((words) => words.join(', '));
  fc.assert(
    fc.property(text, word, (given, wanted) => {
      const parts = excerptOf(given, (one) => one === wanted);
      const own = parts.filter(({ text: part }) => !part.includes('…'));
      expect(given).toContain(own.map(({ text: part }) => part).join(''));
      expect(parts.some(({ marked }) => marked)).toBe(given.split(', ').includes(wanted));
      for (const { text: part, marked } of own) expect(part === wanted).toBe(marked);
    }),
  );
});
