import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { bundleOf, type Operation, operationsIn } from '../support/bundle.js';
import { type RawAnswer, raw, request } from '../support/raw-http.js';

// The code before an operation is the same for all of them, so a few stand for the rest: what the walls refuse, and names that
// are nobody's or of several. test/schemathesis/ and test/hostile/ ask the others.

const operations = operationsIn(bundleOf('managed-agent'));
const named = (...ids: string[]) =>
  ids.map((id) => {
    const operation = operations.find(({ operationId }) => operationId === id);
    if (!operation) throw new Error(`there is no operation ${id}`);
    return [id, operation] as const;
  });
/** Of what the server does itself, of a gateway, of a mailbox, and of what gateways ask. */
const withBody = named('createTurn', 'submitGatewayRequest', 'sendAgentMail', 'runHeadlessPrompt');
const oneOfEach = [...named('listAgents', 'getTerminalState', 'registerLaunch'), ...withBody];
/** One of each file of src/server/handlers/ that looks for an agent, and those whose 409 is more than an ambiguous name. */
const ofAgent = named(
  ...['getAgent', 'getAgentState', 'stopAgent', 'createTurn', 'getTurn', 'getTurnStdout'],
  ...['interruptAgent', 'interruptHeadlessTurn', 'attachGateway', 'getGatewayQueue', 'submitGatewayRequest'],
  ...['sendGatewayKeys', 'updateGatewayReminder'],
  ...['sendAgentMail', 'resolveAgentMailbox', 'runHeadlessPrompt'],
);
const json = { 'Content-Type': 'application/json' };

let session: TestSession;
let server: ManagedServer;
beforeAll(async () => {
  session = await makeSession({ name: 'twin' });
  await makeSession({ folder: session.folder, name: 'other' });
  nameTwin(join(session.folder, 'registry', 'live_agents'));
  server = await openManagedServer(session.folder);
});
afterAll(async () => {
  await server.close();
  session.remove();
});

/** The second agent takes the name of the first one, as a peer that does not look would. */
function nameTwin(agents: string): void {
  for (const id of readdirSync(agents)) {
    const path = join(agents, id, 'record.json');
    const record = JSON.parse(readFileSync(path, 'utf8'));
    if (record.agent_name === 'HOUMAO-other')
      writeFileSync(path, JSON.stringify({ ...record, agent_name: 'HOUMAO-twin' }));
  }
}

const needsQuery = '?session_name=gpu&tool=claude';
function pathOf({ path, operationId }: Operation, agent: string): string {
  const examples: Record<string, string> = { agent_ref: agent, terminal_id: '1a2b3c4d' };
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => examples[name] ?? `${name}-1`);
  return operationId === 'registerLaunch' ? filled + needsQuery : filled;
}
function send(
  operation: Operation,
  { agent = 'twin', query = '', headers = {}, body = operation.body }: Sent = {},
): Promise<RawAnswer> {
  const path = pathOf(operation, agent);
  const line = `${operation.method} ${path}${query && (path.includes('?') ? `&${query}` : `?${query}`)}`;
  const port = Number(new URL(server.url).port);
  return body === null
    ? raw(port, request(line, headers))
    : raw(
        port,
        request(line, { ...json, ...headers }, typeof body === 'string' ? body : JSON.stringify(body)),
      );
}
interface Sent {
  agent?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

describe('an unknown query parameter is 422 for any agent', () => {
  test.each(oneOfEach)('%s', async (_id, operation) => {
    const { status, json: reported } = await send(operation, { agent: 'nobody', query: 'colour=blue' });
    expect(status).toBe(422);
    expect(reported.detail).toContainEqual(
      expect.objectContaining({ type: 'extra_forbidden', loc: ['query', 'colour'] }),
    );
  });
});

describe('a body that breaks the contract is 422 for any agent', () => {
  test.each(withBody)('%s', async (_id, operation) => {
    const { status, json: reported } = await send(operation, { agent: 'nobody', body: [] });
    expect([status, reported.detail[0].loc[0]]).toEqual([422, 'body']);
  });
});

describe('a body that is not JSON is 415, one that is too large 413', () => {
  test.each(named('createTurn', 'sendAgentMail'))('%s', async (_id, operation) => {
    const typed = await send(operation, { headers: { 'Content-Type': 'text/plain' } });
    expect(typed.status).toBe(415);
    // Mail may be larger than the rest.
    const mebibytes = operation.path.includes('/mail/') ? 16 : 1;
    const length = { 'Content-Length': String(mebibytes * 1024 * 1024 + 1) };
    expect((await send(operation, { headers: length, body: '{' })).status).toBe(413);
  });
});

describe('a name that nobody has is 404 and tells it', () => {
  test.each(ofAgent)('%s', async (_id, operation) => {
    const { status, json: reported } = await send(operation, { agent: 'nobody' });
    expect([status, reported]).toEqual([
      404,
      { detail: expect.stringMatching(/ `nobody`\. Agents: .*twin/) },
    ]);
    expect((await send(operation, { agent: '%20' })).status).toBe(404);
  });
});

describe('a name that several have is 409 and tells whose it is', () => {
  test.each(ofAgent)('%s', async (_id, operation) => {
    const { status, json: reported } = await send(operation, { agent: 'HOUMAO-twin' });
    expect(status).toBe(409);
    expect(reported.detail).toMatch(/^The name `HOUMAO-twin` is that of 2 agents: \S+, \S+\. /);
  });
});

describe('the walls stand before every operation', () => {
  test.each(named('listAgents', 'sendAgentMail'))('%s', async (_id, operation) => {
    const answers = await Promise.all([
      send(operation, { headers: { Host: 'evil.example' } }),
      send(operation, { headers: { Origin: 'https://evil.example' } }),
      send(operation, { headers: { Authorization: 'Bearer wrong' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([421, 403, 401]);
    expect(answers[2].headers.get('www-authenticate')).toBe('Bearer realm="houmao-server"');
    const large = await send(operation, { headers: { 'X-Padding': 'a'.repeat(17 * 1024) } });
    expect([large.status, large.json]).toEqual([431, { detail: STATUS_CODES[431] }]);
  });
});

test.each(['gateway', 'managed-agent'])(
  'the document of %s has what they refuse at every operation',
  (surface) => {
    const all = operationsIn(bundleOf(surface));
    expect(all.length).toBeGreaterThan(30);
    for (const { operationId, body, statuses } of all) {
      const ofBody = body === null ? [] : ['408', '413', '415'];
      const wanted = ['401', '403', ...ofBody, '421', '422', '431', '500'];
      expect([operationId, statuses]).toEqual([operationId, expect.arrayContaining(wanted)]);
    }
  },
);
