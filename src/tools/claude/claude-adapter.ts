import type { CanonicalDraft } from '../adapter/canonical-event.js';
import { isRecord, listOf, recordOf, visibleTextOf } from '../adapter/json-value.js';
import { sessionIdOf } from '../adapter/session-id.js';
import type { AnswerPart, FailureSigns, ToolAdapter } from '../adapter/tool-adapter.js';
import { claudeCommand, claudeTerminal } from './claude-command.js';
import { claudeHookObstacle } from './claude-hooks.js';
import { claudeReasoning } from './claude-reasoning.js';
import { readClaudeRow } from './claude-rows.js';

/** Claude Code, checked against 2.1.330. */
export const claudeAdapter: ToolAdapter = {
  name: 'claude',
  backend: 'claude_headless',
  executable: 'claude',
  skillsFolder: 'skills',
  usualHome: '.claude',
  homeEnvVar: 'CLAUDE_CONFIG_DIR',
  roleInjectionMethod: 'native_append_system_prompt',
  credentialEnvVars: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_SMALL_FAST_MODEL',
    'CLAUDE_CODE_SUBAGENT_MODEL',
    'ANTHROPIC_DEFAULT_OPUS_MODEL',
    'ANTHROPIC_DEFAULT_SONNET_MODEL',
    'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  ],
  unattendedArgs: ['--dangerously-skip-permissions'],
  reservedArgs: [
    '-p',
    '--print',
    '--append-system-prompt',
    '--input-format',
    '--output-format',
    '-r',
    '--resume',
    '-c',
    '--continue',
    '--session-id',
  ],
  reasoning: claudeReasoning,
  reasoningObstacle: () => null,
  hookObstacle: (_place, launchArgs) => claudeHookObstacle(launchArgs),
  command: claudeCommand,
  opening: () => null,
  terminal: claudeTerminal,
  readRow: readClaudeRow,
  promptTaken,
  answerPart,
  backgroundTasks,
  sessionLost,
};

/** Claude Code prints its init row only once it has a prompt and, on resume, the conversation. */
function promptTaken(event: CanonicalDraft): string | null {
  if (event.provider_event_type !== 'system.init') return null;
  const id = isRecord(event.raw_payload) ? sessionIdOf(event.raw_payload) : null;
  return id === null ? 'system/init row without a session id' : `system/init row of session ${id}`;
}

/** While it runs, the last text of the main agent; at the end, what the result row calls the result. */
function answerPart(event: CanonicalDraft): AnswerPart | null {
  const { data } = event;
  if (event.kind === 'completion' && data.status === 'success') {
    const text = visibleTextOf(data.result_text);
    return text === null ? null : { mode: 'replace', text };
  }
  const ofMainAgent = data.parent_tool_use_id === null && data.api_error === undefined;
  return event.kind === 'assistant' && ofMainAgent ? { mode: 'replace', text: event.message } : null;
}

/** Claude Code prints the whole list whenever a task begins or ends. */
function backgroundTasks(event: CanonicalDraft): number | null {
  if (event.provider_event_type !== 'system.background_tasks_changed') return null;
  return listOf(recordOf(event.raw_payload)?.tasks)?.length ?? null;
}

function sessionLost(failure: FailureSigns): boolean {
  const sign = /^No conversation found (with session ID|to continue)/m;
  return sign.test(failure.lastError ?? '') || sign.test(failure.stderrTail);
}
