import { expect, onTestFinished } from 'vitest';
import type { Clock } from '../../../src/foundation/clock.js';
import { SessionMailbox } from '../../../src/gateway/mail/session-mailbox.js';
import { MailNotifier } from '../../../src/gateway/notifier/mail-notifier.js';
import type { NotifierUpdate } from '../../../src/gateway/notifier/notifier-settings.js';
import { FilesystemTransport } from '../../../src/mail/filesystem/filesystem-transport.js';
import type { MailRoot } from '../../../src/mail/filesystem/mailbox/mail-root.js';
import type { NotifyBlock } from '../../../src/mail/message/mail-message.js';
import { toMailRef } from '../../../src/mail/message/message-id.js';
import type { MailBinding, Manifest } from '../../../src/session/manifest-schema.js';
import { temporaryFolder } from '../temporary-folder.js';
import { makeQueue, type TestQueue } from '../test-queue.js';
import { VirtualClock } from '../virtual-clock.js';
import { addressOf, mailOf, newRoot, send } from './mail-root.js';

/** The clock of the notifier alone, which knows whether it sleeps, and how often it did. */
class CountingClock implements Clock {
  readonly #clock: Clock;
  sleeps = 0;
  asleep = false;
  constructor(clock: Clock) {
    this.#clock = clock;
  }
  now(): Date {
    return this.#clock.now();
  }
  monotonic(): number {
    return this.#clock.monotonic();
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps += 1;
    this.asleep = true;
    await this.#clock.sleep(ms, signal);
    this.asleep = false;
  }
}

export interface AuditRow {
  outcome: string;
  unread_count: number | null;
  unread_digest: string | null;
  unread_summary_json: string;
  enqueued_request_id: string | null;
  detail: string | null;
  context_action_outcome: string | null;
  rendered_block_entries_json: string;
}

/**
 * An agent with a mailbox in a real root, its queue and its notifier. Time passes when the test says so; events of the file
 * system come by themselves.
 */
export class NotifiedAgent {
  readonly clock: VirtualClock;
  readonly queue: TestQueue;
  readonly root: MailRoot;
  readonly mailbox: FilesystemTransport;
  readonly #host: string;
  readonly manifest: { launch_plan: { mailbox: MailBinding | null } };
  #notifierClock: CountingClock;
  #notifier: MailNotifier;
  #received = 0;

  private constructor(clock: VirtualClock, queue: TestQueue, root: MailRoot, host: string) {
    [this.clock, this.queue, this.root, this.#host] = [clock, queue, root, host];
    this.mailbox = new FilesystemTransport(root, {
      address: addressOf('bob'),
      principalId: 'HOUMAO-bob',
    });
    this.manifest = { launch_plan: { mailbox: this.binding('bob', 'v1') } };
    this.#notifierClock = new CountingClock(clock);
    this.#notifier = this.#make();
  }

  /** With its notifier off, and its loop not yet started. The test's end stops everything. */
  static async make(host = '127.0.0.1'): Promise<NotifiedAgent> {
    const clock = new VirtualClock('2026-01-01T00:00:00Z');
    const queue = await makeQueue(clock);
    const root = await newRoot(['alice', 'bob', 'carol']);
    const agent = new NotifiedAgent(clock, queue, root, host);
    onTestFinished(async () => {
      await agent.notifier.loop.stop();
      queue.target.end();
      await queue.close();
    });
    queue.notices.stale = () => agent.notifier.stale();
    queue.slotChanged = () => agent.notifier.loop.wakeIfMailWaits();
    queue.worker.start();
    return agent;
  }

  /** The same with its loop running. */
  static async start(): Promise<NotifiedAgent> {
    const agent = await NotifiedAgent.make();
    agent.notifier.loop.start();
    return agent;
  }

  get notifier(): MailNotifier {
    return this.#notifier;
  }

  /** As a gateway that stops and starts. @param work is done in between. */
  async restart(work: () => Promise<unknown>): Promise<void> {
    await this.#notifier.loop.stop();
    await work();
    this.#notifier = this.#make();
    this.#notifier.loop.start();
  }

  #make(): MailNotifier {
    const { queue, clock } = this;
    this.#notifierClock = new CountingClock(clock);
    const mailbox = new SessionMailbox(() => this.manifest as unknown as Manifest, {
      clock,
      credentialFile: (ref) => expect.fail(`${ref} is asked for`),
      refusalNote: (ref) => expect.fail(`${ref} is asked for`),
    });
    onTestFinished(() => mailbox.close());
    return new MailNotifier({
      journal: queue.journal,
      axes: queue.axes,
      turns: queue.turns,
      target: queue.target,
      tool: 'claude',
      queue: queue.queue,
      turnTable: queue.turnTable,
      store: queue.store,
      mailbox,
      clock: this.#notifierClock,
      home: temporaryFolder(),
      host: this.#host,
      port: 1234,
      wakeWorker: () => queue.worker.wake(),
      report: (fault) => void queue.faults.push(fault),
    });
  }

  binding(name: string, version: string): MailBinding {
    return {
      transport: 'filesystem',
      filesystem_root: this.root.paths.root,
      bindings_version: version,
      principal_id: `HOUMAO-${name}`,
      address: addressOf(name),
    };
  }

  async enable(update: Partial<NotifierUpdate> = {}): Promise<void> {
    const after = await this.#notifier.service.enable({ intervalSeconds: 3600, notices: {}, ...update });
    expect(after).toMatchObject({ supportError: null });
  }

  /** Leaves it enabled in the database, and makes it again from that. */
  enableInStore(intervalSeconds: number): void {
    const { table } = this.#notifier;
    const stored = table.read();
    table.write('2026-01-01T00:00:00+00:00', {
      ...stored,
      settings: { ...stored.settings, enabled: true, intervalSeconds },
    });
    this.#notifier = this.#make();
  }

  /** Alice writes to the agent. @returns the reference of her message. */
  async receive(subject: string, notice: string | null = null, to = 'bob'): Promise<string> {
    const notifyBlock: NotifyBlock | null = notice === null ? null : { text: notice, placement: 'append' };
    // Stamps have whole seconds: each message has one of its own.
    this.#received += 1;
    const at = new Date(this.clock.now().getTime() + this.#received * 1000);
    const { messageId } = await send(this.root, mailOf('alice', [to], { subject, notifyBlock }, at));
    return toMailRef(messageId);
  }

  get audit(): AuditRow[] {
    return this.queue.store
      .prepare<[], AuditRow>('SELECT * FROM gateway_notifier_audit ORDER BY audit_id')
      .all();
  }

  /** The subjects that each queued prompt reported, by its row of the audit. */
  get reported(): string[][] {
    return this.audit.filter((row) => row.enqueued_request_id !== null).map(subjectsOf);
  }

  /** Resolves when so many prompts went to the agent in all. */
  async prompted(count: number): Promise<void> {
    await expect.poll(() => this.queue.target.started.length).toBe(count);
  }

  /** Ends the agent's turn; another one may have begun by then. */
  async finish(): Promise<void> {
    const { turns, target } = this.queue;
    const { liveTurnId } = turns;
    target.end();
    await expect.poll(() => turns.liveTurnId).not.toBe(liveTurnId);
  }

  async lastError(): Promise<string | null> {
    return (await this.#notifier.service.read()).stored.lastError;
  }

  /** Resolves when the notifier sleeps: until something wakes it, or time passes. */
  async asleep(): Promise<void> {
    await expect.poll(() => this.#notifierClock.asleep).toBe(true);
  }

  /** Does what wakes the notifier, and resolves when that has looked and sleeps again. */
  async whileItLooks<T>(work: () => T | Promise<T>): Promise<T> {
    await this.asleep();
    const before = this.#notifierClock.sleeps;
    const result = await work();
    await expect.poll(() => this.#notifierClock.sleeps).toBeGreaterThan(before);
    await this.asleep();
    return result;
  }

  /** Lets time pass, and resolves when the notifier has done what is due by then. */
  pass(seconds: number): Promise<void> {
    return this.whileItLooks(() => {
      this.clock.pass(seconds * 1000);
      // It may have had a longer sleep before it.
      this.#notifier.loop.wake();
    });
  }
}

export const subjectsOf = (row: AuditRow): string[] =>
  (JSON.parse(row.unread_summary_json) as { subject: string }[]).map(({ subject }) => subject);
