import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { type Sending, send, sent, toBeSent } from './doors.js';
import { readLedger, readStored } from './evidence.js';
import type { Facts, LedgerRow } from './facts.js';
import { type Habits, Person } from './person.js';
import type { PlannedPrompt } from './scenario.js';
import { TorturedAgent } from './tortured-agent.js';

const attendMilliseconds = 100;

/** An agent with its faults and everybody around it, from the launch to the stop, and what they all say afterwards. */
export class Stage {
  readonly agent: TorturedAgent;
  readonly person: Person;
  readonly sendings: Sending[] = [];
  /** When the gateway was asked to interrupt, or may have been. */
  readonly interrupts: number[] = [];
  gatewaysKilled = 0;
  readonly #switches: readonly string[];
  readonly #over = new AbortController();
  #attending: Promise<void> = Promise.resolve();

  /** @param switches of `HOUMAO_STANDIN_TUI`. @param folder its own, with a short path: a socket stands in it. */
  constructor(folder: string, switches: readonly string[], habits: Habits) {
    this.agent = new TorturedAgent(folder, switches);
    this.person = new Person(this.agent, habits);
    this.#switches = switches;
  }

  /** @throws Error when it did not start. */
  async open(unattended: boolean): Promise<void> {
    await this.agent.launch(unattended);
    this.#attending = this.#attend();
  }

  get ledger(): LedgerRow[] {
    return readLedger(this.agent.ledgerFile);
  }

  /** Sends prompts at once. Resolves when each is answered. */
  async send(prompts: readonly PlannedPrompt[]): Promise<Sending[]> {
    const sendings = prompts.map(toBeSent);
    this.sendings.push(...sendings);
    if (sendings.some(({ forced }) => forced)) this.interrupts.push(Date.now());
    await Promise.all(sendings.map((sending) => send(this.agent, sending)));
    return sendings;
  }

  /** Kills the gateway and starts the next one. @returns false where none ran. */
  async replaceGateway(pauseMilliseconds: number): Promise<boolean> {
    if (!this.agent.killGateway()) return false;
    this.gatewaysKilled += 1;
    await after(pauseMilliseconds);
    await this.agent.attachGateway();
    // An interrupt that the killed one was asked for may be done by the next.
    if (this.interrupts.length > 0) this.interrupts.push(Date.now());
    return true;
  }

  /** Stops everything. @returns what is known then, and a line for each process that was left. */
  async close(): Promise<{ facts: Facts; leftBehind: readonly string[] }> {
    const { waiting, reminders } = await this.#lastWords();
    this.#over.abort();
    await this.#attending;
    await this.agent.stop();
    const leftBehind = this.agent.endLeftovers();
    const facts: Facts = {
      prompts: this.sendings.map(sent),
      ...readStored(this.agent.paths, waiting),
      reminders,
      ledger: this.ledger,
      personKeys: this.person.keys,
      drafts: this.person.drafts,
      blindMilliseconds: blindness(this.#switches),
      interruptsAsked: this.interrupts,
      shell: readFileSync(this.agent.shellFile, 'utf8'),
      gatewaysKilled: this.gatewaysKilled,
    };
    return { facts, leftBehind };
  }

  /** Ends whatever is left after a fault; does nothing after {@link close}. */
  async end(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    await this.agent.stop();
    this.agent.endLeftovers();
  }

  async #attend(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.person.attend(this.ledger);
      await after(attendMilliseconds, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
  }

  /** Why requests still wait, and the reminders that are left, as the last gateway says. */
  async #lastWords(): Promise<{ waiting: Map<string, string>; reminders: string[] }> {
    const waiting = new Map<string, string>();
    for (const { answer, door } of this.sendings) {
      if (door !== 'request' || answer.kind !== 'accepted') continue;
      const record = await this.agent.ask('GET', `/v1/requests/${answer.id}`);
      const reason = record?.body.waiting_reason?.detail;
      if (reason) waiting.set(answer.id, reason);
    }
    const listed = await this.agent.ask('GET', '/v1/reminders');
    const left: { reminder_id: string }[] = listed?.body.reminders ?? [];
    return { waiting, reminders: left.map(({ reminder_id }) => reminder_id) };
  }
}

/** The sum of what delays the screen. */
const blindness = (switches: readonly string[]): number =>
  switches
    .map((name) => Number(/^(?:late-echo|slow-draw)=(\d+)$/.exec(name)?.[1] ?? 0))
    .reduce((sum, each) => sum + each, 0);
