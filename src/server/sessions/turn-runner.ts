import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentResources, LocalHeadlessTarget } from '../../agent/local/local-headless.js';
import { managedAuthorityOf } from '../../agent/remote/peer-authority.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import { chooseTarget } from '../../dispatch/queue/session-runtime.js';
import { UnusableFile } from '../../foundation/faults.js';
import { readManifest } from '../../session/manifest.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { trackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { adapterForBackend } from '../../tools/tool-registry.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { Terminals } from '../terminals/terminals.js';

// Which program runs the turns of a session, and with which target this server does.
//
// A headless agent whose manifest names a server and no agent definition: its gateway lets the server run its turns. Both
// then have a record of each turn, under one id: the gateway for the prompt that it forwarded, in `queue.sqlite`, and the
// server for the turn that it ran, in a database beside it.

/** The programs that run a session's turns: the gateway and this server by turns (`shared`), or one server alone. */
type TurnRunner = 'shared' | 'this_server' | 'another_server';

/** The origins by which a manifest may name one server. */
export type ServerOrigins = ReadonlySet<string>;

/**
 * @param apiBaseUrl the address of the server on its own machine.
 * @param names of the host, besides those of every host.
 */
export const serverOrigins = (apiBaseUrl: string, names: readonly string[]): ServerOrigins =>
  new Set([apiBaseUrl, ...names.map((name) => `http://${name}:${new URL(apiBaseUrl).port}`)].map(originOf));

/** @param own the origins of the server that asks. */
function runnerOf(manifest: Manifest, own: ServerOrigins): TurnRunner {
  const authority = managedAuthorityOf(manifest);
  const forwards = authority && adapterForBackend(manifest.backend) && !manifest.runtime.agent_def_dir;
  if (!forwards) return 'shared';
  return own.has(originOf(authority.baseUrl)) ? 'this_server' : 'another_server';
}

/**
 * Decides whether this server alone runs the turns. A manifest that cannot be read now changes nothing: the records under
 * an id are found in the same place as before.
 * @param before the answer until now; null where there was none.
 */
export function runsAlone(paths: SessionPaths, own: ServerOrigins, before: boolean | null): boolean {
  try {
    return runnerOf(readManifest(paths.manifest), own) === 'this_server';
  } catch (error) {
    if (error instanceof UnusableFile) return before ?? existsSync(serverManagedPaths(paths).queue);
    throw error;
  }
}

/** Returns the paths of the server's own records of such a session. */
export const serverManagedPaths = (paths: SessionPaths): SessionPaths => ({
  ...paths,
  queue: join(paths.gateway, 'server-turns.sqlite'),
  events: join(paths.gateway, 'server-events.jsonl'),
  log: join(paths.gateway, 'logs', 'server-turns.log'),
  run: join(paths.run, 'server'),
});

export interface DirectTargetParts {
  surroundings: AgentResources;
  terminals: Pick<Terminals, 'targetOf'>;
  /** The origins of this server. */
  own: ServerOrigins;
  report: (fault: string) => void;
}

/**
 * Returns the target for turns that this server runs itself. A headless agent is run here even where its manifest names a
 * server: that is this one.
 * @throws {UnusableFile} when the agent's terminal is not known.
 */
export function directTarget(
  { surroundings, terminals, own, report }: DirectTargetParts,
  agent: ManagedAgent,
  manifest: Manifest,
  paths: SessionPaths,
): AgentTarget {
  const adapter = adapterForBackend(manifest.backend);
  if (adapter && runnerOf(manifest, own) !== 'another_server')
    return new LocalHeadlessTarget(paths, adapter, surroundings);
  if (manifest.backend !== 'local_interactive')
    return chooseTarget(manifest, paths, surroundings, {
      timings: trackerTimings(),
      changed: () => undefined,
      report,
    });
  const target = terminals.targetOf(agent);
  if (!target) throw new UnusableFile(paths.manifest, 'the terminal of the agent is not known');
  return target;
}

function originOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${['localhost', '[::1]'].includes(hostname) ? '127.0.0.1' : hostname}:${port}`;
}
