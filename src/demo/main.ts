#!/usr/bin/env node
// What `npm start` runs: two stand-in agents with their gateways, who have mailboxes in one root, until Ctrl-C. Everything it
// makes is below `.houmao/`. `HOUMAO_DEMO_HOME` names another folder, `HOUMAO_DEMO_PORT` the port of the first gateway.
import { join } from 'node:path';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import { systemClock } from '../foundation/clock.js';
import { packageRoot } from '../foundation/version.js';
import { agentHost } from '../launch/agent-host.js';
import { LaunchFault } from '../launch/launch-fault.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { type DemoAgent, startAgent, stopAgents } from './demo-agent.js';
import { layOutSample } from './sample-mail.js';

const home = process.env.HOUMAO_DEMO_HOME ?? join(packageRoot, '.houmao');
const place = { home, mailbox: join(home, 'mailbox') };
const host = agentHost(
  {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(home, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(home, 'registry'),
  },
  systemClock,
);
const preferredPort = 43123;

async function startDemo(): Promise<DemoAgent> {
  const port = process.env.HOUMAO_DEMO_PORT;
  if (port !== undefined) return startAgent('demo', place, Number(port), host);
  try {
    return await startAgent('demo', place, preferredPort, host);
  } catch (error) {
    if (!/in use/.test((error as Error).message)) throw error;
    console.log(`Port ${preferredPort} is taken; any free one will do.`);
    return startAgent('demo', place, 0, host);
  }
}

/** Has the reviewer answer mail by itself; the mail of the other one is left to whoever reads the page. */
async function watchMail({ url }: DemoAgent): Promise<void> {
  await createGatewayClient({ baseUrl: url }).updateMailNotifier({ body: { interval_seconds: 60 } });
}

function greeting({ url, paths }: DemoAgent, reviewer: DemoAgent): string {
  const json = `-H 'Content-Type: application/json'`;
  return `
The gateway of the agent "demo" serves. The agent is a stand-in: it needs no account and echoes what you say.

  Read and try the API   ${url}/docs
  The contract           ${url}/openapi.json
  Its files              ${paths.root}
  Another agent          ${reviewer.url}/docs  ("${reviewer.name}")

A first prompt, in another terminal:

  curl -s ${url}/v1/requests ${json} \\
    -d '{"kind":"submit_prompt","payload":{"prompt":"Hello"}}'

Both agents have mailboxes in ${place.mailbox}. The reviewer is woken by its mail, and answers:

  curl -s ${url}/v1/mail/send ${json} \\
    -d '{"to":["reviewer@houmao.localhost"],"subject":"A question","body_content":"Is it right?"}'
  curl -s ${url}/v1/mail/list ${json} -d '{}'
`;
}

async function run(): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const agents: DemoAgent[] = [];
  try {
    const demo = await startDemo();
    agents.push(demo);
    const reviewer = await startAgent('reviewer', place, 0, host);
    agents.push(reviewer);
    await layOutSample(place.mailbox, systemClock);
    await watchMail(reviewer);
    console.log(greeting(demo, reviewer));
    const went = agents.filter(({ started }) => !started).map(({ name }) => `"${name}"`);
    console.log(
      went.length === 0
        ? 'Ctrl-C stops them.'
        : `Ctrl-C stops what was started here; ${went.join(' and ')} ran already and will go on.`,
    );
    const alive = setInterval(() => undefined, 1 << 30);
    await stopped;
    clearInterval(alive);
    console.log('\nStopping');
  } finally {
    await stopAgents(agents, host);
  }
  console.log('Stopped.');
  return 0;
}

/** What says in its message what is wrong; anything else is a defect, and is shown with its stack. */
const isKnown = (error: unknown): error is Error =>
  error instanceof LaunchFault || error instanceof MailFault || isGatewayError(error);

try {
  process.exitCode = await run();
} catch (error) {
  console.error(isKnown(error) ? `npm start: ${error.message}` : error);
  process.exitCode = 1;
}
