import type { CanonicalDraft } from '../adapter/canonical-event.js';
import type { AnswerPart, FailureSigns, ToolAdapter } from '../adapter/tool-adapter.js';
import { codexCommand, codexTerminal } from './codex-command.js';
import { codexHookObstacle } from './codex-hooks.js';
import { codexReasoning } from './codex-reasoning.js';
import { readCodexRow } from './codex-rows.js';

/** Codex CLI, checked against 0.169.0. */
export const codexAdapter: ToolAdapter = {
  name: 'codex',
  backend: 'codex_headless',
  executable: 'codex',
  skillsFolder: 'skills',
  usualHome: '.codex',
  homeEnvVar: 'CODEX_HOME',
  roleInjectionMethod: 'native_developer_instructions',
  credentialEnvVars: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY'],
  unattendedArgs: [
    '--config=approval_policy="never"',
    '--config=sandbox_mode="danger-full-access"',
    '--config=notice.hide_full_access_warning=true',
    '--config=tui.show_tooltips=false',
  ],
  reservedArgs: ['-c', 'app-server', 'exec', 'resume', '--json'],
  reasoning: codexReasoning,
  reasoningObstacle: () => null,
  hookObstacle: (_place, launchArgs) => codexHookObstacle(launchArgs),
  command: codexCommand,
  opening: () => null,
  terminal: codexTerminal,
  readRow: readCodexRow,
  promptTaken,
  answerPart,
  backgroundTasks: () => null,
  sessionLost,
};

/** `thread.started` comes before the prompt is looked at; `turn.started` after. */
function promptTaken(event: CanonicalDraft): string | null {
  return event.provider_event_type === 'turn.started' ? 'turn.started row' : null;
}

function answerPart(event: CanonicalDraft): AnswerPart | null {
  return event.kind === 'assistant' ? { mode: 'replace', text: event.message } : null;
}

/** Codex prints no row for an unknown id, only one line on stderr. */
function sessionLost(failure: FailureSigns): boolean {
  const sign = /no rollout found for (thread|conversation) id/i;
  return sign.test(failure.stderrTail) || sign.test(failure.lastError ?? '');
}
