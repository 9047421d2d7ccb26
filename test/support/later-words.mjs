// A surface of a later version, as its callers see it: a proxy that puts words which this version does not know into the answers.
import { createServer, request } from 'node:http';

/** Fields whose words may grow. */
const fields = new Set([
  ...['origin', 'request_kind', 'backend', 'execution_mode', 'request_admission', 'active_execution'],
  ...['managed_agent_connectivity', 'managed_agent_recovery', 'terminal_surface_eligibility', 'availability'],
  ...['delivery_kind', 'selection_state', 'delivery_state', 'disposition', 'code'],
]);
const codeHeader = 'x-houmao-error-code';

/**
 * @param {string} url of the surface
 * @returns {Promise<{ url: string, count: () => number, close: () => Promise<void> }>} `count`: of the words that it has put in
 */
export async function withLaterWords(url) {
  let count = 0;
  const later = (word) => {
    count += 1;
    return `${word}_of_later`;
  };
  const altered = (body) =>
    JSON.stringify(JSON.parse(body), (name, value) =>
      fields.has(name) && typeof value === 'string' ? later(value) : value,
    );
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, host: new URL(url).host, 'accept-encoding': 'identity' };
    const passed = request(new URL(asked.url, url), { method: asked.method, headers }, (given) => {
      const own = { ...given.headers };
      if (own[codeHeader] !== undefined) own[codeHeader] = later(own[codeHeader]);
      if (!own['content-type']?.startsWith('application/json')) {
        answer.writeHead(given.statusCode, own);
        given.pipe(answer);
        return;
      }
      let body = '';
      given.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      given.on('end', () => {
        delete own['content-length'];
        answer.writeHead(given.statusCode, own);
        answer.end(altered(body));
      });
    });
    asked.pipe(passed);
    answer.on('close', () => passed.destroy());
    passed.on('error', () => answer.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, count: () => count, close };
}
