import type { AgentHost } from '../../launch/agent-host.js';
import { keysTrouble } from '../flags/option-values.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { runsHeadless } from '../words/agent-kind.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { screenWords } from '../words/screen-words.js';
import type { Output } from '../words/terminal-output.js';
import { terminalAtServer } from './at-server/agent-at-server.js';
import { terminalBy } from './gateway-by.js';
import { wayTo } from './way-to.js';

/** `agents screen`: what gateway or server see on the agent's terminal. */
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
  // Nothing was seen, so that there is nothing to show.
  if (state.diagnostics.availability === 'error')
    throw new CommandFailure(words[0] ?? '', exitCodes.failed, { errorCode: 'terminal_unreadable' });
  output.result(state, words);
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
