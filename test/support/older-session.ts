import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './brain.js';
import { type OlderFacts, type OlderRelease, windowName, writeOlderFiles } from './older-files.js';
import type { OwnTmux } from './own-tmux.js';
import { standinProgram } from './test-session.js';

/** An agent that the older implementation launched and gave one turn: its files, its tmux session and its registry record. */
export interface OlderSession {
  readonly name: string;
  /** As its files have it: the later releases give a name without a prefix. */
  readonly agentName: string;
  readonly root: string;
  /** Of tmux. */
  readonly session: string;
  /** Of its headless turn; null for an agent in a terminal. */
  readonly conversation: string | null;
  /** The request that the older implementation accepted and did not run. */
  readonly waiting: string;
  /** One line for each prompt that the stand-in took. */
  readonly ledger: string;
  readonly recordPath: string;
}

const stamp = 1777712447123;

/**
 * Makes one whose gateway has run and was stopped.
 * @param folder has its sessions and its registry where `managerEnvironment` says.
 */
export function olderSession(
  { folder, window }: { readonly folder: string; readonly window: OwnTmux },
  name: string,
  backend: OlderFacts['backend'],
  release: OlderRelease,
): OlderSession {
  const own = join(folder, `prepared-${name}`);
  const { requested, ledger } = prepare(own);
  const home = join(own, 'home');
  mkdirSync(home);
  const sessionId = `${backend}-20260502-091407Z-${randomBytes(4).toString('hex')}`;
  const root = join(folder, 'runtime', 'sessions', backend, sessionId);
  const session = `HOUMAO-${name}-${stamp}`;
  const agentName = release === 'with memory' ? name : `HOUMAO-${name}`;
  const agentId = randomBytes(16).toString('hex');
  const tool: Tool = { workingDirectory: requested.workingDirectory, home, ledger };
  const ids = openSession(window, session, tool, {
    HOUMAO_MANIFEST_PATH: join(root, 'manifest.json'),
    HOUMAO_AGENT_ID: agentId,
    HOUMAO_AGENT_DEF_DIR: requested.agentDefinition,
    HOUMAO_TOOL: 'claude',
  });
  const isTerminal = backend === 'local_interactive';
  if (isTerminal) startInTerminal(window, ids.pane, tool);
  const facts: OlderFacts = {
    agentName,
    backend,
    release,
    root,
    sessionId,
    session,
    home,
    agentId,
    ids,
    conversation: isTerminal ? null : headlessTurn(tool),
    workingDirectory: requested.workingDirectory,
    definition: requested.agentDefinition,
    brain: requested.brainPath,
    generation: randomUUID(),
  };
  const { waiting, recordPath } = writeOlderFiles(join(folder, 'registry'), facts);
  return { name, agentName, root, session, conversation: facts.conversation, waiting, ledger, recordPath };
}

interface Tool {
  readonly workingDirectory: string;
  readonly home: string;
  readonly ledger: string;
}

const variablesOf = ({ home, ledger }: Tool) => ({ CLAUDE_CONFIG_DIR: home, HOUMAO_STANDIN_LEDGER: ledger });

/** One window that is named and has number 0; its variables are those of the tmux session. */
function openSession(
  window: OwnTmux,
  session: string,
  tool: Tool,
  variables: Record<string, string>,
): OlderFacts['ids'] {
  const ids = window.run(
    ...['new-session', '-d', '-s', session, '-c', tool.workingDirectory],
    ...['-P', '-F', '#{window_id} #{pane_id}'],
  );
  const [windowId = '', pane = ''] = ids.trim().split(' ');
  window.run('set-option', '-t', session, 'mouse', 'on');
  window.run('rename-window', '-t', windowId, windowName);
  for (const [variable, value] of Object.entries({ ...variablesOf(tool), ...variables }))
    window.run('set-environment', '-t', session, variable, value);
  return { window: windowId, pane };
}

function startInTerminal(window: OwnTmux, pane: string, tool: Tool): void {
  const variables = Object.entries(variablesOf(tool)).map(([name, value]) => `${name}='${value}'`);
  const script = [
    `cd '${tool.workingDirectory}'`,
    `${variables.join(' ')} '${standinProgram}' --append-system-prompt 'You test.'`,
    "printf '[houmao local interactive exited with code %s]\\n' $?",
    'exec /bin/sh -l',
  ].join('\n');
  window.run('respawn-pane', '-k', '-t', pane, '/bin/sh', '-lc', script);
}

/** @returns the conversation that the turn was in. */
function headlessTurn(tool: Tool): string {
  const args = ['-p', '--verbose', '--append-system-prompt', 'You test.', 'before'];
  const rows = execFileSync(standinProgram, [...args, '--output-format', 'stream-json'], {
    cwd: tool.workingDirectory,
    env: { PATH: process.env.PATH, ...variablesOf(tool) },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(rows.split('\n')[0] ?? '').session_id;
}
