// A process that delivers into a mailbox root as the older implementation does, with nothing of our room for mail: its lock
// files, its order of writes, its YAML. `node peer-sender.mjs ROOT FROM TO COUNT PREFIX`, as mail-sender.mjs.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// Databases must not be garbage collected on newer Nodes, which this sees to.
import { openDatabase } from '../../../dist/src/foundation/open-database.js';

const [root, from, to, count, prefix] = process.argv.slice(2);
const addressOf = (name) => `${name}@houmao.localhost`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function take(lock) {
  for (const until = Date.now() + 5000; ; await sleep(50)) {
    try {
      const stamp = new Date().toISOString().replace('Z', '000+00:00');
      writeFileSync(lock, `pid=${process.pid} acquired_at_utc=${stamp}\n`, { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (Date.now() > until) throw new Error(`timed out on ${lock}`);
    }
  }
}

function open(path) {
  const database = openDatabase(path, { timeout: 5000 });
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA journal_mode = DELETE');
  return database;
}

const registrationOf = (database, address) =>
  database
    .prepare("SELECT * FROM mailbox_registrations WHERE address = ? AND status = 'active'")
    .get(address);

async function deliver(subject) {
  const now = new Date().toISOString();
  const createdAt = `${now.slice(0, 19)}Z`;
  const id = `msg-${now.slice(0, 19).replace(/[-:]/g, '')}Z-${randomUUID().replaceAll('-', '')}`;
  const recipients = to.split(',').map(addressOf);
  const person = (address, indent) =>
    `principal_id: HOUMAO-${address.split('@')[0]}\n${indent}address: ${address}\n${indent}display_name: null\n${indent}manifest_path_hint: null\n${indent}role: null\n`;
  const document = `---\nprotocol_version: 3\nmessage_id: ${id}\nthread_id: ${id}\nin_reply_to: null\nreferences: []\ncreated_at_utc: '${createdAt}'\nfrom:\n  ${person(addressOf(from), '  ')}to:\n${recipients
    .map((address) => `- ${person(address, '  ')}`)
    .join(
      '',
    )}cc: []\nreply_to: []\nsubject: ${subject}\nattachments: []\nheaders: {}\nnotify_block: null\nnotify_auth: null\n---\n\nHello.`;
  const staged = join(root, 'staging', `peer-${id}.md`);
  writeFileSync(staged, document);
  const locks = [...new Set([addressOf(from), ...recipients])]
    .sort()
    .map((address) => join(root, 'locks/addresses', `${address}.lock`));
  locks.push(join(root, 'locks/index.lock'));
  const held = [];
  try {
    for (const lock of locks) {
      await take(lock);
      held.unshift(lock);
    }
    const index = open(join(root, 'index.sqlite'));
    const path = join(root, 'messages', createdAt.slice(0, 10), `${id}.md`);
    if (existsSync(path)) throw new Error('exists');
    mkdirSync(join(root, 'messages', createdAt.slice(0, 10)), { recursive: true });
    renameSync(staged, path);
    const parties = [
      [registrationOf(index, addressOf(from)), 'sent'],
      ...recipients.map((address) => [registrationOf(index, address), 'inbox']),
    ];
    for (const [row, box] of parties) symlinkSync(path, join(row.mailbox_path, box, `${id}.md`));
    index
      .transaction(() => {
        index
          .prepare('INSERT INTO messages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)')
          .run(
            id,
            id,
            null,
            createdAt,
            path,
            subject,
            document,
            '{}',
            `HOUMAO-${from}`,
            addressOf(from),
            null,
            null,
            null,
            parties[0][0].registration_id,
          );
        for (const [n, address] of recipients.entries())
          index
            .prepare('INSERT INTO message_recipients VALUES (?,?,?,?,?,?,?,?,?)')
            .run(
              id,
              'to',
              n,
              address,
              `HOUMAO-${address.split('@')[0]}`,
              null,
              null,
              null,
              parties[n + 1][0].registration_id,
            );
        for (const [row, box] of parties)
          index
            .prepare('INSERT INTO mailbox_projections VALUES (?,?,?,?)')
            .run(row.registration_id, id, box, join(row.mailbox_path, box, `${id}.md`));
        index
          .prepare('INSERT OR REPLACE INTO thread_summaries VALUES (?,?,?,?,0)')
          .run(id, subject, id, createdAt);
      })
      .immediate();
    index.close();
    for (const [row, box] of parties) {
      const local = open(join(row.mailbox_path, 'mailbox.sqlite'));
      const read = box === 'sent' ? 1 : 0;
      local
        .transaction(() => {
          local
            .prepare('INSERT OR REPLACE INTO message_state VALUES (?,?,?,?,?,0,0,0,0,?)')
            .run(id, id, createdAt, subject, read, box);
          local
            .prepare('INSERT OR REPLACE INTO thread_summaries VALUES (?,?,?,?,?)')
            .run(id, subject, id, createdAt, 1 - read);
        })
        .immediate();
      local.close();
    }
  } finally {
    for (const lock of held) unlinkSync(lock);
  }
}

process.once('message', async () => {
  for (let n = 0; n < Number(count); n += 1) {
    await deliver(`${prefix}${n}`);
    process.send({ delivered: `${prefix}${n}` });
  }
  process.disconnect();
});
process.send('ready');
