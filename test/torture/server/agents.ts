import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasSurelyEnded } from '../../../src/foundation/processes.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { gatewayProcess } from '../../../src/launch/live-gateway.js';
import { currentInstanceFile } from '../../../src/session/current-instance.js';
import { TurnOwnership } from '../../../src/turn/turn-ownership.js';
import { hostIn } from '../../support/launch-host.js';
import { launchStandin, type StandinAgent } from '../../support/standin-agent.js';

/** One line of the stand-in's ledger, as far as it is looked at. */
export interface LedgerRow {
  pid: number;
  turn_id: string | null;
  prompt?: string;
  done?: boolean;
  outcome?: string;
}

const names = { headless: ['holly', 'hugo'], tui: ['tara', 'tom'] } as const;
const endMilliseconds = 10_000;

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A host in a folder of its own, with a tmux server of its own. */
export function makeHost(): { folder: string; host: AgentHost; remove(): void } {
  // Short: a socket stands in it.
  const folder = mkdtempSync(join(tmpdir(), 'hts-'));
  const host = hostIn(folder, { TMUX_TMPDIR: folder, SHELL: '/bin/sh' });
  return { folder, host, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Two agents without a terminal, and two in one. */
export async function launchAgents(host: AgentHost, folder: string): Promise<StandinAgent[]> {
  const agents: StandinAgent[] = [];
  for (const transport of ['headless', 'tui'] as const)
    for (const name of names[transport]) agents.push(await launchStandin(host, folder, name, transport));
  return agents;
}

export const ledgerOf = ({ ledger }: StandinAgent): LedgerRow[] =>
  existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LedgerRow)
    : [];

/** Kills the gateway of an agent. @returns false where none ran. */
export async function killGateway({ paths }: StandinAgent): Promise<boolean> {
  const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
  const gateway = instance && gatewayProcess(instance.pid, paths);
  if (!gateway) return false;
  try {
    process.kill(gateway.pid, 'SIGKILL');
  } catch {
    return false;
  }
  const deadline = Date.now() + endMilliseconds;
  while (!hasSurelyEnded(gateway)) {
    if (Date.now() > deadline) throw new Error(`the gateway ${gateway.pid} did not die`);
    await sleep(10);
  }
  return true;
}

/** A line for each agent whose turns some process still owns. */
export const ownedStill = (agents: readonly StandinAgent[]): string[] =>
  agents.flatMap(({ name, paths }) => {
    const ownership = TurnOwnership.take(paths.run, 'torture');
    ownership?.release();
    return ownership ? [] : [`the lock of the turns of ${name} is held`];
  });
