import { makeSession } from '../../test/torture/session.mjs';
import { importTypeScript } from '../tools/import-typescript.mjs';
import { call } from './call.mjs';
import { cpuOf, sleep, startGateway } from './processes.mjs';
import { pushFront } from './push-front.mjs';
import { median, milliseconds, table } from './report.mjs';

const arrivals = 100;
const lists = 100;
const limits = { list: 50, polling: 2000, push: 300 };
const address = 'reader@example.test';
const password = 'reader-pw';
const sender = 'ann@world.test';

/** Mail of an agent whose mailbox is on a mail server: how soon it wakes, and what a large inbox costs. */
export async function mailServer({ say, messages }) {
  const { startCyrus, hasCyrus, cyrusNeed } = await importTypeScript('test/support/jmap/cyrus-server.ts');
  if (!hasCyrus) return say(`mail servers are left out: they need ${cyrusNeed}`);
  const { bindMailbox } = await importTypeScript('test/contract/support/edit-manifest.ts');
  const server = await startCyrus({ [address]: password });
  const front = await pushFront(server.jmapUrl);
  const agents = [];
  const agent = async (name, jmapUrl) => {
    const session = await makeSession(name);
    bindMailbox(session.paths, { address, jmapUrl, credential: { password } });
    const gateway = await startGateway(session);
    agents.push({ session, gateway });
    return gateway;
  };
  try {
    const rows = [];
    for (const [way, jmapUrl, limit] of [
      ['asking each second', server.jmapUrl, limits.polling],
      ['reported by a push', front.jmapUrl, limits.push],
    ]) {
      say(`${arrivals} messages that wake an idle agent, ${way}`);
      const reader = await agent('reader', jmapUrl);
      await call(reader, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
      if (jmapUrl === front.jmapUrl) await front.open();
      const waits = [];
      for (let number = 0; number < arrivals; number += 1)
        waits.push(await wakes(server, front, reader, number));
      const [p50, p99] = percentiles(waits);
      rows.push([`arrived → turn claimed, ${way}, p50`, milliseconds(p50), '']);
      rows.push(['the same, p99', milliseconds(p99), milliseconds(limit)]);
      await call(reader, 'DELETE', '/v1/mail-notifier');
    }
    const reader = agents[0].gateway;
    await fill(server, 50);
    const few = await listing(reader);
    rows.push(['a list of 50 out of 50, p50', milliseconds(few.p50), '']);
    say(`an inbox of ${messages}`);
    await fill(server, messages - 50);
    const many = await listing(reader);
    rows.push([`a list of 50 out of ${messages}, p50`, milliseconds(many.p50), milliseconds(limits.list)]);
    rows.push(['the same, p99', milliseconds(many.p99), '']);
    rows.push(["its processor, the gateway's", milliseconds(many.processor), '']);
    console.log(table(['mail on a mail server (Cyrus IMAP)', '', 'limit'], rows));
  } finally {
    for (const { gateway, session } of agents) {
      await gateway.stop();
      session.remove();
    }
    await front.close();
    await server.stop();
  }
}

function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return [median(sorted), sorted[Math.ceil(sorted.length * 0.99) - 1]];
}

/** Lets a message come at no moment in particular, waits for the turn, and puts it away. @returns milliseconds. */
async function wakes(server, front, reader, number) {
  for (;;) {
    const status = await call(reader, 'GET', '/v1/status');
    if (status.active_execution === 'idle' && status.queue_depth === 0) break;
    await sleep(10);
  }
  await sleep(Math.random() * 1000);
  const raw = `From: ${sender}\nTo: ${address}\nSubject: message ${number}\n\nThe body.\n`;
  const reply = (await server.deliver(sender, [address], raw))[address];
  if (!reply.startsWith('2')) throw new Error(reply);
  const arrived = performance.now();
  front.tell();
  while ((await call(reader, 'GET', '/v1/status')).active_execution !== 'running');
  const waited = performance.now() - arrived;
  const { messages } = await call(reader, 'POST', '/v1/mail/list', { box: 'inbox' });
  await call(reader, 'POST', '/v1/mail/archive', {
    message_refs: messages.map(({ message_ref: ref }) => ref),
  });
  // The change by the archive is reported, too.
  front.tell();
  return waited;
}

async function listing(reader) {
  const list = { box: 'inbox', limit: 50 };
  const once = async () => {
    const begun = performance.now();
    const { messages } = await call(reader, 'POST', '/v1/mail/list', list);
    if (messages.length !== 50) throw new Error(`a list of ${messages.length}`);
    return performance.now() - begun;
  };
  for (let number = 0; number < lists; number += 1) await once();
  const before = cpuOf(reader.pid);
  const times = [];
  for (let number = 0; number < lists; number += 1) times.push(await once());
  const [p50, p99] = percentiles(times);
  return { p50, p99, processor: (cpuOf(reader.pid) - before) / lists };
}

/** Makes messages in the inbox, many with each request. */
async function fill({ jmapUrl }, count) {
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`;
  const found = await fetch(jmapUrl, { headers: { authorization } });
  const { apiUrl, primaryAccounts } = await found.json();
  const accountId = primaryAccounts['urn:ietf:params:jmap:mail'];
  const ask = async (method, args) => {
    const using = ['core', 'mail'].map((name) => `urn:ietf:params:jmap:${name}`);
    const methodCalls = [[method, { accountId, ...args }, '0']];
    const answer = await fetch(new URL(apiUrl, found.url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ using, methodCalls }),
    });
    return (await answer.json()).methodResponses[0][1];
  };
  const { list } = await ask('Mailbox/get', { ids: null });
  const inbox = list.find(({ role }) => role === 'inbox').id;
  const text = 'All work is done as it was asked for. '.repeat(8);
  for (let at = 0; at < count; at += 250) {
    const create = {};
    for (let number = at; number < Math.min(at + 250, count); number += 1)
      create[`m${number}`] = {
        mailboxIds: { [inbox]: true },
        from: [{ email: sender }],
        to: [{ email: address }],
        subject: `number ${number} of ${count}`,
        textBody: [{ partId: 't', type: 'text/plain' }],
        bodyValues: { t: { value: `${number} ${text}` } },
      };
    const { notCreated } = await ask('Email/set', { create });
    if (notCreated) throw new Error(JSON.stringify(notCreated).slice(0, 300));
  }
}
