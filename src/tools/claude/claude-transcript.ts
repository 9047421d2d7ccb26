import { listOf, messageText, numberOf, recordOf, textOf, timeOf } from '../adapter/json-value.js';
import { type ReportedPart, reportedPart } from '../adapter/reported-part.js';
import { normalizeUsage, readableError, UsageSum } from '../adapter/row-facts.js';
import {
  evidenceOf,
  type PromptTaken,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
  type TurnEnded,
} from '../self-report/self-report.js';
import { readClaudeRow } from './claude-rows.js';

type Row = Record<string, unknown>;

/**
 * Reads `projects/<folder>/<conversation>.jsonl`.
 *
 * under way ──turn_duration, an interruption, an API error, the output of a command──▶ over
 *    └─ end_turn: it looks like the end; a hook may still make the agent continue
 * over ──a user row with another prompt id──▶ under way
 *
 * A prompt that Escape took back before any output leaves no row of its own: the next prompt has the same parent.
 */
export class ClaudeTranscript implements RowReader {
  readonly #conversation: string;
  #over = false;
  #turn: string | null = null;
  /** The parent of a prompt that has no answer yet; undefined if Escape cannot take a prompt back. */
  #parent: string | null | undefined = undefined;
  #message: { id: string | null; text: string | null; model: string | null } | null = null;
  #usage = new UsageSum();
  readonly #queued: string[] = [];

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  read(row: Row, place: RowPlace): SelfReportFact[] {
    if (row.isSidechain === true) return [];
    switch (row.type) {
      case 'user':
        return this.#user(row, place);
      case 'assistant':
        return this.#assistant(row, place);
      case 'queue-operation':
        return this.#queue(row, place);
      case 'attachment':
        return this.#attachment(row, place);
      case 'system':
        return this.#system(row, place);
      default:
        return [];
    }
  }

  /** Without a screen, Claude Code prints rows with the same blocks. */
  said(row: Row): ReportedPart[] {
    const isOwn = row.isSidechain !== true && row.isApiErrorMessage !== true;
    if (!isOwn || recordOf(row.message)?.model === '<synthetic>') return [];
    if (row.type !== 'assistant' && row.type !== 'user') return [];
    return readClaudeRow(row).flatMap((draft) => reportedPart(draft) ?? []);
  }

  #user(row: Row, place: RowPlace): SelfReportFact[] {
    const text = messageText(recordOf(row.message)?.content, '\n');
    const evidence = evidenceOf('user row', place);
    if (isHuman(row)) {
      if (text === null) return [];
      const facts: SelfReportFact[] = [];
      const parent = row.parentUuid === null ? null : (textOf(row.parentUuid) ?? undefined);
      if (parent !== undefined && parent === this.#parent && !this.#over)
        facts.push(this.#ended('interrupted', row, evidence));
      this.#begin(row);
      this.#parent = parent;
      return [...facts, this.#taken(row, typedCommand(text) ?? text, false, evidence)];
    }
    if (isInterruption(row, text)) return this.#over ? [] : [this.#ended('interrupted', row, evidence)];
    // A command, or work that the agent begins by itself, such as after a task in the background.
    const turn = textOf(row.promptId);
    if (turn !== null && turn !== this.#turn) this.#begin(row);
    return text === null ? [] : this.#command(row, text, evidence);
  }

  #system(row: Row, place: RowPlace): SelfReportFact[] {
    if (row.subtype === 'turn_duration')
      return this.#over ? [] : [this.#ended('completed', row, evidenceOf('turn_duration row', place))];
    const refused = refusedPrompt(row);
    if (refused !== null) {
      const said = this.#said(row, evidenceOf('blocked_by_hook row', place));
      return [{ kind: 'prompt_dropped', text: refused, ...said, turn: null }];
    }
    const text = row.subtype === 'local_command' ? textOf(row.content) : null;
    if (text === null) return [];
    if (typedCommand(text) !== null) this.#begin(row);
    return this.#command(row, text, evidenceOf('local_command row', place));
  }

  /**
   * Reads the rows of a command. A command of Claude Code ends with its output, a shell command with the answer that follows it.
   */
  #command(row: Row, text: string, evidence: string): SelfReportFact[] {
    const typed = typedCommand(text);
    if (typed !== null) return [this.#taken(row, typed, false, evidence)];
    const output = commandOutput(text);
    if (output === null || this.#over) return [];
    return [{ ...this.#ended('completed', row, evidence), answer: output || null }];
  }

  #assistant(row: Row, place: RowPlace): SelfReportFact[] {
    const message = recordOf(row.message);
    if (message === null) return [];
    const text = messageText(message.content, '');
    const evidence = evidenceOf('assistant row', place);
    if (row.isApiErrorMessage === true) {
      const error = {
        message: readableError(text ?? 'API error'),
        code: textOf(row.error),
        status: numberOf(row.apiErrorStatus),
      };
      return [{ ...this.#ended('failed', row, evidence), answer: null, error }];
    }
    if (message.model === '<synthetic>') return [];
    this.#parent = undefined;
    this.#keep(message, text);
    if (message.stop_reason !== 'end_turn' || this.#message?.text == null) return [];
    return [this.#turnEnded('completed', false, row, evidence)];
  }

  /** Joins the blocks of one message, which may come in a row each. */
  #keep(message: Row, text: string | null): void {
    const id = textOf(message.id);
    const before = id !== null && this.#message?.id === id ? this.#message.text : null;
    const whole = text === null ? before : (before ?? '') + text;
    this.#message = { id, text: whole, model: textOf(message.model) };
    this.#usage.add(id ?? '', normalizeUsage(message.usage));
  }

  #queue(row: Row, place: RowPlace): SelfReportFact[] {
    const text = textOf(row.content);
    const evidence = evidenceOf(`${textOf(row.operation) ?? ''} row`, place);
    switch (row.operation) {
      case 'enqueue':
        if (text === null || isNotification(text)) return [];
        this.#queued.push(text);
        return [this.#taken(row, text, true, evidence)];
      case 'dequeue':
        this.#queued.shift();
        return [];
      case 'remove': {
        const index = this.#queued.indexOf(text ?? '');
        if (index !== -1) this.#queued.splice(index, 1);
        return [];
      }
      case 'popAll': {
        const dropped = this.#queued.splice(0);
        if (text !== null && !isNotification(text) && !dropped.includes(text)) dropped.push(text);
        return dropped.map((each) => ({
          kind: 'prompt_dropped',
          text: each,
          ...this.#said(row, evidence),
          turn: null,
        }));
      }
      default:
        return [];
    }
  }

  /** A prompt that was queued while a tool ran joins the running turn. */
  #attachment(row: Row, place: RowPlace): SelfReportFact[] {
    const attachment = recordOf(row.attachment);
    if (attachment?.type !== 'queued_command' || !isHuman(attachment)) return [];
    const text = messageText(attachment.prompt, '\n');
    if (text === null) return [];
    return [this.#taken(row, text, false, evidenceOf('queued_command row', place))];
  }

  #begin(row: Row): void {
    this.#over = false;
    this.#turn = textOf(row.promptId);
    this.#parent = undefined;
    this.#message = null;
    this.#usage = new UsageSum();
  }

  #taken(row: Row, text: string, pending: boolean, evidence: string): PromptTaken {
    const said = this.#said(row, evidence);
    return { kind: 'prompt_taken', text, pending, ...said, turn: pending ? null : said.turn };
  }

  #said(row: Row, evidence: string): Pick<TurnEnded, 'evidence' | 'at' | 'conversation' | 'turn'> {
    return { evidence, at: timeOf(row.timestamp), conversation: this.#conversation, turn: this.#turn };
  }

  #ended(outcome: TurnEnded['outcome'], row: Row, evidence: string): TurnEnded {
    this.#over = true;
    return this.#turnEnded(outcome, true, row, evidence);
  }

  #turnEnded(outcome: TurnEnded['outcome'], settled: boolean, row: Row, evidence: string): TurnEnded {
    return {
      kind: 'turn_ended',
      outcome,
      settled,
      ...this.#said(row, evidence),
      answer: this.#message?.text ?? null,
      model: this.#message?.model ?? null,
      usage: this.#usage.total,
      error: null,
    };
  }
}

const isHuman = (row: Row): boolean => recordOf(row.origin)?.kind === 'human';

/** Returns the prompt that a hook of the user refused: Claude Code puts it back into its composer. */
function refusedPrompt(row: Row): string | null {
  const { kind } = recordOf(recordOf(row.promptSubmitEnding)?.ending) ?? {};
  if (kind !== 'blocked_by_hook') return null;
  return /\nOriginal prompt: ([\s\S]*)$/.exec(textOf(row.content) ?? '')?.[1] ?? null;
}

const isNotification = (text: string): boolean => text.startsWith('<task-notification>');

function isInterruption(row: Row, text: string | null): boolean {
  const [only, ...more] = listOf(recordOf(row.message)?.content) ?? [];
  const isOneText = recordOf(only)?.type === 'text' && more.length === 0;
  return isOneText && text !== null && /^\[Request interrupted by user[^\]]*\]$/.test(text);
}

/** Returns the typed text for the row of a command: `/name arguments`, or `!` and a shell command; null for any other row. */
export function typedCommand(text: string): string | null {
  const shell = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text)?.[1];
  if (shell !== undefined) return `!${shell}`;
  if (!text.startsWith('<command-')) return null;
  const name = /<command-name>(\/[^<]+)<\/command-name>/.exec(text)?.[1];
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  return name === undefined ? null : `${name} ${given}`.trim();
}

/** Returns the output of a command of Claude Code that has ended; null for any other row. */
export function commandOutput(text: string): string | null {
  const printed = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(text)?.[2];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing styles is the purpose.
  return printed?.replace(/\u001b\[[0-9;]*m/g, '').trim() ?? null;
}
