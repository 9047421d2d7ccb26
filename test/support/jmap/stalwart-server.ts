import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Asked, json } from './scripted-server.js';
import { StalwartPrincipals } from './stalwart-principals.js';
import { type RecordedPair, recordedPair } from './stalwart-records.js';
import { StalwartRegistry } from './stalwart-registry.js';

/** The token by which an imitated server knows those who may make accounts. */
export const managementToken = 'api_management-token-of-tests';

const recorded = {
  session: recordedPair('session', 'an administrator').answer,
  ban: recordedPair('limits', 'the 101st wrong password').answer,
  banned: recordedPair('limits', 'from then on everybody').answer,
};
/** Wrong passwords of an address within a day; who shows another one is banned with everybody there. */
const mostWrong = 100;

/**
 * A server over real HTTP that manages accounts, and bans who shows wrong passwords, as the records of Stalwart's requests and
 * answers have it, and takes no other request. It is no Stalwart: what it proves is what is asked, not that Stalwart does it.
 */
export interface ImitatedStalwart {
  url: string;
  /** The management requests to it, in order, as `GET /api/principal?types=domain` or `x:Domain/set`. */
  asked: string[];
  /** Requests that were none of its own. */
  wrong: string[];
  principals: StalwartPrincipals;
  registry: StalwartRegistry;
  /** The latest password of each address. */
  passwords: Map<string, string>;
  /** How often a credential was shown that is none. */
  wrongPasswords: number;
  /** Answers in its place where it returns true. */
  before: (call: string, answer: ServerResponse, asked: Asked) => boolean | Promise<boolean>;
  stop(): Promise<void>;
}

interface Version {
  version: '0.15' | '0.16';
  /** A mail server that stands behind it: all but the management is its. */
  mail?: { jmapUrl: string; addUser(address: string, password: string): Promise<void> };
}

export async function imitatedStalwart({ version, mail }: Version): Promise<ImitatedStalwart> {
  const passwords = new Map<string, string>();
  const setPassword = async (address: string, password: string, login = address): Promise<void> => {
    passwords.set(address, password);
    await mail?.addUser(login, password);
  };
  const server = createServer((asked, answer) => {
    respond(asked, answer).catch((error: Error) => {
      it.wrong.push(error.message);
      json(answer, 400, { type: 'about:blank', status: 400 });
    });
  });
  const it: ImitatedStalwart = {
    url: '',
    asked: [],
    wrong: [],
    passwords,
    before: () => false,
    stop: () => stop(server),
    wrongPasswords: 0,
    principals: new StalwartPrincipals(setPassword),
    registry: new StalwartRegistry(setPassword),
  };
  async function respond(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part);
    const { method = '', url: path = '', headers } = message;
    const { authorization, connection } = headers;
    const asked = { method, path, authorization, connection, body: Buffer.concat(parts).toString() };
    const isManager = authorization === `Bearer ${managementToken}`;
    if (it.wrongPasswords > mostWrong) return tell(answer, recorded.banned);
    const refused = (): void => {
      it.wrongPasswords += 1;
      if (it.wrongPasswords > mostWrong) tell(answer, recorded.ban);
      else json(answer, 401, { type: 'about:blank', status: 401 });
    };
    const call = callOf(asked, version, isManager);
    if (call !== null) it.asked.push(call);
    if (call !== null && (await it.before(call, answer, asked))) return;
    if (call === 'session') return tell(answer, recorded.session);
    if (call !== null && !isManager) return refused();
    if (call !== null)
      return json(answer, 200, await (version === '0.15' ? it.principals : it.registry).answer(asked));
    if (path === '/.well-known/jmap') return void answer.writeHead(307, { location: '/jmap/session' }).end();
    if (path === '/jmap' || path.startsWith('/api'))
      return json(answer, 404, { type: 'about:blank', status: 404 });
    if (mail === undefined) return refused();
    pass(mail.jmapUrl, message, Buffer.concat(parts), answer, refused);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  it.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return it;
}

/** The words for a request of management; null for any other. */
function callOf(
  { method, path, body }: Asked,
  version: Version['version'],
  isManager: boolean,
): string | null {
  if (version === '0.15') return path.startsWith('/api/principal') ? `${method} ${path}` : null;
  if (!isManager) return null;
  if (path === '/jmap/session') return 'session';
  if (path !== '/jmap/') return null;
  return (JSON.parse(body) as { methodCalls: [string][] }).methodCalls.map(([name]) => name).join(' ');
}

/** The session of the mail server behind is where Stalwart has its own. */
function pass(
  to: string,
  message: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
  refused: () => void,
): void {
  const { method, headers, url = '' } = message;
  const target = new URL(url.replace('/jmap/session', '/jmap/'), to);
  const passed = request(target, { method, headers: { ...headers, connection: 'close' } });
  passed.on('response', (from) => {
    if (from.statusCode === 401) {
      from.resume();
      return refused();
    }
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  passed.end(body);
}

const tell = (answer: ServerResponse, { status, headers, body }: RecordedPair['answer']): void =>
  json(answer, status, body, headers);

const stop = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};
