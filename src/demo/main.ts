#!/usr/bin/env node
// The program behind `npm start`: a server over two stand-in agents with their gateways and with mailboxes in one root, until
// Ctrl-C. All of its files are below `.houmao/`. `HOUMAO_DEMO_HOME` names another folder, `HOUMAO_DEMO_PORT` the port of the
// first gateway; the server then takes any free port.
import { join } from 'node:path';
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { Command } from 'commander';
import { systemClock } from '../foundation/clock.js';
import { saysAddressTaken } from '../foundation/listening.js';
import { packageRoot } from '../foundation/version.js';
import { agentHost } from '../launch/agent-host.js';
import { LaunchFault } from '../launch/launch-fault.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { usualServerPort } from '../server/directory/server-paths.js';
import { type DemoAgent, isRegistered, programsOf, startAgent, stopAgents } from './demo-agent.js';
import { type DemoServer, startServer } from './demo-server.js';
import { layOutSample, layOutTurn, layOutWork, nameTerminal } from './samples.js';
import { type WatchedProgram, watchedProcess, watchPrograms } from './watch-programs.js';

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
const preferredPorts = { gateway: 43123, server: usualServerPort };
const givenPort = process.env.HOUMAO_DEMO_PORT;

async function startDemo(): Promise<DemoAgent> {
  const options = { name: 'demo', terminal: false };
  if (givenPort !== undefined) return startAgent({ ...options, port: Number(givenPort) }, place, host);
  try {
    return await startAgent({ ...options, port: preferredPorts.gateway }, place, host);
  } catch (error) {
    if (!saysAddressTaken((error as Error).message)) throw error;
    return startAgent({ ...options, port: 0 }, place, host);
  }
}

/** Starts the reviewer, in a terminal if this machine can run one. */
async function startReviewer(): Promise<DemoAgent> {
  const terminal = await host.tmux.requireTerminals().then(
    () => true,
    (error: Error) => {
      console.log(`The reviewer runs without a terminal: ${error.message}.`);
      return false;
    },
  );
  return startAgent({ name: 'reviewer', terminal, port: 0 }, place, host);
}

/** Lets the reviewer answer mail by itself. Mail of the other agent waits for the person who tries out the page. */
async function watchMail({ url }: DemoAgent): Promise<void> {
  await createGatewayClient({ baseUrl: url }).updateMailNotifier({ body: { interval_seconds: 60 } });
}

/**
 * Returns a sentence about the port when it is not the one in the documents: a sample pasted from there would reach another
 * program. Only for a program started here is it known that another program has that port.
 */
function otherPort(name: string, { url, started }: Pick<DemoAgent, 'url' | 'started'>, port: number): string {
  const usual = `http://127.0.0.1:${port}`;
  if (givenPort !== undefined || url === usual) return '';
  const why = started ? `Another program has port ${port}. ` : '';
  return `${why}The ${name} is at ${url}: use that in README's samples instead of ${usual}.\n`;
}

function greeting(over: DemoServer, demo: DemoAgent, reviewer: DemoAgent): string {
  const { url: server } = over;
  const others =
    otherPort('server', over, preferredPorts.server) +
    otherPort('gateway of "demo"', demo, preferredPorts.gateway);
  const json = `-H 'Content-Type: application/json'`;
  const agents = `${server}/houmao/agents`;
  return `
Two stand-in agents are running, with a gateway beside each and a server over both. They need no account and echo what you say.

${others === '' ? '' : `${others}\n`}  Begin here             ${server}/
  "demo", headless       ${demo.url}/docs
  "reviewer", ${reviewer.terminal ? 'a terminal' : 'headless  '} ${reviewer.url}/docs
  Their files            ${home}

Send a first prompt, from another terminal. It is queued, and runs when its turn comes:

  curl -s ${agents}/demo/gateway/requests ${json} \\
    -d '{"kind":"submit_prompt","payload":{"prompt":"Hello"}}'

Read its answer, with the request_id that this prints:

  curl -s '${agents}/demo/gateway/requests/gwreq-…?wait_seconds=60'

Both agents have mailboxes in ${place.mailbox}. Mail wakes the reviewer, and it answers:

  curl -s ${agents}/demo/mail/send ${json} \\
    -d '{"to":["reviewer@houmao.localhost"],"subject":"A question","body_content":"Is it right?"}'
  curl -s ${agents}/demo/mail/list ${json} -d '{}'
`;
}

/** The parts that were started, which are stopped at the end, also when a later part of the start fails. */
interface Started {
  agents: DemoAgent[];
  server: DemoServer | null;
}

/** Starts all parts at once. When one does not come up, the others still do and are noted, so that they can be stopped. */
async function startAll(started: Started): Promise<[DemoServer, DemoAgent, DemoAgent]> {
  const noted = (agent: DemoAgent): DemoAgent => {
    started.agents.push(agent);
    return agent;
  };
  const serverPort = givenPort === undefined ? preferredPorts.server : 0;
  const parts = [
    startServer(serverPort, host).then((server) => {
      started.server = server;
      return server;
    }),
    startDemo().then(noted),
    startReviewer().then(noted),
  ] as const;
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

interface Part {
  name: string;
  /** Whether the part was started here, so that it ends with the demo. */
  started: boolean;
}

const ranAlready = (parts: readonly Part[]): string =>
  parts
    .filter(({ started }) => !started)
    .map(({ name }) => name)
    .join(', ');

function leaveWords(parts: readonly Part[]): string {
  const went = ranAlready(parts);
  if (went === '') return 'Ctrl-C stops them.';
  return parts.some(({ started }) => started)
    ? `Ctrl-C stops the programs started here; ${went} ran before and will go on.`
    : `Ctrl-C stops none of them: ${went} ran before and will go on.`;
}

/** Returns the last words of the demo; a part that runs on is never called stopped. */
function leftWords(parts: readonly Part[], agents: readonly DemoAgent[]): string {
  const went = ranAlready(parts);
  if (went === '') return `Stopped.${keptWords(agents)}`;
  return parts.some(({ started }) => started)
    ? `Stopped the programs started here; ${went} go on.`
    : `Left; ${went} go on.`;
}

/** Names the headless agents: they are not stopped, they are still registered though nothing of them runs. */
function keptWords(agents: readonly DemoAgent[]): string {
  const kept = agents.filter(({ terminal }) => !terminal).map(({ name }) => `"${name}"`);
  return kept.length === 0 ? '' : ` The next npm start continues with ${kept.join(' and ')}.`;
}

/** Watches until a user ends the demo, or nothing of it runs any more. @returns its exit code. */
async function watch(server: DemoServer, agents: readonly DemoAgent[], stop: AbortSignal): Promise<number> {
  const programs = [
    watchedProcess('The server', 'its last output is above', server.pid),
    ...agents.flatMap((agent) => programsOf(agent, host)),
  ];
  const tell = ({ name, why }: WatchedProgram): void =>
    console.error(`${name} has ended: ${why}. Press Ctrl-C and run npm start again to bring it back.`);
  const allEnded = await watchPrograms(programs, { clock: systemClock, tell, enough: stop });
  return allEnded ? 1 : 0;
}

async function run(): Promise<number> {
  const stop = new AbortController();
  // SIGHUP comes when the window of the demo is closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  let code = 0;
  const started: Started = { agents: [], server: null };
  let last = 'Stopped.';
  try {
    const [server, demo, reviewer] = await startAll(started);
    await layOutSample(place.mailbox, systemClock);
    await Promise.all([watchMail(reviewer), nameTerminal(server, reviewer)]);
    await Promise.all([demo, reviewer].map(layOutTurn));
    await Promise.all([demo, reviewer].map(layOutWork));
    console.log(greeting(server, demo, reviewer));
    const parts = [demo, reviewer, { ...server, name: 'the server' }];
    console.log(leaveWords(parts));
    code = await watch(server, [demo, reviewer], stop.signal);
    last = leftWords(
      parts,
      [demo, reviewer].filter((agent) => isRegistered(agent, host)),
    );
    if (parts.some(({ started: isOurs }) => isOurs)) console.log('\nStopping');
  } finally {
    await stopAgents(started.agents, host);
    await started.server?.stop();
  }
  console.log(last);
  return code;
}

/** Returns whether the error's message says what is wrong; any other error is a defect, and is shown with its stack. */
const isKnown = (error: unknown): error is Error =>
  error instanceof LaunchFault || error instanceof MailFault || isGatewayError(error) || isHoumaoError(error);

new Command('npm start')
  .description('Run a server over two stand-in agents with mailboxes until Ctrl-C, and print where to begin.')
  .addHelpText(
    'after',
    `
Variables:
  HOUMAO_DEMO_HOME  folder for its files (default: .houmao/ here)
  HOUMAO_DEMO_PORT  port of the first gateway, 0 for any free one; the server then uses any free port`,
  )
  .allowExcessArguments(false)
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'npm start:')) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

try {
  process.exitCode = await run();
} catch (error) {
  console.error(isKnown(error) ? `npm start: ${error.message}` : error);
  process.exitCode = 1;
}
