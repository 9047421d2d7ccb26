import type { AgentTool } from './agent-paths.js';
import type { CliResult, Row } from './cli.js';
import { obj, str } from './fake-model/json.js';

/** How one CLI is asked headless, and where its answer stands. */
interface Dialect {
  readonly first: readonly string[];
  resume(sessionId: string): readonly string[];
  sessionId(result: CliResult): string;
  answer(result: CliResult): string;
  /** The row that closes a turn, if there is one. */
  end(result: CliResult): Row | undefined;
  succeeded(end: Row): boolean;
}

export const CLAUDE = ['-p', '--output-format', 'stream-json', '--verbose'];
// Without --skip-git-repo-check codex refuses to work outside a git repository.
const CODEX = ['exec', '--json', '--skip-git-repo-check'];
export const GEMINI = ['--output-format', 'stream-json'];

export const DIALECTS: Readonly<Record<AgentTool, Dialect>> = {
  claude: {
    first: CLAUDE,
    resume: (id) => [...CLAUDE, '--resume', id],
    sessionId: (result) => firstText(result, 'session_id'),
    answer: (result) => str(DIALECTS.claude.end(result)?.result),
    end: (result) => result.rows.find((row) => row.type === 'result'),
    succeeded: (end) => end.is_error === false && end.subtype === 'success',
  },
  codex: {
    first: [...CODEX, '-'],
    resume: (id) => [...CODEX, 'resume', id, '-'],
    sessionId: (result) => firstText(result, 'thread_id'),
    answer: (result) => {
      const items = result.rows.filter((row) => row.type === 'item.completed').map((row) => obj(row.item));
      return items.map((item) => (item.type === 'agent_message' ? str(item.text) : '')).join('');
    },
    end: (result) => result.rows.find((row) => row.type === 'turn.completed' || row.type === 'turn.failed'),
    succeeded: (end) => end.type === 'turn.completed',
  },
  gemini: {
    first: GEMINI,
    resume: (id) => [...GEMINI, '--resume', id],
    sessionId: (result) => firstText(result, 'session_id'),
    answer: (result) => {
      const rows = result.rows.filter((row) => row.type === 'message' && row.role === 'assistant');
      return rows.map((row) => str(row.content)).join('');
    },
    end: (result) => result.rows.find((row) => row.type === 'result'),
    succeeded: (end) => end.status === 'success',
  },
};

function firstText(result: CliResult, name: string): string {
  return str(result.rows.find((row) => typeof row[name] === 'string')?.[name]);
}
