import type { CanonicalDraft } from '../adapter/canonical-event.js';
import { textOf } from '../adapter/json-value.js';
import type { AnswerPart, FailureSigns, ToolAdapter } from '../adapter/tool-adapter.js';
import { geminiCommand, geminiOpening, geminiTerminal } from './gemini-command.js';
import { readGeminiRow } from './gemini-rows.js';
import { settingsObstacle } from './gemini-settings-obstacle.js';
import { geminiReasoning } from './gemini-thinking.js';

/** Gemini CLI, checked against 0.61.0. */
export const geminiAdapter: ToolAdapter = {
  name: 'gemini',
  backend: 'gemini_headless',
  executable: 'gemini',
  skillsFolder: '.gemini/skills',
  usualHome: '',
  homeEnvVar: 'GEMINI_CLI_HOME',
  roleInjectionMethod: 'bootstrap_message',
  credentialEnvVars: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_GENAI_USE_GCA',
  ],
  unattendedArgs: ['--approval-mode=yolo', '--sandbox=false'],
  reservedArgs: [
    '-p',
    '--prompt',
    '-i',
    '--prompt-interactive',
    '-o',
    '--output-format',
    '-r',
    '--resume',
    '--session-id',
  ],
  reasoning: geminiReasoning,
  reasoningObstacle: (place) => settingsObstacle('a reasoning level', place),
  hookObstacle: (place) => settingsObstacle('hooks of a launch', place),
  command: geminiCommand,
  opening: geminiOpening,
  terminal: geminiTerminal,
  readRow: readGeminiRow,
  promptTaken,
  answerPart,
  backgroundTasks: () => null,
  sessionLost,
};

/** Gemini CLI prints `init` once it has read stdin and, on resume, found the conversation. */
function promptTaken(event: CanonicalDraft): string | null {
  if (event.provider_event_type !== 'init' || event.kind !== 'session') return null;
  const id = textOf(event.data.session_id);
  return id === null ? 'init row without a session id' : `init row of session ${id}`;
}

/** Text comes in pieces; what was said before a tool ran is not part of the final answer. */
function answerPart(event: CanonicalDraft): AnswerPart | null {
  if (event.kind === 'action_result') return { mode: 'replace', text: '' };
  if (event.kind !== 'assistant') return null;
  return { mode: event.data.delta === true ? 'append' : 'replace', text: event.message };
}

/** Exit code 42 means any bad input, so the text has to match too. */
function sessionLost(failure: FailureSigns): boolean {
  const sign = /Error resuming session: (Invalid session identifier|No previous sessions found)/;
  return failure.exitCode === 42 && sign.test(failure.stderrTail);
}
