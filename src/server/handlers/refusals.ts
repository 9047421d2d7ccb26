import type { Reply, Sent } from '../../contract/handler-types.js';
import { doneHeader, errorCodeHeader } from '../../contract/refusals.js';
import { splitReference } from '../../foundation/host-name.js';
import { listed } from '../../foundation/text.js';
import { type AgentDirectory, spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { TurnRefusal } from '../turns/submissions.js';

/** An operation that names an agent in its path. */
interface ForOneAgent {
  readonly responses: { readonly 404: unknown; readonly 409: unknown };
}

/** The agent that a path means, or the answer that says why there is none. */
export type AgentOrRefusal<Op> =
  | { readonly agent: ManagedAgent; readonly refusal?: never }
  | { readonly agent?: never; readonly refusal: Sent<Op> };

/**
 * Looks up the agent of a path. A handler begins with it:
 *
 *     const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
 *     if (refusal) return refusal;
 */
export async function agentOf<Op extends ForOneAgent>(
  directory: AgentDirectory,
  reference: string,
  reply: Reply<Op>,
): Promise<AgentOrRefusal<Op>> {
  const refuse = (status: 404 | 409, detail: string): AgentOrRefusal<Op> => ({
    refusal: (reply as unknown as SentenceReply<Op>)(
      status,
      { detail },
      { [errorCodeHeader]: codes[status] },
    ),
  });
  const found = await directory.find(reference);
  const alias = reference.trim();
  switch (found.kind) {
    case 'one':
      return { agent: found.agent };
    case 'none':
      return refuse(404, noSuchAgent(alias, directory));
    case 'empty':
      return refuse(404, 'The name of an agent cannot be blank.');
    case 'ambiguous': {
      const ids = found.agents.map(({ trackedAgentId }) => trackedAgentId);
      return refuse(
        409,
        `The name \`${alias}\` is that of ${ids.length} agents: ${ids.join(', ')}. Ask for one of them by its id.`,
      );
    }
  }
}

/** The reply function for the answers that {@link ForOneAgent} requires of an operation: each of them is a sentence. */
type SentenceReply<Op> = (
  status: 404 | 409,
  body: { detail: string },
  headers: Record<typeof errorCodeHeader, string>,
) => Sent<Op>;

const codes = { 404: 'unknown_agent', 409: 'ambiguous_agent' } as const;

/** The sentence for a name that no agent has: of this host, or of the host that a caller elsewhere in the fleet named. */
export function noSuchAgent(reference: string, directory: Pick<AgentDirectory, 'list' | 'hostName'>): string {
  const names = [...new Set(directory.list().map(spokenName))].sort();
  const others = names.length === 0 ? 'There are none.' : `Agents: ${listed(names)}.`;
  const asked = reference.trim();
  const named = splitReference(asked);
  if (named !== null && named.host === directory.hostName)
    return `No agent of host ${named.host} has the name \`${named.agent}\`. ${others}`;
  const alone =
    named !== null && directory.hostName === null
      ? ` This server is in no fleet, so it knows no host ${named.host}.`
      : '';
  return `No agent of this host has the name \`${asked}\`.${alone} ${others}`;
}

const answers = {
  not_headless: { status: 400, code: 'not_headless' },
  no_turn: { status: 404, code: 'unknown_turn' },
  busy: { status: 409, code: 'agent_busy' },
  other_turn: { status: 412, code: 'turn_not_running' },
  invalid: { status: 422, code: 'request_refused' },
  key_reused: { status: 422, code: 'key_reused' },
  signal_failed: { status: 502, code: 'signal_failed' },
  unavailable: { status: 503, code: 'unavailable' },
} as const satisfies Record<TurnRefusal['refused'], { status: number; code: string }>;

/** Answers a prompt, an interrupt or a read of a turn that failed, or whose outcome is unknown; each answer is a sentence. */
export function refuseTurn<Op>(reply: Reply<Op>, refusal: TurnRefusal): Sent<Op> {
  const { refused, detail, activeTurnId, requestId, outcomeUnknown } = refusal;
  const { status, code } = answers[refused];
  const headers = {
    [errorCodeHeader]: code,
    ...(activeTurnId !== undefined && { 'X-Houmao-Active-Turn-Id': activeTurnId }),
    ...(requestId !== undefined && { 'X-Houmao-Request-Id': requestId }),
    ...(outcomeUnknown && { [doneHeader]: 'unknown' }),
    ...(outcomeUnknown && outcomeUnknown.turnId !== null && { 'X-Houmao-Turn-Id': outcomeUnknown.turnId }),
  };
  return (reply as unknown as CodedReply<Op>)(status, { detail }, headers);
}

type CodedReply<Op> = (status: number, body: { detail: string }, headers: Record<string, string>) => Sent<Op>;
