// Passes mail on between two agents whose mailboxes do not reach each other, one in a folder and one on a mail server, say. It
// holds a mailbox on both sides, each behind a gateway of its own. README.md says how to set it up and what it cannot keep.
//
//   node examples/mail-bridge/mail-bridge.mjs --state FILE [--files FOLDER]... AGENT=PEER AGENT=PEER
//
// AGENT has the bridge's mailbox on one side, PEER is the address there whose mail goes to the other side. Files that are named by
// their path go along from below a FOLDER.
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from '@houmao/sdk/node';
import { filesOf, timeoutMs } from './passed-files.mjs';

const pauseMs = 1000;
const afterFaultMs = 5000;

/**
 * The state that has to outlive the bridge. `begun` has each message that is being passed on, by its key: asked again, the gateway must get
 * the same again. `threads` says which conversation is which on the other side, and which message an answer goes to.
 */
class State {
  #file;

  constructor(file) {
    this.#file = file;
    const { begun, threads } = read(file) ?? { begun: {}, threads: [] };
    Object.assign(this, { begun, threads });
  }

  save() {
    const { begun, threads } = this;
    writeFileSync(`${this.#file}.new`, JSON.stringify({ begun, threads }, null, 2), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

const say = (text) => console.log(text);
const said = new Set();
/** Something that stays as it is for long is said once. @param about the message, where two may be mentioned in the same words. */
function sayOnce(text, about = '') {
  const key = `${about} ${text}`;
  if (!said.has(key)) say(text);
  said.add(key);
}

const plainSubject = (subject) => subject.replace(/^(?:re:\s*)+/i, '');

/** Through which bridges a message came, by their addresses: it stands where no answer repeats it. */
const wayOf = ({ notify_auth: auth }) => /^mail-bridge (.*)$/.exec(auth?.iss ?? '')?.[1]?.split(' ') ?? [];

const threadOf = (threads, { thread_ref: ref }, { agent }) =>
  ref === null ? undefined : threads.find((each) => each[agent]?.thread === ref);

/** Returns the message for the other side: an answer where the conversation is known there, else a message of its own. */
async function requestFor(message, from, to, { threads, folders }) {
  const { files, behind } = await filesOf(message, from, folders);
  const trailer = [
    `Passed on by ${to.address} from ${message.sender.address}.`,
    ...(behind.length > 0 ? [`These files stayed behind: ${behind.join(', ')}.`] : []),
  ].join('\n');
  const content = {
    attachments: files,
    body_content: `${message.body_text ?? ''}\n\n-- \n${trailer}`,
    notify_auth: {
      scheme: 'none',
      iss: `mail-bridge ${[...wayOf(message), from.address, to.address].join(' ')}`,
    },
    ...(message.notify_block && { notify_block: message.notify_block }),
  };
  const thread = threadOf(threads, message, from);
  const parent = thread?.[to.agent]?.parent;
  if (parent && plainSubject(message.subject) === thread.subject)
    return { operation: 'replyMail', body: { message_ref: parent, ...content } };
  return { operation: 'sendMail', body: { to: [to.peer], subject: message.subject, ...content } };
}

/** Of each side: the conversation, and the newest message of its peer, to which the next answer goes. */
function noteThread(threads, message, sent, from, to) {
  const thread = threadOf(threads, message, from) ?? { subject: plainSubject(message.subject) };
  if (!threads.includes(thread)) threads.push(thread);
  thread[from.agent] = { thread: message.thread_ref, parent: message.message_ref };
  thread[to.agent] = { thread: sent.thread_ref, parent: thread[to.agent]?.parent ?? null };
}

/** Why a message stays where it is; null for one that is passed on. */
function obstacle({ sender, ...message }, from, to) {
  if (sender.address !== from.peer) return `it is of ${sender.address}, not of ${from.peer}`;
  if (wayOf(message).some((address) => address === from.address || address === to.address))
    return 'it came this way before';
  return null;
}

async function passOn(message, from, to, { state, folders }) {
  const key = `mail-bridge-${message.message_ref}`;
  state.begun[key] ??= await requestFor(message, from, to, { threads: state.threads, folders });
  state.save();
  const { operation, body } = state.begun[key];
  const { message: sent } = await to.client[operation]({
    body,
    headers: { 'Idempotency-Key': key },
    timeoutMs,
  });
  noteThread(state.threads, message, sent, from, to);
  state.save();
  await from.client.archiveMail({ body: { message_refs: [message.message_ref] } });
  delete state.begun[key];
  state.save();
  say(`${from.peer} -> ${to.peer}: "${message.subject}"`);
}

/** Why a message does not go now; `about` is its reference. */
const notPassed = (error, { message_ref, subject, sender }) =>
  Object.assign(new Error(`"${subject}" of ${sender.address}: ${error.message}`, { cause: error }), {
    about: message_ref,
  });

/** Everything that waits on one side, the oldest first: what cannot go now keeps what came later waiting. */
async function pass(from, to, work, stopping) {
  const { messages } = await from.client.listMail({ body: { box: 'inbox' } });
  for (const listed of messages.reverse()) {
    if (stopping.aborted) return;
    const { message_ref, subject } = listed;
    const why = obstacle(listed, from, to);
    if (why !== null) {
      sayOnce(`stays in the inbox of ${from.address}: "${subject}" (${why})`, message_ref);
      continue;
    }
    try {
      const { message } = await from.client.peekMail({ body: { message_ref } });
      await passOn(message, from, to, work);
    } catch (error) {
      throw notPassed(error, listed);
    }
  }
}

async function reached(end) {
  if (end.client) return;
  const client = await connect({ agent: end.agent });
  end.address = (await client.getMailStatus()).address;
  end.client = client;
}

function endOf(text) {
  const [, agent, peer] = /^([^=]+)=([^=]+@[^=]+)$/.exec(text) ?? [];
  if (agent === undefined) throw new Error(`${text} is no AGENT=ADDRESS`);
  return { agent, peer, address: null, client: null };
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { state: { type: 'string' }, files: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  if (!values.state || positionals.length !== 2)
    throw new Error('usage: mail-bridge.mjs --state FILE [--files FOLDER]... AGENT=PEER AGENT=PEER');
  const [one, other] = positionals.map(endOf);
  const work = { state: new State(values.state), folders: values.files.map((each) => realpathSync(each)) };
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
  const ways = [
    [one, other],
    [other, one],
  ];
  while (!stopping.signal.aborted) {
    let pause = pauseMs;
    for (const [from, to] of ways) {
      try {
        await Promise.all([one, other].map(reached));
        sayOnce(`Between ${one.address} (${one.peer}) and ${other.address} (${other.peer}). Ctrl-C stops.`);
        await pass(from, to, work, stopping.signal);
      } catch (error) {
        // A gateway that was attached again is elsewhere. Work that was begun is taken up again, with its key.
        for (const end of [one, other]) end.client = null;
        sayOnce(`not now: ${error.message}`, error.about);
        pause = afterFaultMs;
      }
    }
    await sleep(pause, null, { signal: stopping.signal }).catch(() => null);
  }
}

await main();
