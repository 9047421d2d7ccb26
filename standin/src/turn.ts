import { setTimeout as sleep } from 'node:timers/promises';
import { answerText, tokens } from './answer.js';
import { apiFailure } from './api-failures.js';
import type { OutputFormat } from './arguments.js';
import type { Directives } from './directives.js';
import { mailRound } from './mail-round.js';
import { emitHugeRow, emitManyRows, flood, leaveGrandchild, printGarbage } from './misbehaviour.js';
import { print, printError } from './output.js';
import { type ResultFacts, resultRow } from './result-row.js';
import {
  apiErrorRow,
  apiRetryRow,
  assistantRow,
  initRow,
  interruptRow,
  newMessageId,
  type Row,
  type RowContext,
  streamRow,
  textDelta,
  toolRows,
} from './rows.js';
import type { StandinSession } from './sessions.js';

export interface TurnSetup {
  context: RowContext;
  session: StandinSession;
  directives: Directives;
  /** The prompt without its directives. */
  text: string;
  outputFormat: OutputFormat;
  partialMessages: boolean;
}

export type StandinOutcome = 'answered' | 'failed' | 'interrupted' | 'terminated' | 'exited' | 'no_result';

export interface StandinEnding {
  outcome: StandinOutcome;
  exitCode: number;
}

/** Runs one turn: prints its rows, and returns its outcome and exit code. */
export class StandinTurn {
  readonly #setup: TurnSetup;
  readonly #startedAt = Date.now();
  #hasResult = false;
  #interrupted = false;

  constructor(setup: TurnSetup) {
    this.#setup = setup;
  }

  async run(): Promise<StandinEnding> {
    const { context, directives, outputFormat } = this.#setup;
    const { numbers, flags } = directives;
    const silent = flags.has('silent');
    if (!silent) await this.#emit(initRow(context));
    if (numbers.stderr !== undefined) await flood(numbers.stderr);
    if (flags.has('garbage') && outputFormat === 'stream-json') await printGarbage();
    if (numbers.grandchild !== undefined) leaveGrandchild(numbers.grandchild);
    if (numbers.slow !== undefined) await this.#pause(numbers.slow);
    if (silent) await this.#emit(initRow(context));
    if (flags.has('crash')) {
      process.kill(process.pid, 'SIGKILL');
      await sleep(60_000);
    }
    if (numbers.exit !== undefined) {
      await printError(`Error: the stand-in was asked to exit with code ${numbers.exit}\n`);
      return { outcome: 'exited', exitCode: numbers.exit };
    }
    if (numbers.fail !== undefined) return this.#fail(numbers.fail);
    return this.#answer();
  }

  /** Prints the two rows of an interrupt: on SIGINT Claude Code prints them and exits 0, as if nothing had failed. */
  async interrupt(): Promise<void> {
    if (this.#hasResult || this.#interrupted) {
      // Prints nothing more, but waits for output that is still being written.
      await print('');
      return;
    }
    const { context, outputFormat } = this.#setup;
    this.#interrupted = true;
    if (outputFormat === 'stream-json') await printRow(interruptRow(context));
    await this.#printResult({ kind: 'interrupted' }, { input: 0, output: 0 });
  }

  async #answer(): Promise<StandinEnding> {
    const { context, session, directives, text } = this.#setup;
    const { numbers, flags, tools } = directives;
    const emit = (row: Row) => this.#emit(row);
    for (const tool of tools) {
      for (const row of toolRows(context, tool, `The stand-in pretends that ${tool.name} ran.`))
        await emit(row);
    }
    if (numbers.hugerow !== undefined) await emitHugeRow(emit, context, numbers.hugerow);
    if (numbers.huge !== undefined) await emitManyRows(emit, context, numbers.huge);

    const answer = `${answerText(text, session.turns, numbers.words ?? 0)}${await mailRound(text, process.env)}`;
    await this.#stopIfInterrupted();
    const messageId = newMessageId();
    await this.#streamPieces(messageId, answer, numbers.drip);
    await emit(assistantRow(context, messageId, { type: 'text', text: answer }));

    if (flags.has('no-result')) return { outcome: 'no_result', exitCode: 0 };
    const usage = { input: tokens(session.prompts.join('\n')), output: tokens(answer) };
    session.input_tokens += usage.input;
    session.output_tokens += usage.output;
    await this.#printResult({ kind: 'answered', text: answer }, usage);
    return { outcome: 'answered', exitCode: 0 };
  }

  // Without --include-partial-messages Claude Code prints no pieces. A drip prints them anyway, because it would be invisible
  // otherwise.
  async #streamPieces(messageId: string, answer: string, drip: number | undefined): Promise<void> {
    if (!this.#setup.partialMessages && drip === undefined) return;
    const { context } = this.#setup;
    const stream = (event: Row) => this.#emit(streamRow(context, messageId, event));
    await stream({
      type: 'message_start',
      message: { id: messageId, role: 'assistant', model: context.model },
    });
    await stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    for (const piece of answer.match(/\S+\s*/g) ?? []) {
      await stream(textDelta(piece));
      if (drip !== undefined) await this.#pause(drip);
    }
    await stream({ type: 'content_block_stop', index: 0 });
    await stream({ type: 'message_stop' });
  }

  async #fail(status: number): Promise<StandinEnding> {
    const { context } = this.#setup;
    const failure = apiFailure(status);
    const retries = 2;
    for (let attempt = 1; attempt <= retries; attempt += 1) {
      const delayMs = attempt * 20;
      await this.#emit(apiRetryRow(context, failure, attempt, retries, delayMs));
      await this.#pause(delayMs);
    }
    await this.#emit(apiErrorRow(context, failure));
    await this.#printResult({ kind: 'api_error', failure }, { input: 0, output: 0 });
    return { outcome: 'failed', exitCode: 1 };
  }

  async #printResult(how: ResultFacts['how'], usage: ResultFacts['usage']): Promise<void> {
    const { context, session, directives, outputFormat } = this.#setup;
    const row = resultRow({
      session_id: context.session_id,
      model: context.model,
      durationMs: Date.now() - this.#startedAt,
      modelCalls: 1 + directives.tools.length,
      usage,
      total: { input: session.input_tokens, output: session.output_tokens },
      how,
    });
    this.#hasResult = true;
    if (outputFormat !== 'text') await printRow(row);
    else if (typeof row.result === 'string') await print(`${row.result}\n`);
  }

  async #emit(row: Row): Promise<void> {
    if (this.#setup.outputFormat === 'stream-json') await printRow(row);
    await this.#stopIfInterrupted();
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms);
    await this.#stopIfInterrupted();
  }

  // An interrupted turn waits here forever; the interrupt ends the process.
  async #stopIfInterrupted(): Promise<void> {
    if (this.#interrupted) await new Promise<never>(() => undefined);
  }
}

function printRow(row: Row): Promise<void> {
  return print(`${JSON.stringify(row)}\n`);
}
