import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { askInterrupt, type Sending, send, sent, toBeSent } from './doors.js';
import { readLedger, readStored } from './evidence.js';
import type { Facts, LedgerRow } from './facts.js';
import { Person } from './person.js';
import { untilReady, untilRest } from './rest.js';
import type { Kill, Round, Scenario } from './scenario.js';
import { TorturedAgent } from './tortured-agent.js';

export interface Played {
  facts: Facts;
  /** What was done to it, each as often as it happened. */
  kills: readonly Kill[];
  acts: readonly string[];
  /** Processes that were there when all was stopped. */
  leftBehind: readonly string[];
}

/** So long a paste is waited for that a kill is to follow. */
const pasteMilliseconds = 6000;
const lookMilliseconds = 15;
const attendMilliseconds = 100;

/** Plays one scenario in a folder of its own, from the launch to the stop, and collects what everybody says of it. */
export async function playScenario(scenario: Scenario, folder: string): Promise<Played> {
  const play = new Play(scenario, folder);
  try {
    return await play.run();
  } finally {
    await play.end();
  }
}

class Play {
  readonly #scenario: Scenario;
  readonly #agent: TorturedAgent;
  readonly #person: Person;
  readonly #sendings: Sending[] = [];
  readonly #kills: Kill[] = [];
  readonly #interrupts: number[] = [];
  readonly #over = new AbortController();

  constructor(scenario: Scenario, folder: string) {
    this.#scenario = scenario;
    this.#agent = new TorturedAgent(folder, scenario);
    this.#person = new Person(this.#agent, scenario);
  }

  async run(): Promise<Played> {
    await this.#agent.launch(this.#scenario.unattended);
    const attending = this.#attend();
    for (const round of this.#scenario.rounds) await this.#playRound(round);
    const { waiting, reminders } = await this.#lastWords();
    this.#over.abort();
    await attending;
    await this.#agent.stop();
    const leftBehind = this.#agent.endLeftovers();
    const facts: Facts = {
      prompts: this.#sendings.map(sent),
      ...readStored(this.#agent.paths, waiting),
      reminders,
      ledger: this.#ledger(),
      personKeys: this.#person.keys,
      drafts: this.#person.drafts,
      blindMilliseconds: blindness(this.#scenario.switches),
      interruptsAsked: this.#interrupts,
      shell: readFileSync(this.#agent.shellFile, 'utf8'),
      gatewaysKilled: this.#kills.filter((kind) => kind.startsWith('gateway')).length,
    };
    return { facts, kills: this.#kills, acts: this.#person.acts, leftBehind };
  }

  /** Ends whatever is left after a fault; does nothing after {@link run}. */
  async end(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    await this.#agent.stop();
    this.#agent.endLeftovers();
  }

  #ledger(): LedgerRow[] {
    return readLedger(this.#agent.ledgerFile);
  }

  async #attend(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#person.attend(this.#ledger());
      await after(attendMilliseconds, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
  }

  async #playRound(round: Round): Promise<void> {
    const sendings = round.prompts.map(toBeSent);
    this.#sendings.push(...sendings);
    if (round.whenReady) await untilReady(this.#agent);
    if (sendings.some(({ forced }) => forced)) this.#interrupts.push(Date.now());
    await Promise.all([
      ...sendings.map((sending) => send(this.#agent, sending)),
      this.#disturb(round),
      this.#interrupt(round),
      this.#strike(round),
    ]);
    // A request whose answer was lost is repeated, with the same key; of the other doors nothing is repeated.
    for (const sending of sendings)
      if (sending.answer.kind === 'none' && sending.door === 'request') await send(this.#agent, sending);
    await untilRest(this.#agent, this.#person, this.#sendings, () => this.#ledger().length);
  }

  async #disturb({ person }: Round): Promise<void> {
    if (person === null) return;
    await after(person.after);
    await this.#person.act(person.act, person.text);
  }

  async #interrupt({ interruptAfter }: Round): Promise<void> {
    if (interruptAfter === null) return;
    await after(interruptAfter);
    this.#interrupts.push(Date.now());
    await askInterrupt(this.#agent);
  }

  async #strike(round: Round): Promise<void> {
    const { kill } = round;
    if (kill === null) return;
    if (kill.kind.endsWith('after-paste')) await this.#untilPasted(round.prompts.map(({ tag }) => tag));
    else await after(kill.after);
    if (kill.kind.startsWith('gateway')) {
      if (!this.#agent.killGateway()) return;
      this.#kills.push(kill.kind);
      await after(kill.after / 4);
      await this.#agent.attachGateway();
      // What was asked of the killed one may be done by the next.
      if (this.#interrupts.length > 0) this.#interrupts.push(Date.now());
      return;
    }
    this.#kills.push(kill.kind);
    if (kill.kind === 'session') await this.#agent.killSession();
    else if (kill.kind === 'server') await this.#agent.killServer();
    else {
      const pid = await this.#agent.toolPid();
      if (pid !== null) process.kill(pid, 'SIGKILL');
    }
  }

  /** Resolves when a prompt shows on the screen: it stands in the composer before it stands anywhere else. */
  async #untilPasted(tags: readonly string[]): Promise<void> {
    const placeholders = placeholdersOn(await this.#agent.screen());
    const deadline = Date.now() + pasteMilliseconds;
    while (Date.now() < deadline) {
      const screen = await this.#agent.screen();
      if (tags.some((tag) => screen.includes(tag)) || placeholdersOn(screen) > placeholders) return;
      await after(lookMilliseconds);
    }
  }

  /** Why requests still wait, and the reminders that are left, as the last gateway says. */
  async #lastWords(): Promise<{ waiting: Map<string, string>; reminders: string[] }> {
    const waiting = new Map<string, string>();
    for (const { answer, door } of this.#sendings) {
      if (door !== 'request' || answer.kind !== 'accepted') continue;
      const record = await this.#agent.ask('GET', `/v1/requests/${answer.id}`);
      const reason = record?.body.waiting_reason?.detail;
      if (reason) waiting.set(answer.id, reason);
    }
    const listed = await this.#agent.ask('GET', '/v1/reminders');
    const left: { reminder_id: string }[] = listed?.body.reminders ?? [];
    return { waiting, reminders: left.map(({ reminder_id }) => reminder_id) };
  }
}

/** The sum of what delays the screen. */
const blindness = (switches: readonly string[]): number =>
  switches
    .map((name) => Number(/^(?:late-echo|slow-draw)=(\d+)$/.exec(name)?.[1] ?? 0))
    .reduce((sum, each) => sum + each, 0);

const placeholdersOn = (screen: string): number => screen.split('[Pasted text #').length - 1;
