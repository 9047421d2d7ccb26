import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/foundation/clock.js';
import type { Binder, SelfReportFact } from '../../../src/tools/self-report/self-report.js';
import { type ReportMark, SelfReporter } from '../../../src/tools/self-report/self-reporter.js';
import { factLines } from './session-sample.js';

/** Milliseconds in which a reporter has reported all that it has. */
const patience = 20_000;

/** The facts of a reporter, with waiting for them. */
export class HeardFacts {
  readonly facts: SelfReportFact[] = [];
  readonly faults: string[] = [];
  readonly reporter: SelfReporter;
  #wake: () => void = () => undefined;

  constructor(binder: Binder, clock: Clock, from: ReportMark | null = null) {
    this.reporter = new SelfReporter({
      binder,
      clock,
      from,
      onFact: (fact) => {
        this.facts.push(fact);
        this.#wake();
      },
      onFault: (sentence) => {
        this.faults.push(sentence);
        this.#wake();
      },
    });
    onTestFinished(() => this.reporter.close());
  }

  get lines(): string[] {
    return factLines(this.facts);
  }

  /** Resolves when exactly this was reported so far; each line as {@link factLines} writes it. */
  async heard(...lines: string[]): Promise<void> {
    await this.until(() => this.lines.length >= lines.length);
    if (this.lines.join('\n') !== lines.join('\n')) throw new Error(`heard:\n${this.lines.join('\n')}`);
  }

  async until(happened: () => boolean): Promise<void> {
    const deadline = performance.now() + patience;
    while (!happened()) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`heard so far:\n${[...this.lines, ...this.faults].join('\n')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
