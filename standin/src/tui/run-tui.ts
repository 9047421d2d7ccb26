import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { StandinOptions } from '../arguments.js';
import { appendToLedger } from '../ledger.js';
import { findConversation, latestConversation, type PastConversation } from './conversations.js';
import { Hooks, readHooks } from './hooks.js';
import { decodeInput, flushInput, type InputRest } from './input-events.js';
import { startScreen } from './screen-state.js';
import { SessionFiles, type SessionRecord } from './session-files.js';
import { parseSwitches } from './switches.js';
import { Terminal } from './terminal.js';
import { systemTime } from './time.js';
import { Transcript, type TranscriptContext } from './transcript.js';
import type { TuiParts } from './tui-parts.js';
import { TuiSession } from './tui-session.js';

/** The time after which an ESC without a continuation counts as the Escape key. */
const escapeMilliseconds = 40;
const redrawMilliseconds = 50;

/** Runs the stand-in in a terminal until it ends. */
export function runTui(options: StandinOptions, environment: NodeJS.ProcessEnv): void {
  const parsed = parseSwitches(environment.HOUMAO_STANDIN_TUI ?? '');
  if (!parsed.ok) {
    refuse(parsed.message);
    return;
  }
  const { switches } = parsed;
  const cwd = realpathSync(process.cwd());
  const home = environment.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
  const past = openConversation(options, home, cwd);
  if (typeof past === 'string') {
    refuse(past);
    return;
  }

  process.stdin.setRawMode(true);
  const model = options.model ?? (environment.ANTHROPIC_MODEL || 'standin-1');
  const screen = startScreen(cwd, model, past.entries);
  const delay = switches.slowDraw ?? 0;
  const terminal = new Terminal(process.stdout, screen, delay, !switches.noAlternateScreen);
  const record = recordOf(past.sessionId, cwd, environment);
  const files = new SessionFiles(home, record, switches.sessionFile);
  const context = { cwd, model, skipPermissions: options.skipPermissions };
  const transcript = (sessionId: string, before: Pick<PastConversation, 'lastUuid' | 'prompts'>) =>
    new Transcript({ ...context, sessionId } satisfies TranscriptContext, before);
  const hooks = new Hooks(readHooks(home, options.settings), () => ({
    session_id: files.sessionId,
    transcript_path: files.transcriptPath,
    cwd,
    permission_mode: options.skipPermissions ? 'bypassPermissions' : 'default',
  }));
  const { role, effort } = options;
  const parts: TuiParts = {
    screen,
    files,
    hooks,
    switches,
    time: systemTime,
    skipPermissions: options.skipPermissions,
    transcript: transcript(past.sessionId, past),
    mark: randomBytes(2).toString('hex'),
    newTranscript: (sessionId) => transcript(sessionId, { lastUuid: null, prompts: 0 }),
    draw: () => terminal.draw(),
    // Inside tmux the title never shows that the agent works.
    title: (working) => terminal.title(working && !environment.TMUX ? '◐ Claude Code' : '✳ Claude Code'),
    ledger: (entry) => appendToLedger('prompt' in entry ? { ...entry, role, effort, model } : entry),
    leave: (how, exitCode) => {
      const known = files.sessionId;
      // The ledger comes first, so that everything on the screen is in it.
      appendToLedger({ exit: how, session_id: known, exit_code: exitCode });
      const lastWords =
        how === 'left' ? `\u001b[2mResume this session with:\r\nclaude --resume ${known}\u001b[0m\r\n` : '';
      terminal.close(
        how === 'asked' ? `Error: the stand-in was asked to exit with code ${exitCode}\r\n` : lastWords,
      );
      if (how !== 'crashed') files.end();
      process.exit(exitCode);
    },
    kill: () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise<never>(() => undefined);
    },
  };
  const session = new TuiSession(parts);
  readKeys(session);
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.on(signal, () => void parts.leave('left', code));
  terminal.open('✳ Claude Code');
  if (switches.redraw) setInterval(() => terminal.drawAgain(), redrawMilliseconds);
  if (switches.clock)
    setInterval(() => {
      screen.corner = new Date().toTimeString().slice(0, 8);
      terminal.draw();
    }, 1000);
  void session.start(options.prompt);
}

function readKeys(session: TuiSession): void {
  let rest: InputRest = '';
  let waiting: NodeJS.Timeout | null = null;
  process.stdin.on('data', (chunk: Buffer) => {
    if (waiting !== null) clearTimeout(waiting);
    const decoded = decodeInput(rest, chunk);
    rest = decoded.rest;
    for (const event of decoded.events) session.handle(event);
    waiting = setTimeout(() => {
      const flushed = flushInput(rest);
      rest = flushed.rest;
      for (const event of flushed.events) session.handle(event);
    }, escapeMilliseconds);
  });
}

/** Returns the conversation to continue or to begin; a refusal as text. */
function openConversation(options: StandinOptions, home: string, cwd: string): PastConversation | string {
  const fresh = (sessionId: string) => ({ sessionId, entries: [], lastUuid: null, prompts: 0 });
  const { resume, sessionId } = options;
  if (resume !== null) {
    if (resume === '') return 'Error: the stand-in has no list of conversations; --resume needs an id.';
    return findConversation(home, cwd, resume) ?? `No conversation found with session ID: ${resume}`;
  }
  if (options.continueLatest) return latestConversation(home, cwd) ?? fresh(randomUUID());
  if (sessionId === null) return fresh(randomUUID());
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sessionId))
    return 'Error: Invalid session ID. Must be a valid UUID.';
  if (findConversation(home, cwd, sessionId) !== null)
    return `Error: Session ID ${sessionId} is already in use.`;
  return fresh(sessionId);
}

function recordOf(sessionId: string, cwd: string, environment: NodeJS.ProcessEnv): SessionRecord {
  const startedAt = Date.now();
  const pane = paneOf(environment);
  return {
    pid: process.pid,
    sessionId,
    cwd,
    startedAt,
    procStart: startTicks(),
    version: '2.1.330',
    peerProtocol: 1,
    peerFeatures: [],
    asksForConvertedSkills: null,
    kind: 'interactive',
    entrypoint: 'cli',
    ...(pane === null ? {} : { tmux: pane }),
    name: `${basename(cwd)}-${sessionId.slice(0, 2)}`,
    nameSource: 'derived',
    nameSince: startedAt,
  };
}

/** Returns the start of this process, in ticks since the start of the machine: field 22, the 20th after the name. */
function startTicks(): string | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Returns the pane, such as `agent:@3.%7`; null outside tmux. */
function paneOf({ TMUX, TMUX_PANE }: NodeJS.ProcessEnv): string | null {
  if (!TMUX || !TMUX_PANE) return null;
  const format = '#{session_name}:#{window_id}.#{pane_id}';
  try {
    const args = ['display-message', '-p', '-t', TMUX_PANE, format];
    return execFileSync('tmux', args, {
      encoding: 'utf8',
      timeout: 2000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
