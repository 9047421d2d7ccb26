// `npm run torture -- --server [--rounds N --seed S --kills N]`: agents of both kinds under one server. Prompts by every way,
// interrupts, attaches and detaches at random; server, gateways or both are killed at random moments. After each round all that
// callers learned is compared with what the agents did. Exit code 1 on any violation; the folder is kept then.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findLeftovers } from '../../support/run/leftovers.js';
import { seededRandom } from '../random.mjs';
import { killGateway, launchAgents, ledgerOf, makeHost, ownedStill, sleep } from './agents.js';
import { check } from './check.js';
import { Load } from './load.js';
import { type Server, startServer } from './server.js';
import { readAgain, settle } from './settle.js';

const { values } = parseArgs({
  options: {
    server: { type: 'boolean' },
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = seededRandom(seed);
/** After each round so many records of earlier ones are read again. */
const oldRecords = 10;

const began = Date.now();
const { folder, host, remove } = makeHost();
// No end of this leaves a process.
process.once('exit', () => existsSync(folder) && findLeftovers(folder).endProcesses());
const load = new Load(random);
const kills = { server: 0, gateway: 0, 'both at once': 0 };
const violations: string[] = [];
let slowestStart = 0;
console.log(`torture: ${rounds} rounds, seed ${seed}, in ${folder}`);
const agents = await launchAgents(host, folder);
let server = await start();

for (let round = 1; round <= rounds && violations.length === 0; round += 1) {
  const found = await playRound().catch((error: Error) => [error.message]);
  violations.push(...found.map((what) => `round ${round}: ${what}`));
  if (round % 5 === 0 || round === rounds || violations.length > 0) tell(`round ${round}/${rounds}`);
}
violations.push(...(await finish().catch((error: Error) => [`at the end: ${error.message}`])));
summarise();

async function start(): Promise<Server> {
  const started = await startServer(host, folder);
  slowestStart = Math.max(slowestStart, started.started);
  return started;
}

async function playRound(): Promise<string[]> {
  const gone = new AbortController();
  const working = agents.map((agent) => load.run(() => server.url, agent, gone.signal));
  const strikes = random.between(2, 4);
  for (let strike = 0; strike < strikes; strike += 1) {
    await sleep(random.between(100, 2500));
    await kill();
  }
  gone.abort();
  await Promise.all(working);
  const unsettled = await settle(load, server.url);
  return [...unsettled, ...(await checkAll())];
}

async function kill(): Promise<void> {
  const how = random.pick(['server', 'gateway', 'gateway', 'both'] as const);
  const killing = how === 'server' ? Promise.resolve(false) : killSomeGateway();
  if (how === 'gateway') {
    if (await killing) kills.gateway += 1;
    return;
  }
  await server.kill();
  if (await killing) kills['both at once'] += 1;
  else kills.server += 1;
  await sleep(random.between(0, 500));
  server = await start();
}

/** @returns false where none ran. */
async function killSomeGateway(): Promise<boolean> {
  const first = random.between(0, agents.length - 1);
  for (const agent of [...agents.slice(first), ...agents.slice(0, first)])
    if (await killGateway(agent)) return true;
  return false;
}

async function checkAll(): Promise<string[]> {
  const again = load.submissions.filter(() => random.chance(oldRecords / load.submissions.length));
  const reread = await Promise.all(again.map((submission) => readAgain(load, server.url, submission)));
  return [...load.faults, ...reread.flat(), ...deeds()];
}

function deeds(): string[] {
  return agents.flatMap((agent) =>
    check({
      agent,
      ledger: ledgerOf(agent),
      submissions: load.submissions.filter((one) => one.agent === agent),
      interrupted: load.interrupted.has(agent),
    }),
  );
}

/** Empties the queues, ends everything, and looks at what is left. */
async function finish(): Promise<string[]> {
  if (violations.length > 0) {
    await server.kill();
    return [];
  }
  for (const agent of agents) await load.ask(server.url, agent, 'POST', '/gateway/attach', {});
  const unsettled = await settle(load, server.url);
  const reread = await Promise.all(load.submissions.map((one) => readAgain(load, server.url, one)));
  for (const agent of agents) await load.ask(server.url, agent, 'POST', '/gateway/detach');
  await server.stop();
  const owned = ownedStill(agents);
  server = await start();
  for (const agent of agents) {
    const stopped = await load.ask(server.url, agent, 'POST', '/stop');
    if (stopped?.status !== 200)
      owned.push(`${agent.name} was not stopped: ${JSON.stringify(stopped?.body)}`);
  }
  await server.stop();
  const left = findLeftovers(folder);
  const processes = left.lines.filter((line) => line.startsWith('  process '));
  left.endProcesses();
  return [...load.faults, ...unsettled, ...reread.flat(), ...deeds(), ...owned, ...processes].map(
    (what) => `at the end: ${what}`,
  );
}

function tell(when: string): void {
  const taken = load.submissions.filter(({ reported }) => reported === 'taken').length;
  const killed = Object.values(kills).reduce((sum, one) => sum + one);
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  console.log(
    `torture: ${when}, ${killed} kills, ${load.submissions.length} prompts, ${taken} taken, ${seconds} s`,
  );
}

function summarise(): void {
  const counted = (of: Record<string, number>) =>
    Object.entries(of)
      .sort()
      .map(([what, times]) => `${times} ${what}`)
      .join(', ');
  const ends: Record<string, number> = {};
  for (const { reported, end } of load.submissions) {
    const key = end ? `${reported} and ${end.outcome}` : reported;
    ends[key] = (ends[key] ?? 0) + 1;
  }
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  console.log(`torture: answers: ${counted(load.tally)}`);
  console.log(`torture: prompts: ${counted(ends)}`);
  console.log(
    `torture: ${violations.length === 0 ? 'ok' : 'FAILED'}; seed ${seed}; kills: ${counted(kills)}; slowest start ` +
      `${(slowestStart / 1000).toFixed(1)} s; ${((Date.now() - began) / 1000).toFixed(0)} s; ${violations.length} violations`,
  );
  if (violations.length === 0) remove();
  else console.log(`torture: evidence is in ${folder}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
