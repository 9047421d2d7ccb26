import { randomUUID } from 'node:crypto';
import type { ParsedArguments, StandinOptions } from './arguments.js';
import { readDirectives } from './directives.js';
import { helpText, versionText } from './help-text.js';
import { appendToLedger } from './ledger.js';
import { readStdin } from './prompt-input.js';
import { lostSessionRow } from './result-row.js';
import {
  latestSession,
  loadSession,
  newSession,
  type StandinSession,
  saveSession,
  sessionsDirectory,
} from './sessions.js';
import { type StandinOutcome, StandinTurn } from './turn.js';

const directory = sessionsDirectory(process.env);

/** Runs the stand-in without a screen: it answers one prompt, or prints its help or version. */
export async function main(parsed: ParsedArguments): Promise<void> {
  if (!parsed.ok) return refuse(parsed.message);
  const { options } = parsed;
  if (options.help || options.version) {
    process.stdout.write(options.help ? helpText : `${versionText}\n`);
    return;
  }
  if (!options.print)
    return refuse('Error: without a terminal the stand-in has no interactive mode; use -p (see --help).');
  if (options.outputFormat === 'stream-json' && !options.verbose) {
    return refuse('Error: When using --print, --output-format=stream-json requires --verbose');
  }
  const prompt = options.prompt ?? (await readStdin());
  if (prompt.trim() === '') {
    return refuse(
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
    );
  }
  const session = openSession(options);
  if (session !== null) await runTurn(options, session, prompt);
}

/** Returns the conversation to continue; null after a refusal. */
function openSession(options: StandinOptions): StandinSession | null {
  const cwd = process.cwd();
  if (options.resume !== null) {
    const found = loadSession(directory, options.resume);
    if (found?.cwd === cwd) return found;
    refuseLostSession(options);
    return null;
  }
  if (options.continueLatest) return latestSession(directory, cwd) ?? newSession(randomUUID(), cwd);
  if (options.sessionId === null) return newSession(randomUUID(), cwd);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(options.sessionId)) {
    refuse('Error: Invalid session ID. Must be a valid UUID.');
    return null;
  }
  if (loadSession(directory, options.sessionId) !== null) {
    refuse(`Error: Session ID ${options.sessionId} is already in use.`);
    return null;
  }
  return newSession(options.sessionId, cwd);
}

async function runTurn(options: StandinOptions, session: StandinSession, prompt: string): Promise<void> {
  const { directives, text } = readDirectives(prompt);
  session.turns += 1;
  session.prompts.push(prompt);
  // The prompt is stored first: a turn that is interrupted or killed still belongs to the conversation.
  saveSession(directory, session);
  const { session_id } = session;
  const { role, effort } = options;
  const model = options.model ?? (process.env.ANTHROPIC_MODEL || 'standin-1');
  appendToLedger({ session_id, prompt, role, model, effort });

  const turn = new StandinTurn({
    context: { session_id, model, cwd: process.cwd(), skipPermissions: options.skipPermissions },
    session,
    directives,
    text,
    outputFormat: options.outputFormat,
    partialMessages: options.partialMessages,
  });
  let left = false;
  const leave = (outcome: StandinOutcome, exitCode: number): void => {
    if (left) return;
    left = true;
    appendToLedger({ done: true, session_id, outcome, exit_code: exitCode });
    process.exit(exitCode);
  };
  const ignore = directives.flags.has('ignore-signals');
  process.on('SIGINT', async () => {
    if (ignore) return;
    await turn.interrupt();
    leave('interrupted', 0);
  });
  process.on('SIGTERM', () => {
    if (!ignore) leave('terminated', 143);
  });

  const { outcome, exitCode } = await turn.run();
  saveSession(directory, session);
  if (directives.flags.has('no-exit')) setInterval(() => undefined, 2 ** 30);
  else leave(outcome, exitCode);
}

function refuseLostSession(options: StandinOptions): void {
  const id = options.resume ?? '';
  if (id === '') {
    refuse('Error: --resume requires a valid session ID when used with --print');
    return;
  }
  const message = `No conversation found with session ID: ${id}`;
  if (options.outputFormat === 'stream-json') {
    process.stdout.write(`${JSON.stringify(lostSessionRow(id, message))}\n`);
  }
  refuse(message);
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
