import type { Schemas } from '@houmao/sdk/managed-agent';
import { CommandFailure } from './command-failure.js';

/** The same failure with the agent named as the operator named it: a server names it by an id of its own. */
export function namedAs(
  failure: CommandFailure,
  { tracked_agent_id }: Pick<Schemas['AgentIdentity'], 'tracked_agent_id'>,
  name: string,
): CommandFailure {
  return reworded(failure, (text) =>
    text.replaceAll(`\`${tracked_agent_id}\``, name).replaceAll(tracked_agent_id, name),
  );
}

/** The same failure in other words. */
export function reworded(failure: CommandFailure, words: (detail: string) => string): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  return new CommandFailure(words(detail), exitCode, fields);
}
