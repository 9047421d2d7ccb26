import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { makeSession } from '../../test/torture/session.mjs';
import { cpuOf, sleep, startGateway } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const turns = 20;
const readers = 100;
const watchedMilliseconds = 15_000;
/** From the tool's row on disk to its part at a reader, and of a core for all readers of one turn. */
const limits = { partMilliseconds: 100, readersPercent: 5 };

/** A turn that is followed while it runs: how late its parts are, and what many readers cost. */
export async function streams({ say }) {
  const session = await makeSession('bench');
  const gateway = await startGateway(session);
  try {
    say(`${turns} turns, each with a reader`);
    const first = [];
    const parts = [];
    for (let number = 0; number < turns; number += 1) {
      const turnId = `turn-${number}`;
      await begin(gateway, turnId, '[[drip=20]] [[words=10]] hello');
      const onDisk = rowOnDisk(join(session.paths.root, 'manifest.turn-artifacts', turnId, 'stdout.jsonl'));
      const seen = await arrivals(gateway, turnId);
      parts.push(...seen.map(({ late }) => late));
      first.push(seen[0].at - (await onDisk));
    }
    say(`a turn that writes 20 pieces a second, without and with ${readers} readers`);
    await begin(gateway, 'turn-long', `[[drip=50]] [[words=${(watchedMilliseconds * 3) / 50}]] hello`);
    const share = async () => {
      const before = cpuOf(gateway.pid);
      await sleep(watchedMilliseconds);
      return ((cpuOf(gateway.pid) - before) / watchedMilliseconds) * 100;
    };
    const alone = await share();
    const open = Array.from({ length: readers }, () => reader(gateway, 'turn-long', () => undefined));
    await sleep(1000);
    const read = await share();
    for (const request of open) request.destroy();
    console.log(
      table(
        ['a turn that is followed', '', 'limit'],
        [
          ['first row of text on disk → its part at a reader, p50', milliseconds(median(first)), ''],
          ['the slowest of them', milliseconds(Math.max(...first)), `${limits.partMilliseconds} ms`],
          ['a row read → its part at a reader, p50', milliseconds(median(parts)), ''],
          ['the slowest of them', milliseconds(Math.max(...parts)), `${limits.partMilliseconds} ms`],
          ['CPU of the gateway while the turn writes 20 pieces a second', `${alone.toFixed(2)} %`, ''],
          [`the same for ${readers} readers`, `${(read - alone).toFixed(2)} %`, `${limits.readersPercent} %`],
        ],
      ),
    );
  } finally {
    await gateway.stop();
    session.remove();
  }
}

async function begin({ url }, turn_id, prompt) {
  const body = JSON.stringify({ kind: 'submit_prompt', payload: { prompt, turn_id } });
  const headers = { 'Content-Type': 'application/json' };
  const { request_id } = await (await fetch(`${url}/v1/requests`, { method: 'POST', headers, body })).json();
  await fetch(`${url}/v1/requests/${request_id}?wait_seconds=30&wait_until=started`);
}

/** When the first piece of text stood in the output of the agent. */
async function rowOnDisk(path) {
  for (;;) {
    try {
      if (readFileSync(path, 'utf8').includes('text_delta')) return Date.now();
    } catch {
      // The agent has not begun to write.
    }
    await sleep(1);
  }
}

/** The text of a turn: when each piece came, and how long after the gateway's runner had read it. */
function arrivals(gateway, turnId) {
  return new Promise((resolve, reject) => {
    const seen = [];
    const request = reader(gateway, turnId, (part) => {
      const at = Date.now();
      if (part.kind === 'text') seen.push({ at, late: at - Date.parse(part.at_utc) });
      if (part.kind !== 'ended') return;
      request.destroy();
      resolve(seen);
    });
    request.once('error', reject);
  });
}

function reader({ url }, turnId, take) {
  const headers = { Accept: 'text/event-stream' };
  const request = get(`${url}/v1/turns/${turnId}/stream`, { headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (more) => {
      text += more;
      const events = text.split('\n\n');
      text = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data) take(JSON.parse(data));
      }
    });
    response.on('error', () => undefined);
  });
  request.on('error', () => undefined);
  return request;
}
