import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Schemas } from '@houmao/sdk';
import type { AnyGateway } from '@houmao/sdk/managed-agent';
import { findAgentTmux } from '../../agent/local/agent-place.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { readManifest } from '../../session/manifest.js';
import { type JsonFlag, keysTrouble, type ServerFlag, serverFlagWords } from '../flags/options.js';
import { runsHeadless } from '../words/agent-kind.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { questionRows, screenWords } from '../words/screen-words.js';
import { askPerson, type Output } from '../words/terminal-output.js';
import { terminalAtServer } from './at-server/agent-at-server.js';
import { registeredAgent } from './find-agent.js';
import { terminalBy, wayTo } from './way-to.js';

/** `agents screen`: prints what the gateway or server sees on the agent's terminal. */
export async function showScreen(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const way = await wayTo(name, flags, host, output);
  const look = way.by === 'gateway' ? () => way.client.getTuiState() : terminalAtServer(way);
  if (!way.inTerminal || look === null) throw runsHeadless({ name, server: serverFlagWords(flags) });
  const state = await look();
  const words = screenWords(state, output.time, output.width);
  // The screen could not be read, so there is nothing to print.
  if (state.diagnostics.availability === 'error')
    throw new CommandFailure(words[0] ?? '', exitCodes.failed, { errorCode: 'terminal_unreadable' });
  output.result(state, words);
}

/**
 * `agents attach`: opens the tmux session of an agent in this terminal, and ends when the person leaves it.
 *
 * @throws {CommandFailure} without a session, or where this is no terminal: it names the command that does it in one
 */
export async function attachTerminal(name: string, host: AgentHost): Promise<void> {
  const manifest = readManifest(registeredAgent(name, host).paths.manifest);
  const session = manifest.tmux_session_name ?? null;
  const tmux = session === null ? null : await findAgentTmux(manifest, host.tmux);
  if (session === null || tmux === null)
    throw new CommandFailure(`${name} has no tmux session now.`, exitCodes.failed, {
      errorCode: 'no_tmux_session',
      remedies: [['see what it needs', `houmao-mgr agents doctor ${name}`]],
    });
  const command = tmux.attachCommand(session);
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandFailure('This is no terminal.', exitCodes.usage, {
      errorCode: 'no_terminal',
      remedies: [['in a terminal', command]],
    });
  const tool = spawn('sh', ['-c', `exec ${command}`], { env: host.environment, stdio: 'inherit' });
  const [code] = (await once(tool, 'exit')) as [number | null];
  process.exitCode = code ?? exitCodes.failed;
}

export interface KeysFlags extends ServerFlag {
  literal?: boolean;
}

/** `agents keys`: types keys into the agent's terminal. */
export async function typeKeys(
  name: string,
  sequence: string,
  flags: KeysFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const trouble = keysTrouble(sequence, flags.literal ?? false);
  if (trouble !== null) throw new CommandFailure(trouble, exitCodes.usage, { errorCode: 'keys_refused' });
  const client = await terminalBy(name, flags, host);
  const result = await client.sendKeys({
    body: { sequence, escape_special_keys: flags.literal ?? false },
  });
  output.result(result, [
    output.pastable(
      `Typed into the terminal of ${name}. Look at it: houmao-mgr agents screen ${name}${serverFlagWords(flags)}`,
    ),
  ]);
}

type Dialog = Schemas['Dialog'];
type Answer = { choose: number } | { keys: string };

export interface AnswerFlags extends ServerFlag, JsonFlag {
  /** The id of the dialog to answer. */
  dialog?: string;
  choose?: number;
  keys?: string;
}

/** `agents answer`: shows the agent's question to a person, and answers it if an answer is given or typed. */
export async function answerAgent(
  name: string,
  flags: AnswerFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const given = answerOf(flags);
  if (given === null && flags.dialog !== undefined)
    throw new CommandFailure('--dialog needs an answer: --choose or --keys.', exitCodes.usage);
  const client = await terminalBy(name, flags, host);
  if (given !== null && flags.dialog !== undefined)
    return answered(name, flags, await sent(client, flags.dialog, given), output);
  const { dialog } = await client.getDialog();
  if (dialog === null) return nothingAsked(name, given, output);
  if (given !== null) {
    output.progress(shownWords(name, dialog, output.progressWidth).join('\n'));
    return answered(name, flags, await sent(client, dialog.dialog_id, given), output);
  }
  if (flags.json || !process.stdin.isTTY)
    return output.result({ dialog }, [
      ...shownWords(name, dialog, output.width),
      ...wayWords(name, flags, dialog, output),
    ]);
  output.progress(shownWords(name, dialog, output.progressWidth).join('\n'));
  const typed = await typedAnswer(dialog);
  if (typed === null) return output.result({ dialog }, ['Nothing was answered.']);
  return answered(name, flags, await sent(client, dialog.dialog_id, typed), output);
}

function answerOf({ choose, keys }: AnswerFlags): Answer | null {
  if (choose !== undefined) return { choose };
  return keys === undefined ? null : { keys };
}

const sent = (
  client: AnyGateway,
  dialog_id: string,
  answer: Answer,
): Promise<Schemas['DialogAnswerResult']> => client.answerDialog({ body: { dialog_id, ...answer } });

function nothingAsked(name: string, given: Answer | null, output: Output): void {
  const sentence = `${name} is not asking anything.`;
  if (given !== null)
    throw new CommandFailure(`${sentence} No key was pressed.`, exitCodes.failed, {
      errorCode: 'dialog_changed',
    });
  output.result({ dialog: null }, [sentence]);
}

/** @returns null when the person leaves the question open. */
async function typedAnswer({ choices }: Dialog): Promise<Answer | null> {
  if (choices.length === 0) {
    const keys = await askPerson('Type keys, such as <[Enter]>, or press Enter to leave it open: ');
    return keys === '' ? null : { keys };
  }
  const numbers = choices.map(({ number }) => number);
  const line = await askPerson(`Choose ${numbers.join(', ')}, or press Enter to leave it open: `);
  if (line === '') return null;
  if (!numbers.some((number) => String(number) === line))
    throw new CommandFailure(
      `${line} is not one of the choices ${numbers.join(', ')}. No key was pressed.`,
      exitCodes.usage,
    );
  return { choose: Number(line) };
}

const shownWords = (name: string, { text, dialog_id }: Dialog, width: number | null): string[] => [
  `${name} waits for a person to answer (${dialog_id}):`,
  ...questionRows(text, width),
];

function wayWords(
  name: string,
  flags: AnswerFlags,
  { dialog_id, choices }: Dialog,
  output: Output,
): string[] {
  const answer =
    choices.length === 0
      ? "--keys '<[Enter]>'"
      : `--choose ${(choices.find(({ marked }) => marked) ?? choices[0])?.number}`;
  return [
    '',
    output.pastable(
      `Answer it: houmao-mgr agents answer ${name} --dialog ${dialog_id} ${answer}${serverFlagWords(flags)}`,
    ),
  ];
}

function answered(
  name: string,
  flags: AnswerFlags,
  result: Schemas['DialogAnswerResult'],
  output: Output,
): void {
  const { dialog } = result;
  const words = result.outcome === 'answered' ? [`The answer has reached ${name}.`] : [result.detail];
  const next =
    dialog === null
      ? []
      : ['', ...shownWords(name, dialog, output.width), ...wayWords(name, flags, dialog, output)];
  output.result(result, [...words, ...next]);
}
