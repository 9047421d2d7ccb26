import type { AgentHost } from '../../launch/agent-host.js';
import { screenWords } from '../words/screen-words.js';
import type { Output } from '../words/terminal-output.js';
import { gatewayOf } from './find-agent.js';

/** `agents screen`: what the gateway sees on the agent's terminal. */
export async function showScreen(name: string, host: AgentHost, output: Output): Promise<void> {
  const client = await gatewayOf(name, host);
  const state = await client.getTuiState();
  output.result(state, screenWords(state));
}

export interface KeysFlags {
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
  const client = await gatewayOf(name, host);
  const result = await client.sendKeys({
    body: { sequence, escape_special_keys: flags.literal ?? false },
  });
  output.result(result, [`Typed into the terminal of ${name}. Look at it: houmao-mgr agents screen ${name}`]);
}
