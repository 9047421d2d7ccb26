import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { fixedStamps } from '../../dist/src/mail/facade/mail-facade.js';
import { FilesystemTransport } from '../../dist/src/mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../../dist/src/mail/filesystem/open-mail-root.js';
import { newMessageId } from '../../dist/src/mail/message/message-id.js';
import { makeSession } from '../../test/torture/session.mjs';
import { call } from './call.mjs';
import { cpuOf, residentMegabytes, sleep, startGateway } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const arrivals = 100;
const lists = 50;
const notifiers = 10;
const idleMilliseconds = 20_000;
/** Milliseconds from delivery to the claimed turn, for a list of 50 and its processor; percent of a core; megabytes. */
const limits = { wake: 250, list: 20, listProcessor: 3, idlePercent: 1, residentMegabytes: 20 };

/** Mail of agents that share a folder: how soon it wakes, and what a large inbox costs. */
export async function mail({ say, messages }) {
  const folder = mkdtempSync(join(tmpdir(), 'hbench-mail-'));
  const root = join(folder, 'mailbox');
  const agents = [];
  const agent = async (name) => {
    const session = await makeSession(name, () => ({
      root,
      address: `${name}@houmao.localhost`,
      principalId: `HOUMAO-${name}`,
    }));
    const gateway = await startGateway(session);
    agents.push({ session, gateway });
    return { ...gateway, address: `${name}@houmao.localhost` };
  };
  try {
    const rows = [];
    const sender = await agent('sender');
    const reader = await agent('reader');
    say(`${arrivals} messages that wake an idle agent`);
    await call(reader, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    const waits = [];
    for (let number = 0; number < arrivals; number += 1) waits.push(await wakes(sender, reader, number));
    waits.sort((a, b) => a - b);
    const p99 = waits[Math.ceil(waits.length * 0.99) - 1];
    rows.push(['delivered → turn claimed, p50', milliseconds(median(waits)), '']);
    rows.push(['the same, p99', milliseconds(p99), milliseconds(limits.wake)]);
    await call(reader, 'DELETE', '/v1/mail-notifier');

    const few = await delivery(sender, reader);
    say(`an inbox of ${messages}`);
    await fill(root, reader.address, messages);
    const many = await delivery(sender, reader);
    rows.push(['a delivery into an inbox of a few', milliseconds(few), '']);
    rows.push([`a delivery into an inbox of ${messages}`, milliseconds(many), '']);
    // Both begin empty, so that neither has a past.
    const alone = await agent('alone');
    for (let number = 0; number < 50; number += 1)
      await call(sender, 'POST', '/v1/mail/send', letter(alone.address, `to have ${number}`));
    const small = await listing(alone);
    const { session, gateway } = agents.find((each) => each.gateway.pid === reader.pid);
    await gateway.stop();
    agents.find((each) => each.session === session).gateway = await startGateway(session);
    const large = await listing(agents.find((each) => each.session === session).gateway);
    rows.push([`a list of 50 out of ${messages}, p50`, milliseconds(large.p50), milliseconds(limits.list)]);
    rows.push(['its processor', milliseconds(large.processor), milliseconds(limits.listProcessor)]);
    const more = large.resident - small.resident;
    rows.push([
      'memory above that of an inbox of 50',
      `${more.toFixed(0)} MB`,
      `${limits.residentMegabytes} MB`,
    ]);

    say(`${notifiers} idle notifiers for ${idleMilliseconds / 1000} s`);
    const idle = [];
    for (let number = 0; number < notifiers; number += 1) idle.push(await agent(`idle${number}`));
    const costs = async () => {
      await sleep(8000);
      const since = idle.map(({ pid }) => cpuOf(pid));
      await sleep(idleMilliseconds);
      return idle.reduce((sum, { pid }, at) => sum + cpuOf(pid) - since[at], 0) / idleMilliseconds;
    };
    const without = await costs();
    for (const one of idle) await call(one, 'PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    const added = (await costs()) - without;
    rows.push([
      `${notifiers} enabled notifiers, of a core together`,
      `${(added * 100).toFixed(2)} %`,
      `${limits.idlePercent} %`,
    ]);
    console.log(table(['mail', '', 'limit'], rows));
  } finally {
    for (const { gateway, session } of agents) {
      await gateway.stop();
      session.remove();
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const letter = (to, subject) => ({ to: [to], subject, body_content: `The body of ${subject}.` });

/** Sends a message to an idle agent, waits for its turn and puts the message away. @returns milliseconds. */
async function wakes(sender, reader, number) {
  await isOnceIdle(reader);
  const { message } = await call(
    sender,
    'POST',
    '/v1/mail/send',
    letter(reader.address, `message ${number}`),
  );
  const delivered = performance.now();
  for (;;) {
    const status = await call(reader, 'GET', '/v1/status');
    if (status.active_execution === 'running') break;
  }
  const waited = performance.now() - delivered;
  await call(reader, 'POST', '/v1/mail/archive', { message_refs: [message.message_ref] });
  return waited;
}

async function isOnceIdle(reader) {
  for (;;) {
    const status = await call(reader, 'GET', '/v1/status');
    if (status.active_execution === 'idle' && status.queue_depth === 0) return;
    await sleep(10);
  }
}

/** Milliseconds of a list of 50, what its processor has of it, and the memory after a hundred of them. */
async function listing(agent) {
  const list = { box: 'inbox', limit: 50 };
  for (let number = 0; number < lists; number += 1) await call(agent, 'POST', '/v1/mail/list', list);
  const times = [];
  const before = cpuOf(agent.pid);
  for (let number = 0; number < lists; number += 1) {
    const begun = performance.now();
    await call(agent, 'POST', '/v1/mail/list', list);
    times.push(performance.now() - begun);
  }
  const processor = (cpuOf(agent.pid) - before) / lists;
  return { p50: median(times), processor, resident: residentMegabytes(agent.pid) };
}

async function delivery(sender, reader) {
  const times = [];
  for (let number = 0; number < 50; number += 1) {
    const begun = performance.now();
    await call(sender, 'POST', '/v1/mail/send', letter(reader.address, `timed ${number}`));
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Delivers without a gateway between. */
async function fill(root, address, count) {
  const owner = { address: 'sender@houmao.localhost', principalId: 'HOUMAO-sender' };
  const transport = new FilesystemTransport(openMailRoot(root, systemClock), owner);
  const none = { attachments: [], notifyBlock: null, notifyAuth: null, cc: [] };
  for (let number = 0; number < count; number += 1) {
    const now = systemClock.now();
    const stamp = { messageId: newMessageId(now), at: now.getTime(), again: false };
    const body = `Message ${number}. ${'All work is done as it was asked for. '.repeat(8)}`;
    await transport.send({ ...none, to: [address], subject: `number ${number}`, body }, fixedStamps(stamp));
  }
  transport.close();
}
