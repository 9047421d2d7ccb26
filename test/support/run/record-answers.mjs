// Writes down what the surfaces of this process answer (answered-statuses.ts compares it with their documents). Node itself tells of
// every answer (`diagnostics_channel`), so this stands outside the servers: it is the same for a program of ours, which is
// started with `--import <this file>?folder=<folder>`, and for a surface that a test opens in its own process.
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder gets one file of this process, a line for each answer
 * @returns {() => void} ends it
 */
export function recordAnswers(folder) {
  const ofProcess = randomUUID();
  const names = new WeakMap();
  let servers = 0;
  /** A process may have several surfaces. All that a server answered shows later which one it is. */
  const nameOf = (server) => {
    if (!names.has(server)) names.set(server, `${ofProcess}-${servers++}`);
    return names.get(server);
  };
  const write = (server, answer) => {
    try {
      const line = JSON.stringify({ server: nameOf(server), ...answer });
      appendFileSync(join(folder, `${ofProcess}.jsonl`), `${line}\n`);
    } catch {
      // A program that runs as another user may not write there; nothing that a test looks at may come of it.
    }
  };
  const answered = ({ request, response, server }) => {
    // A stand-in for another program answers without an id.
    if (response.requestId === undefined) return;
    const { method, originalUrl, url } = request;
    write(server, { method, path: (originalUrl || url).split('?')[0], status: response.statusCode });
  };
  // A request that Node does not take is refused on its bare socket, and no channel tells of that.
  const connected = ({ socket }) => {
    const { end } = socket;
    socket.end = (...given) => {
      const status = refusal.exec(String(given[0] ?? ''))?.[1];
      if (status !== undefined) write(socket.server, { method: null, path: null, status: Number(status) });
      return end.apply(socket, given);
    };
  };
  subscribe('http.server.response.finish', answered);
  subscribe('net.server.socket', connected);
  return () => {
    unsubscribe('http.server.response.finish', answered);
    unsubscribe('net.server.socket', connected);
  };
}

const refusal = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\nX-Request-Id: http-/;

const folder = new URL(import.meta.url).searchParams.get('folder');
if (folder !== null) recordAnswers(folder);
