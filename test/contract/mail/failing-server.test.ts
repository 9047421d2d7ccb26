// A mail server that fails, as none does on demand: each time the answer is a 502 with a reason, and nothing secret is in it.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressAt, credentialOf } from '../../support/jmap/accounts.js';
import { aliceRefs, mailMethods, no, statusOf } from '../../support/jmap/scripted-mail.js';
import {
  json,
  MethodError,
  type ScriptedServer,
  scriptedServer,
  sessionValue,
} from '../../support/jmap/scripted-server.js';
import { makeSession } from '../../support/test-session.js';
import { bindMailbox } from '../support/edit-manifest.js';
import { agentOf, type MailAgent } from './two-agents.js';

const address = addressAt('alice');
const password = 'sesame "Pässwort"';
const { secrets } = credentialOf(address, password);
const mail = { to: [addressAt('bob')], subject: 'fails', body_content: 'text' };

let alice: MailAgent & { end(): Promise<void> };
let file = '';
beforeAll(async () => {
  const session = await makeSession({ name: 'alice' });
  file = join(session.folder, 'file.txt');
  writeFileSync(file, 'x'.repeat(5000));
  alice = await agentOf(session, address);
});
afterAll(() => alice.end());

/** A server of one test, which works; it is Alice's from now on. */
async function herServer(): Promise<ScriptedServer> {
  const server = await scriptedServer();
  server.api = mailMethods(statusOf(null));
  const credential = { password };
  bindMailbox(alice.session.paths, { address, jmapUrl: `${server.url}/jmap`, credential });
  return server;
}

/** All that was written of it, but for the credential itself. */
function written(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== alice.session.paths.mailSecrets)
    .map((path) => (statSync(path).isDirectory() ? written(path) : readSafely(path)))
    .join('\n');
}
const readSafely = (path: string): string => (statSync(path).isFile() ? readFileSync(path, 'latin1') : '');

const submissions = ({ asked }: ScriptedServer): number =>
  asked.filter(({ body }) => body.includes('EmailSubmission/set')).length;

/** Answers with what an error page of a careless server has. */
const telling =
  (status: number, headers: object = {}) =>
  (asked: { authorization: string | undefined }, answer: ServerResponse) =>
    json(answer, status, { type: 'about:blank', detail: `no: ${password} ${asked.authorization}` }, headers);
const half = (_asked: unknown, answer: ServerResponse): void => {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  answer.write('{"methodResponses":', () => answer.destroy());
};
const halfOfPieces = (_asked: unknown, answer: ServerResponse): void => {
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.write('{"capabilities":', () => answer.destroy());
};
const limits =
  (more: object): ScriptedServer['session'] =>
  (_asked, answer) =>
    json(answer, 200, { ...sessionValue, capabilities: { 'urn:ietf:params:jmap:core': more } });
const tooMany = { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentRequests' };
/** Answers requests that hold some text with something else. */
const on =
  (text: string, otherwise: ScriptedServer['api']) =>
  (server: ScriptedServer): void => {
    const { api } = server;
    server.api = (asked, answer) => (asked.body.includes(text) ? otherwise : api)(asked, answer);
  };
const methods = (results: Parameters<typeof mailMethods>[0]) => (server: ScriptedServer) => {
  server.api = mailMethods({ ...statusOf(null), ...results });
};
const notMade = (error: object) => methods({ 'Email/set': () => ({ notCreated: { mail: error } }) });
const notSubmitted = (error: object) =>
  methods({ 'EmailSubmission/set': () => ({ notCreated: { post: error } }) });

type Arrange = (server: ScriptedServer) => void;
const at =
  (part: 'session' | 'api' | 'upload', answer: ScriptedServer['api']): Arrange =>
  (server) => {
    server[part] = answer;
  };

test.each<[string, Arrange, RegExp]>([
  [
    'no session for it',
    at('session', telling(401)),
    /\/jmap does not accept the credential \(401: no: \*\*\* Basic/,
  ],
  [
    'a session that fails',
    at('session', telling(500)),
    /\/jmap answered with 500, not a JMAP session: no: \*\*\* Basic \*\*\*$/,
  ],
  [
    'a session too often',
    at('session', telling(429)),
    /429 \(too many requests in a short time\), not a JMAP/,
  ],
  ['half a session', at('session', half), /\/jmap closed the connection \(UND_ERR_/],
  [
    'a session in pieces, of which some miss',
    at('session', halfOfPieces),
    // Where each answer has its own connection, its end is that of the answer for Node 20; not for Node 24.
    /\/jmap (?:did not answer with a JMAP session|cannot be reached \(Response does not match .* EOF state\)\))$/,
  ],
  ['half an answer', at('api', half), /\/api closed the connection \(UND_ERR_/],
  ['401 after a session', at('api', telling(401)), /\/api does not accept the credential \(401: no: /],
  ['429 each time', at('api', telling(429)), /answered with 429 \(too many requests in a short time\): /],
  ['429 for long', at('api', telling(429, { 'retry-after': '3600' })), /answered with 429 \(too many/],
  [
    'a problem of limits',
    at('api', (_asked, answer) => json(answer, 400, tooMany)),
    /answered with 400: urn:ietf:params:jmap:error:limit, maxConcurrentRequests$/,
  ],
  ['a server without time', at('api', telling(503)), /answered with 503 \(it is busy\): /],
  ['one that fails', at('api', telling(500)), /\/api answered with 500: no: \*\*\* Basic \*\*\*$/],
])('%s: a list is refused, with the reason', async (_what, arrange, reason) => {
  arrange(await herServer());
  const answer = await alice.mail('list', {});
  expect([answer.status, answer.body.detail]).toEqual([502, expect.stringMatching(reason)]);
  expectNoSecret(answer);
});

test.each<[string, Arrange, RegExp, object]>([
  ['a full mailbox', notMade({ type: 'overQuota' }), /refused to take the message: overQuota \(/, {}],
  [
    'one too large',
    notMade({ type: 'tooLarge', maxSize: 5 }),
    /to take the message: tooLarge \(it is too large\)$/,
    {},
  ],
  [
    'a request too large',
    methods({ 'Email/set': () => new MethodError({ type: 'requestTooLarge' }) }),
    /refused Email\/set: requestTooLarge \(it is too large\)$/,
    {},
  ],
  [
    'too many in a short time',
    notSubmitted({ type: 'rateLimit', description: `not so fast, ${password}` }),
    /to send the message: rateLimit \(there were too many in a short time; not so fast, \*\*\*\)$/,
    {},
  ],
  ['another’s full mailbox', notSubmitted({ type: 'overQuota' }), /to send the message: overQuota \(/, {}],
  [
    'everybody refused',
    methods(statusOf({ [addressAt('bob')]: { ...no, smtpReply: '452 4.2.2 mailbox full' } })),
    / for bob@example\.test \(452 4\.2\.2 mailbox full\) now: nothing was sent/,
    {},
  ],
  [
    'a text too long for it',
    (server) => {
      server.session = limits({ maxSizeRequest: 4000 });
    },
    /takes requests of 4000 bytes at most, and this one has \d+: its text is too long$/,
    { body_content: 'x'.repeat(4000) },
  ],
  [
    'a file too large for it',
    (server) => {
      server.session = limits({ maxSizeUpload: 4000 });
    },
    /^attachments\[0\]\.path: has 5000 bytes; the mail server takes 4000 at most$/,
    { attachments: [] },
  ],
  [
    'a file that it finds too large',
    at('upload', telling(413)),
    /\/upload\/a answered with 413 \(it is too large\): /,
    { attachments: [] },
  ],
  ['a file cut off', at('upload', half), /\/upload\/a closed the connection \(UND_ERR_/, { attachments: [] }],
  [
    '401 at a file',
    at('upload', telling(401)),
    /\/upload\/a does not accept the credential/,
    { attachments: [] },
  ],
  [
    '401 at the submission',
    on('EmailSubmission/set', telling(401)),
    /\/api does not accept the credential/,
    {},
  ],
])('%s: nothing was sent, says the answer', async (_what, arrange, reason, more) => {
  const server = await herServer();
  arrange(server);
  const body = { ...mail, ...more, ...('attachments' in more && { attachments: [{ path: file }] }) };
  const answer = await alice.mail('send', body);
  expect([answer.status, answer.body.detail]).toEqual([502, expect.stringMatching(reason)]);
  expect(answer.headers.get('x-houmao-done')).toBeNull();
  // A message that is more than the plain one is found to be too much, or lost, before it is submitted.
  expect(submissions(server)).toBe(Object.keys(more).length === 0 ? 1 : 0);
  expectNoSecret(answer);
});

test.each<[string, ScriptedServer['api']]>([
  ['half an answer', half],
  ['half of one in pieces', halfOfPieces],
  ['none', (_asked, answer) => answer.destroy()],
  ['one of a fault', telling(500)],
  ['one of a server without time', telling(503)],
  ['another page', (_asked, answer) => answer.writeHead(200).end('<html>')],
])('%s to a submission: nobody knows, it is looked for, and not sent again', async (_what, otherwise) => {
  const server = await herServer();
  on('EmailSubmission/set', otherwise)(server);
  const answer = await alice.mail('send', mail);
  expect([answer.status, answer.body.detail]).toEqual([
    502,
    expect.stringMatching(/: http:\/\/127\.0\.0\.1:\d+\/api /),
  ]);
  expect(answer.headers.get('x-houmao-done')).toBe('unknown');
  const bodies = server.asked.map(({ body }) => body);
  const sent = bodies.findIndex((body) => body.includes('EmailSubmission/set'));
  expect([submissions(server), bodies.slice(sent + 1).some((body) => body.includes('Email/query'))]).toEqual([
    ...[1, true],
  ]);
  expectNoSecret(answer);
});

test('401 after a submission: it was sent, says the answer', async () => {
  const server = await herServer();
  on('EmailSubmission/get', telling(401))(server);
  const answer = await alice.mail('send', mail);
  expect([answer.status, answer.headers.get('x-houmao-done')]).toEqual([502, 'true']);
  expect(answer.body.detail).toMatch(/^it was sent, .* credential \(401/);
  expect(answer.headers.get('x-houmao-message-ref')).toBe(aliceRefs(server).message('M9'));
  expect(submissions(server)).toBe(1);
  expectNoSecret(answer);
});

test('a silent server is given up, whatever is asked', async () => {
  const server = await herServer();
  server.session = () => undefined;
  const answers = await Promise.all([alice.mail('status'), alice.mail('list', {}), alice.mail('send', mail)]);
  for (const { status, body } of answers)
    expect([status, body.detail]).toEqual([502, expect.stringMatching(/\/jmap .* 10 s$/)]);
});

function expectNoSecret(answer: { body: unknown; headers: Headers }): void {
  const headers: string[] = [];
  answer.headers.forEach((value) => {
    headers.push(value);
  });
  const said = JSON.stringify([answer.body, headers]);
  const log = written(alice.session.paths.root);
  for (const secret of secrets) for (const text of [said, log]) expect(text).not.toContain(secret);
  expect(said).not.toContain('sesame');
  expect(log).not.toContain('sesame');
}
