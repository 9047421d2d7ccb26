// Hosts of a fleet as real server processes, each with a home of its own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { components } from '../../../generated/managed-agent/types.js';
import type { LaunchRequest } from '../../../src/launch/launch-request.js';
import { type GatewayProcess, startGateway } from '../gateway-process.js';
import { type Answer, call } from '../http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../managed-server.js';
import type { OwnTmux } from '../own-tmux.js';
import { temporaryFolder, whenOver } from '../temporary-folder.js';
import { makeSession, type TestSession } from '../test-session.js';
import type { Engine } from './engine.js';
import type { Machine } from './network.js';

type Command = components['schemas']['FleetCommand'];

/** A host with one agent and its gateway. Everything of it ends with its tests. */
export interface FleetHost {
  readonly name: string;
  readonly session: TestSession;
  readonly gateway: GatewayProcess;
  /** The words that start a program on its machine, where that is one of a test network. */
  readonly through: readonly string[];
  /** Its server now; `away` and `back` change it. */
  readonly server: ServerProcess;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends its server, in order or by SIGKILL; agent and gateway go on. */
  away(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts its server again. */
  back(): Promise<void>;
  /** Sets the wall clock of its server so far from the right time, where it has one of its own. */
  setClock(milliseconds: number): void;
}

const setClock = new URL('../set-clock.cjs', import.meta.url).pathname;

interface StartOptions {
  /** The name of its agent. */
  readonly agent?: string;
  /** Whether its agent has a mailbox, in a folder of the host, and answers mail when it is woken. */
  readonly mail?: boolean;
  /** Whether it is to join; otherwise it is to be refused. */
  readonly joins?: boolean;
  /** Whether its clock can be set. */
  readonly hasOwnClock?: boolean;
  /** The machine of a test network that it is; left out, this one. */
  readonly machine?: Machine;
  /** The tmux server of agents that are launched there. */
  readonly tmux?: OwnTmux;
  /** The addresses of NATS for it; left out, those of the engine. */
  readonly urls?: readonly string[];
  /** The file with the certificates that it trusts for NATS in place of the usual ones. */
  readonly ca?: string;
}

/**
 * Returns the function that starts a host and waits until it is in the fleet. For one test, or at the top of a file for all of its
 * tests.
 */
export function fleetHosts(engine: Engine): (name: string, options?: StartOptions) => Promise<FleetHost> {
  const ends: (() => Promise<void>)[] = [];
  whenOver(async () => {
    for (const end of ends) await end();
  });
  return async (
    name,
    {
      agent = 'alpha',
      joins = true,
      mail = false,
      hasOwnClock = false,
      tmux,
      machine,
      ca,
      urls = engine.nodes.map(({ url }) => url),
    } = {},
  ) => {
    const session = await makeSession({ name: agent, ...(mail && answeringMail(temporaryFolder())) });
    ends.push(async () => session.remove());
    const through = machine?.through ?? [];
    const gateway = await startGateway(session, { through });
    ends.unshift(async () => void (await gateway.stop()));
    const key = ['--fleet-credentials', engine.credentials(name)];
    const stored = ['--fleet-replicas', String(engine.replicas)];
    const trusted = ca === undefined ? [] : ['--fleet-ca', ca];
    const flags = ['--fleet', urls.join(), ...stored, ...key, ...trusted, '--host-name', name];
    const clockFile = join(session.folder, 'clock');
    const environment = hasOwnClock ? { NODE_OPTIONS: `--require ${setClock}`, SET_CLOCK: clockFile } : {};
    const start = async (): Promise<ServerProcess> => {
      const home = managedHost(session.folder, tmux);
      const begun = await startManagedServer(home, session.folder, { flags, environment, through });
      if (!machine) return begun;
      const url = `http://127.0.0.1:${await machine.portTo(begun.port)}`;
      return { ...begun, url, ask: (...given) => call(url, ...given) };
    };
    let server: ServerProcess | null = await start();
    ends.unshift(async () => void (await server?.stop()));
    const running = (): ServerProcess => {
      if (server === null) throw new Error(`the server of ${name} does not run`);
      return server;
    };
    const host: FleetHost = {
      name,
      session,
      gateway,
      through,
      get server() {
        return running();
      },
      ask: (...given) => running().ask(...given),
      away: async (signal = 'SIGTERM') => {
        await (signal === 'SIGTERM' ? running().stop() : running().kill());
        server = null;
      },
      back: async () => {
        server = await start();
        await inFleet(host);
      },
      setClock: (milliseconds) => writeFileSync(clockFile, String(milliseconds)),
    };
    if (joins) await inFleet(host);
    return host;
  };
}

const answeringMail = (folder: string): Partial<LaunchRequest> & { folder: string } => ({
  folder,
  mailbox: { root: join(folder, 'mail'), address: null, principalId: null },
  environment: {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    HOUMAO_STANDIN_LEDGER: join(folder, 'ledger.jsonl'),
    HOUMAO_STANDIN_MAIL: '1',
  },
});

/** Starts ws1 with the agent `alpha` and ws2 with `beta`, and waits until ws1 knows both hosts. */
export async function alphaAndBeta(
  start: ReturnType<typeof fleetHosts>,
): Promise<{ ws1: FleetHost; ws2: FleetHost }> {
  const ws1 = await start('ws1');
  const ws2 = await start('ws2', { agent: 'beta' });
  await knows(ws1, 'ws1', 'ws2');
  return { ws1, ws2 };
}

/** How often a state is looked at that no call waits for, in milliseconds. */
const lookMilliseconds = 50;

/** Looks until it is so; the time limit of the test ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(lookMilliseconds);
}

/** Waits until a host is in its fleet. */
export const inFleet = ({ ask }: Pick<FleetHost, 'ask'>): Promise<void> =>
  until(async () => (await ask('GET', '/houmao/fleet')).body.state === 'online');

/** Waits until a host knows these as online, and no others. */
export const knows = ({ ask }: Pick<FleetHost, 'ask'>, ...names: string[]): Promise<void> =>
  until(async () => {
    const { body } = await ask('GET', '/houmao/fleet/hosts');
    const hosts: { host: string; presence: string }[] = body.hosts;
    const online = hosts.flatMap(({ host, presence }) => (presence === 'online' ? [host] : []));
    return online.join() === names.join();
  });

/** Waits until a host lists exactly these agents of the fleet, such as `alpha@ws1`, all of them as there. */
export const listsAgents = ({ ask }: Pick<FleetHost, 'ask'>, ...references: string[]): Promise<void> =>
  until(async () => {
    const { body } = await ask('GET', '/houmao/agents?scope=fleet');
    const agents: { place: { reference: string; presence: string } }[] = body.agents;
    const online = agents.flatMap(({ place }) => (place.presence === 'online' ? [place.reference] : []));
    return online.join() === references.join();
  });

/** Gives a prompt for an agent of another host to the fleet. @returns the id of the command. */
export async function giveCommand(
  { ask }: Pick<FleetHost, 'ask'>,
  reference: string,
  prompt: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const body = { kind: 'submit_prompt', payload: { prompt } };
  const path = `/houmao/agents/${encodeURIComponent(reference)}/gateway/requests`;
  const answer = await ask('POST', path, body, headers);
  expect({ status: answer.status, detail: answer.body.detail }).toEqual({ status: 202, detail: undefined });
  return answer.body.command.command_id;
}

/** Returns the kinds of the events of a host, in their order, as this one reads them in its fleet; none while it cannot. */
export async function eventKindsOf(name: string, { ask }: Pick<FleetHost, 'ask'>): Promise<string[]> {
  const { body } = await ask('GET', '/houmao/fleet/events?after=0&limit=200');
  const events: { host: string; event: { kind: string } | null }[] = body.events ?? [];
  return events.flatMap(({ host, event }) => (host === name && event ? [event.kind] : []));
}

/** Waits until a command came so far, or ended. */
export async function waitFor(
  { ask }: Pick<FleetHost, 'ask'>,
  id: string,
  until: 'admitted' | 'delivered' = 'delivered',
): Promise<Command> {
  for (;;) {
    const path = `/houmao/fleet/commands/${id}?wait_until=${until}&wait_seconds=30`;
    const { status, body } = await ask('GET', path);
    if (status === 200 && body.state !== 'accepted' && body.state !== 'admitting') {
      if (until === 'admitted' || body.state !== 'admitted') return body;
    }
  }
}
