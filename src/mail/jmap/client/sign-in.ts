import type { Clock } from '../../../foundation/clock.js';
import type { Credential } from './credential-file.js';
import { exchange } from './exchange.js';
import { denialOf, jsonOf, saidIn } from './problem.js';
import { deniedWords } from './refusal.js';
import { statusWords } from './refusal-words.js';
import { serverAddress, shownAddress } from './server-address.js';
import { denied, ServerFault } from './server-fault.js';
import { readSession, type SessionDocument } from './session-document.js';

/** A server that knows the agent. */
export interface SignedIn {
  credential: Credential;
  document: SessionDocument;
  /** Where the document was found: its addresses are read against this one. */
  base: URL;
}

const mostRedirects = 5;
/** Where a server says where its session is (RFC 8620, section 2.2). */
const discovery = '/.well-known/jmap';

/** @param limit milliseconds, for all of it. @throws {ServerFault} @throws {MailFault} for an address that is not asked. */
export async function signIn(
  jmapUrl: string,
  credential: Credential,
  clock: Clock,
  limit: number,
): Promise<SignedIn> {
  let url = serverAddress(jmapUrl, credential.allowPlainHttp);
  /** Servers are known that take calls at an address and have the session at another. */
  let missing: ServerFault | null = null;
  const until = clock.monotonic() + limit;
  const headers = { authorization: credential.authorization, accept: 'application/json' };
  for (let redirects = 0; ; redirects += 1) {
    const left = Math.max(until - clock.monotonic(), 1);
    const answer = await exchange({ method: 'GET', url, headers, changes: false, limit: left }, clock);
    const shown = shownAddress(url);
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    if (location === null) {
      const denial = denialOf(answer);
      if (denial !== null)
        throw denied(denial, deniedWords(shown, denial, answer.status, saidIn(answer, credential.secrets)));
      if (answer.status !== 200) {
        const said = saidIn(answer, credential.secrets);
        const words = `${shown} answered with ${statusWords(answer.status)}, not a JMAP session${said}`;
        const fault: ServerFault = missing ?? new ServerFault('server_refused', words);
        if (missing !== null || url.pathname === discovery || ![404, 405].includes(answer.status))
          throw fault;
        missing = fault;
        url = new URL(discovery, url);
        continue;
      }
      return { credential, document: readSession(jsonOf(answer.bytes), shown), base: url };
    }
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    // The credential would follow.
    if (next?.origin !== url.origin)
      throw new ServerFault(
        'server_refused',
        `${shown} sends callers to another server; name that one as jmap_url`,
      );
    if (redirects === mostRedirects)
      throw new ServerFault('server_refused', `${shown} sends callers in a circle`);
    url = next;
  }
}
