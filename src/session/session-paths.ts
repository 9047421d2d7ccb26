import { basename, dirname, join, resolve } from 'node:path';

/** Where the files of one session are. */
export interface SessionPaths {
  readonly root: string;
  readonly manifest: string;
  /** When the agent was stopped; only whoever stopped it writes it. */
  readonly stoppedAt: string;
  readonly turnArtifacts: string;
  /** Credentials of its mailbox, where that is on a mail server. */
  readonly mailSecrets: string;
  /** What was fetched of the attachments that a mail server keeps. */
  readonly mailAttachments: string;
  /** The start script of an agent in a terminal, and what its tool needs beside it. */
  readonly terminal: string;
  /** What the tool in that terminal tells its hooks, where it was launched with them. */
  readonly hookRows: string;
  readonly gateway: string;
  readonly queue: string;
  readonly state: string;
  readonly attach: string;
  readonly gatewayManifest: string;
  readonly protocolVersion: string;
  readonly desiredConfig: string;
  readonly accessToken: string;
  readonly events: string;
  readonly log: string;
  readonly diagnostics: string;
  readonly run: string;
  readonly currentInstance: string;
  readonly pid: string;
  readonly lock: string;
}

/** @param given the session root or the `gateway` folder in it. */
export function sessionPaths(given: string): SessionPaths {
  const absolute = resolve(given);
  const root = basename(absolute) === 'gateway' ? dirname(absolute) : absolute;
  const gateway = join(root, 'gateway');
  const run = join(gateway, 'run');
  return {
    root,
    manifest: join(root, 'manifest.json'),
    stoppedAt: join(root, 'stopped-at'),
    turnArtifacts: join(root, 'manifest.turn-artifacts'),
    mailSecrets: join(root, 'mailbox-secrets'),
    mailAttachments: join(root, 'mail-attachments'),
    terminal: join(root, 'terminal'),
    hookRows: join(root, 'terminal', 'hooks.jsonl'),
    gateway,
    queue: join(gateway, 'queue.sqlite'),
    state: join(gateway, 'state.json'),
    attach: join(gateway, 'attach.json'),
    gatewayManifest: join(gateway, 'gateway_manifest.json'),
    protocolVersion: join(gateway, 'protocol-version.txt'),
    desiredConfig: join(gateway, 'desired-config.json'),
    accessToken: join(gateway, 'access-token'),
    events: join(gateway, 'events.jsonl'),
    log: join(gateway, 'logs', 'gateway.log'),
    diagnostics: join(gateway, 'logs', 'diagnostics', 'gateway-diagnostic.log'),
    run,
    currentInstance: join(run, 'current-instance.json'),
    pid: join(run, 'gateway.pid'),
    lock: join(run, 'gateway.lock'),
  };
}
