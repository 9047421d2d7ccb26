// Two agents that review by mail: an author sends one a question, its gateway wakes the reviewer, the reviewer answers and
// archives, the answer wakes the author. Each agent is a stand-in, needs no account, and is given nothing but its mailbox.
//
//   npm run example:review
//
// With agents of your own, leave `--executable` and HOUMAO_STANDIN_MAIL out of `launch`; what follows is the same.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGatewayClient } from '@houmao/sdk';

const program = (name) => fileURLToPath(new URL(`../dist/programs/${name}.js`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'houmao-review-'));
const environment = {
  ...process.env,
  HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
  HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
};
/** Nothing takes so long but a machine that cannot do it. */
const patienceMs = 60_000;

const launched = [];
const giveUp = new AbortController();
let steps = 0;

const say = (who, what) => {
  steps += 1;
  console.log(`${String(steps).padStart(2)}  ${who.padEnd(9)} ${what}`);
};

async function manager(...args) {
  const command = [program('houmao-mgr'), ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: environment });
  return stdout === '' ? null : JSON.parse(stdout);
}

/** An agent with a gateway, a mailbox in the root that both share, and a notifier that wakes it when mail comes. */
async function launch(name) {
  const home = join(folder, name);
  mkdirSync(home);
  launched.push(name);
  const { gateway_url: baseUrl } = await manager(
    ...['agents', 'launch', '--tool', 'claude', '--headless', '--no-tmux', '--name', name],
    ...['--workdir', home, '--home', home, '--mailbox', join(folder, 'mailbox')],
    ...['--executable', program('standin-agent'), '--env', 'HOUMAO_STANDIN_MAIL=1'],
  );
  const client = createGatewayClient({ baseUrl });
  await client.updateMailNotifier({ body: { interval_seconds: 300 } });
  const { address } = await client.getMailStatus();
  say(name, `listens at ${baseUrl} and has the mailbox ${address}`);
  return { name, client, address, after: 0 };
}

/** The next event of an agent that is wanted; events are read once each, in their order. */
async function nextEvent(agent, isWanted) {
  for (;;) {
    const query = { after: agent.after, limit: 1, wait_seconds: 30 };
    const { events } = await agent.client.listEvents({ query, signal: giveUp.signal });
    for (const event of events) {
      agent.after = event.seq;
      if (isWanted(event)) return event;
    }
  }
}

/** Waits until mail has woken the agent and its turn is over. */
async function woken(agent) {
  const { data } = await nextEvent(
    agent,
    ({ kind, data }) => kind === 'turn_claimed' && data.origin === 'notifier',
  );
  await nextEvent(agent, (event) => event.kind === 'turn_ended' && event.data.turn_id === data.turn_id);
  const turn = await agent.client.getTurn({ path: { turn_id: data.turn_id } });
  say(agent.name, `was woken by its mail: ${turn.delivery.state}, by ${turn.delivery.evidence}`);
  if (turn.outcome !== 'completed') throw new Error(`the turn of ${agent.name} was ${turn.outcome}`);
}

/** A turn is over a moment before its agent is free for the next one. */
async function idle({ client }) {
  for (;;) {
    const status = await client.getStatus();
    if (status.active_execution === 'idle') return status;
    await sleep(100, null, { signal: giveUp.signal });
  }
}

const mailIn = async ({ client }, box) =>
  (await client.listMail({ body: { box, include_body: true } })).messages;

async function review() {
  const [author, reviewer] = [await launch('author'), await launch('reviewer')];

  const question = {
    to: [reviewer.address],
    subject: 'Review of the parser',
    body_content: 'Is the change to the parser right?',
    notify_block: { text: 'please review today' },
  };
  const { message } = await author.client.sendMail({ body: question });
  say('author', `sent "${message.subject}" to ${reviewer.address}`);

  await woken(reviewer);
  const [reviewed] = await mailIn(reviewer, 'archive');
  const [reply] = await mailIn(reviewer, 'sent');
  say('reviewer', `answered "${reply.subject}": ${reply.body_text}`);
  say('reviewer', `archived "${reviewed.subject}" (read ${reviewed.read}, answered ${reviewed.answered})`);

  await woken(author);
  const [answer] = await mailIn(author, 'archive');
  say(
    'author',
    `archived "${answer.subject}", of the same thread: ${answer.thread_ref === message.thread_ref}`,
  );

  for (const agent of [author, reviewer]) {
    const { queue_depth: queued } = await idle(agent);
    const inbox = await mailIn(agent, 'inbox');
    say(agent.name, `is idle, with ${queued} queued and ${inbox.length} in its inbox`);
    if (queued > 0 || inbox.length > 0) throw new Error(`${agent.name} is not done`);
  }
}

const patience = setTimeout(() => giveUp.abort(new Error('it took too long')), patienceMs);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => giveUp.abort(new Error(`stopped by ${signal}`)));
try {
  await review();
} catch (error) {
  console.error(giveUp.signal.reason?.message ?? error);
  process.exitCode = 1;
} finally {
  clearTimeout(patience);
  // A launch that failed half way has nobody to stop.
  for (const name of launched) await manager('agents', 'stop', name).catch(() => null);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  say('both', 'are stopped, and their files are gone');
}
