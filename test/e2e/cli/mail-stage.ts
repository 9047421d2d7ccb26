import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

/** Two agents with mailboxes in one root, of which only `alice` has a gateway, and a program that knows both. */
export interface MailStage {
  readonly folder: string;
  /** The mailbox root. */
  readonly root: string;
  readonly alice: TestSession;
  readonly bob: TestSession;
  readonly gateway: GatewayProcess;
  /** Runs `houmao-mgr`. */
  run(args: readonly string[], input?: string, environment?: NodeJS.ProcessEnv): Promise<Ran>;
  /** The same with `--json`. @returns its answer; fails where it does. */
  json(args: readonly string[], input?: string, environment?: NodeJS.ProcessEnv): Promise<Answer>;
  /** Sends a message from one to the other. @returns its reference. */
  send(from: string, to: string, subject: string, ...more: string[]): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a program printed has any shape.
export type Answer = any;

export const addressOf = (name: string): string => `${name}@houmao.localhost`;

/** For all tests of a file. @param host where the gateway of `alice` listens. */
export function mailStage(host = '127.0.0.1'): MailStage {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-mail-'));
  const root = join(folder, 'mailbox');
  const sessions: Record<string, TestSession> = {};
  let gateway: GatewayProcess | null = null;
  beforeAll(async () => {
    for (const name of ['alice', 'bob'])
      sessions[name] = await makeSession({
        name,
        folder,
        mailbox: { root, address: null, principalId: null },
      });
    gateway = await startGateway(stage.alice, { host });
  });
  afterAll(async () => {
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const environmentOf = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
    const { HOUMAO_MANIFEST_PATH: _manifest, HOUMAO_AGENT_ID: _id, ...plain } = stage.alice.environment;
    return { ...plain, HOME: folder, PATH: managerEnvironment(folder).PATH, ...more };
  };
  const stage: MailStage = {
    folder,
    root,
    get alice() {
      return sessions.alice!;
    },
    get bob() {
      return sessions.bob!;
    },
    get gateway() {
      return gateway!;
    },
    run: (args, input = '', environment = {}) => manage(environmentOf(environment), args, input),
    json: async (args, input, environment) => {
      const ran = await stage.run([...args, '--json'], input, environment);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ran.stdout);
    },
    send: async (from, to, subject, ...more) => {
      const message = ['--to', addressOf(to), '--subject', subject, ...more];
      const body = more.includes('--body-content') ? [] : ['--body-content', `of ${subject}`];
      const sent = await stage.json(['agents', 'mail', 'send', from, ...message, ...body]);
      return sent.message.message_ref;
    },
  };
  return stage;
}
