import { readFileSync } from 'node:fs';
import { rowOf } from '../../../src/tools/adapter/json-value.js';
import { claudeHookEvents } from '../../../src/tools/claude/claude-adapter.js';
import { ClaudeHistory } from '../../../src/tools/claude/claude-self-report.js';
import { ClaudeTranscript } from '../../../src/tools/claude/claude-transcript.js';
import { codexHookEvents } from '../../../src/tools/codex/codex-adapter.js';
import { CodexRollout } from '../../../src/tools/codex/codex-rollout.js';
import { CodexHistory } from '../../../src/tools/codex/codex-self-report.js';
import { GeminiChat } from '../../../src/tools/gemini/gemini-chat.js';
import { geminiHookEvents } from '../../../src/tools/gemini/gemini-settings.js';
import { HookRows } from '../../../src/tools/self-report/hooked-binder.js';
import type { RowReader, SelfReportFact } from '../../../src/tools/self-report/self-report.js';

/** The rows that a real CLI wrote into its own files, recorded against a fake model server. */
export const sampleText = (file: string): string =>
  readFileSync(new URL(`../../fixtures/session-files/${file}`, import.meta.url), 'utf8');

/** Makes a reader of each kind. */
export const readerMakers: Readonly<Record<string, () => RowReader>> = {
  'claude transcript': () => new ClaudeTranscript('c1'),
  'claude history': () => new ClaudeHistory(() => true),
  'codex rollout': () => new CodexRollout('t1'),
  'codex history': () => new CodexHistory(() => true),
  'gemini chat': () => new GeminiChat('g1'),
  'claude hooks': () => new HookRows(claudeHookEvents, () => true),
  'codex hooks': () => new HookRows(codexHookEvents, () => true),
  'gemini hooks': () => new HookRows(geminiHookEvents, () => true),
};

export function readerOf(file: string): RowReader {
  const tool = file.split('/')[0];
  const shared = /\/(history|hooks)\.jsonl$/.exec(file)?.[1];
  const kind = shared ?? { claude: 'transcript', codex: 'rollout', gemini: 'chat' }[tool ?? ''];
  const make = readerMakers[`${tool} ${kind}`];
  if (make === undefined) throw new Error(`no reader for ${file}`);
  return make();
}

/** Facts of the lines of one file, from its first row on. */
export function factsOf(reader: RowReader, text: string): SelfReportFact[] {
  return text.split('\n').flatMap((line, index) => {
    const row = rowOf(line);
    return row === null ? [] : reader.read(row, { file: 'sample', offset: index });
  });
}

/** One line per fact, to compare. Turns are numbered in the order in which they are named. */
export function factLines(facts: readonly SelfReportFact[]): string[] {
  const turns: string[] = [];
  const number = (turn: string | null): string => {
    if (turn === null) return '-';
    if (!turns.includes(turn)) turns.push(turn);
    return String(turns.indexOf(turn) + 1);
  };
  return facts.map((fact) => {
    switch (fact.kind) {
      case 'conversation':
        return `conversation ${fact.id}`;
      case 'state':
        return `state ${fact.state}${fact.waitingFor === null ? '' : ` for ${fact.waitingFor}`}`;
      case 'asking':
        return `asking for ${fact.waitingFor}`;
      case 'prompt_taken':
        return `${number(fact.turn)} prompt_taken${fact.pending ? ', pending' : ''}: ${fact.text}`;
      case 'prompt_dropped':
        return `${number(fact.turn)} prompt_dropped: ${fact.text}`;
      case 'utterance':
        return `utterance ${fact.part.kind}`;
      case 'turn_ended': {
        const { error, outcome, settled, answer } = fact;
        const what = error === null ? answer : `${error.code} ${error.status} ${error.message}`;
        return `${number(fact.turn)} turn_ended ${outcome}${settled ? '' : ', not settled'}: ${what}`;
      }
    }
    return fact satisfies never;
  });
}
