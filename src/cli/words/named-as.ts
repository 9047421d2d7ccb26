import type { Schemas } from '@houmao/sdk/managed-agent';
import { CommandFailure } from './command-failure.js';

/** The same failure with the agent named as the operator named it: a server names it by an id of its own. */
export function namedAs(
  failure: CommandFailure,
  { tracked_agent_id }: Pick<Schemas['AgentIdentity'], 'tracked_agent_id'>,
  name: string,
): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  const named = (text: string): string =>
    text.replaceAll(`\`${tracked_agent_id}\``, name).replaceAll(tracked_agent_id, name);
  return new CommandFailure(named(detail), exitCode, fields);
}
