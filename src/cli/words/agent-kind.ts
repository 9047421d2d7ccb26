import { resetPrompt } from '../../agent/target/chat-session.js';
import { CommandFailure, exitCodes, type Remedy } from './command-failure.js';
import { quoted } from './terminal-output.js';

/**
 * An agent that lacks the requested feature because it is of the other kind: an agent in a terminal has only one conversation,
 * a headless one has no terminal.
 */
interface AskedOf {
  /** The name that the operator used. */
  readonly name: string;
  /** The flag that leads to the same server, with a blank before it; empty when none is needed. */
  readonly server: string;
}

/**
 * Returns the failure for a headless agent, which has no screen, takes no keys and asks no person, with commands that show what
 * it does.
 */
export const runsHeadless = ({ name, server }: AskedOf): CommandFailure =>
  new CommandFailure(`${name} runs headless: it has no terminal of its own.`, exitCodes.failed, {
    errorCode: 'no_terminal',
    remedies: [
      ['see its prompts and answers', `houmao-mgr agents requests list ${name}${server}`],
      ['see what happens', `houmao-mgr agents events ${name} --follow${server}`],
    ],
  });

/** Returns the failure for a headless agent whose reminder has keys to type. */
export const takesNoKeys = (name: string): CommandFailure =>
  new CommandFailure(
    `--keys types into a terminal, and ${name} has none of its own. Give --prompt instead.`,
    exitCodes.failed,
    { errorCode: 'reminder_refused' },
  );

/** @throws {CommandFailure} for flags that would change settings an agent in a terminal has for all its turns. */
export function refuseHeadlessFlags(
  { new: isNew, model, reasoning }: { new?: boolean; model?: string; reasoning?: number },
  agent: AskedOf & { readonly tool: string },
): void {
  if (isNew)
    throw onlyHeadless('--new', 'invalid_chat_session', agent, [
      'begin a new conversation there first',
      keysCommand(agent, resetPrompt(agent.tool)),
    ]);
  if (model === undefined && reasoning === undefined) return;
  throw onlyHeadless(model === undefined ? '--reasoning' : '--model', 'invalid_execution', agent, [
    'choose it there',
    keysCommand(agent, '/model'),
  ]);
}

const onlyHeadless = (flag: string, errorCode: string, { name }: AskedOf, remedy: Remedy): CommandFailure =>
  new CommandFailure(
    `${flag} is for headless agents, and ${name} runs in a terminal. Leave it out.`,
    exitCodes.failed,
    { errorCode, remedies: [remedy] },
  );

const keysCommand = ({ name, server }: AskedOf, command: string): string =>
  `houmao-mgr agents keys ${name} ${quoted(`${command}<[Enter]>`)}${server}`;
