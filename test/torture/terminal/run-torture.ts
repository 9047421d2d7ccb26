import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './check.js';
import type { Violation } from './facts.js';
import { planScenario } from './plan.js';
import { playScenario } from './play-scenario.js';
import type { Scenario } from './scenario.js';
import { fates, Tally } from './tally.js';

export interface TortureOptions {
  folder: string;
  submissions: number;
  seed: number;
  /** So many scenarios at a time. */
  atOnce: number;
  /** The number of the one scenario to be played; null for as many as have the submissions. */
  only: number | null;
  verbose: boolean;
}

/** Plays scenarios and says what came of them. @returns whether no promise was broken. */
export function runTorture(options: TortureOptions): Promise<boolean> {
  return new Torture(options).run();
}

class Torture {
  readonly #options: TortureOptions;
  readonly #begun = Date.now();
  readonly #tally = new Tally();
  readonly #kept: string[] = [];
  #broken = 0;

  constructor(options: TortureOptions) {
    this.#options = options;
  }

  async run(): Promise<boolean> {
    const { folder, submissions, seed, atOnce } = this.#options;
    console.log(`torture: terminals, ${submissions} submissions, seed ${seed}, in ${folder}`);
    const plans = this.#plans();
    const work = async (): Promise<void> => {
      for (let next = plans.shift(); next !== undefined; next = plans.shift()) await this.#play(next);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return this.#summarise();
  }

  /** As many scenarios as have the wanted number of prompts, or the one that was asked for. */
  #plans(): Scenario[] {
    const { only, seed, submissions } = this.#options;
    if (only !== null) return [planScenario(seed, only)];
    const planned: Scenario[] = [];
    for (let prompts = 0; prompts < submissions; ) {
      const scenario = planScenario(seed, planned.length + 1);
      planned.push(scenario);
      prompts += scenario.rounds.flatMap((round) => round.prompts).length;
    }
    return planned;
  }

  async #play(scenario: Scenario): Promise<void> {
    const { folder, seed, verbose } = this.#options;
    const own = join(folder, `s${scenario.number}_`);
    const tally = this.#tally;
    try {
      const played = await playScenario(scenario, own);
      const violations = check(played.facts);
      tally.add(scenario, played, violations);
      if (verbose) for (const line of fates(scenario, played)) console.log(line);
      for (const violation of violations) this.#report(scenario, violation);
      for (const line of played.leftBehind)
        console.log(`torture: scenario ${scenario.number} left behind: ${line.trim()}`);
      if (violations.length === 0) rmSync(own, { recursive: true, force: true, maxRetries: 5 });
      else this.#kept.push(own);
    } catch (error) {
      this.#broken += 1;
      this.#kept.push(own);
      console.log(
        `BROKEN scenario ${scenario.number} (${scenario.switches.join(',')}), seed ${seed}: ${(error as Error).stack}`,
      );
    }
    if (tally.scenarios % 10 === 0)
      console.log(
        `torture: ${tally.scenarios} scenarios, ${tally.doors.total} submissions, ${tally.violations.total} violations, ${this.#elapsed} s`,
      );
  }

  #report({ number, switches }: Scenario, { kind, what }: Violation): void {
    console.log(
      `VIOLATION ${kind}, scenario ${number} (${switches.join(',') || 'no fault'}), seed ${this.#options.seed}: ${what}`,
    );
  }

  get #elapsed(): string {
    return ((Date.now() - this.#begun) / 1000).toFixed(0);
  }

  #summarise(): boolean {
    const { seed } = this.#options;
    const tally = this.#tally;
    const isFine = tally.violations.total + this.#broken === 0;
    for (const line of tally.lines) console.log(`torture: ${line}`);
    if (!isFine)
      console.log(
        `torture: evidence is in ${this.#kept.join(', ')}; one of them again: --scenario N --seed ${seed}`,
      );
    console.log(
      `torture: ${isFine ? 'ok' : 'FAILED'}; seed ${seed}; ${tally.doors.total} submissions; ${this.#elapsed} s; ${this.#broken} broken scenarios, ${tally.violations.total} violations`,
    );
    return isFine;
  }
}
