import { setTimeout as after } from 'node:timers/promises';
import { askInterrupt, send } from './doors.js';
import type { Facts } from './facts.js';
import { untilReady, untilRest } from './rest.js';
import type { Kill, Round, Scenario } from './scenario.js';
import { Stage } from './stage.js';

export interface Played {
  facts: Facts;
  /** The kills and acts, each as often as it happened. */
  kills: readonly Kill[];
  acts: readonly string[];
  /** Processes that were there when all was stopped. */
  leftBehind: readonly string[];
}

/** So long a paste is waited for that a kill is to follow. */
const pasteMilliseconds = 6000;
const lookMilliseconds = 15;

/** Plays one scenario in a folder of its own, from the launch to the stop, and collects what everybody says of it. */
export async function playScenario(scenario: Scenario, folder: string): Promise<Played> {
  const stage = new Stage(folder, scenario.switches, scenario);
  const play = new Play(stage);
  try {
    await stage.open(scenario.unattended);
    for (const round of scenario.rounds) await play.round(round);
    const { facts, leftBehind } = await stage.close();
    return { facts, kills: play.kills, acts: stage.person.acts, leftBehind };
  } finally {
    await stage.end();
  }
}

class Play {
  readonly kills: Kill[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async round(round: Round): Promise<void> {
    const { agent, person, sendings } = this.#stage;
    if (round.whenReady) await untilReady(agent);
    const [now] = await Promise.all([
      this.#stage.send(round.prompts),
      this.#disturb(round),
      this.#interrupt(round),
      this.#strike(round),
    ]);
    // A request whose answer was lost is repeated, with the same key; of the other doors nothing is repeated.
    for (const sending of now)
      if (sending.answer.kind === 'none' && sending.door === 'request') await send(agent, sending);
    await untilRest(agent, person, sendings, () => this.#stage.ledger.length);
  }

  async #disturb({ person }: Round): Promise<void> {
    if (person === null) return;
    await after(person.after);
    await this.#stage.person.act(person.act, person.text);
  }

  async #interrupt({ interruptAfter }: Round): Promise<void> {
    if (interruptAfter === null) return;
    await after(interruptAfter);
    this.#stage.interrupts.push(Date.now());
    await askInterrupt(this.#stage.agent);
  }

  async #strike(round: Round): Promise<void> {
    const { kill } = round;
    if (kill === null) return;
    const { agent } = this.#stage;
    if (kill.kind.endsWith('after-paste')) await this.#untilPasted(round.prompts.map(({ tag }) => tag));
    else await after(kill.after);
    if (kill.kind.startsWith('gateway')) {
      if (await this.#stage.replaceGateway(kill.after / 4)) this.kills.push(kill.kind);
      return;
    }
    this.kills.push(kill.kind);
    if (kill.kind === 'session') await agent.killSession();
    else if (kill.kind === 'server') await agent.killServer();
    else {
      const pid = await agent.toolPid();
      if (pid !== null) process.kill(pid, 'SIGKILL');
    }
  }

  /** Resolves when a prompt shows on the screen: it stands in the composer before it stands anywhere else. */
  async #untilPasted(tags: readonly string[]): Promise<void> {
    const { agent } = this.#stage;
    const placeholders = placeholdersOn(await agent.screen());
    const deadline = Date.now() + pasteMilliseconds;
    while (Date.now() < deadline) {
      const screen = await agent.screen();
      if (tags.some((tag) => screen.includes(tag)) || placeholdersOn(screen) > placeholders) return;
      await after(lookMilliseconds);
    }
  }
}

const placeholdersOn = (screen: string): number => screen.split('[Pasted text #').length - 1;
