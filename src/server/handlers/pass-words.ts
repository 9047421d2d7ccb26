import { mailboxCommand } from '../../contract/shared-refusals.js';
import type { GatewayFault } from '../passing/gateway-fault.js';

/** One call, as far as the sentence about its failure needs it. */
export interface PassedCall {
  /** The agent as the caller named it. */
  readonly reference: string;
  /** Whether it only reads: then nothing can have been done. */
  readonly reads: boolean;
  /** Whether the caller can repeat it under the same key, and nothing is done twice. */
  readonly keyed: boolean;
  readonly milliseconds: number;
}

export const noSessionRoot = (reference: string): string =>
  `Agent \`${reference}\` has no session root, so it can have no gateway.`;
export const noLiveGateway = (reference: string): string =>
  `Agent \`${reference}\` has no live gateway. POST /houmao/agents/${encodeURIComponent(reference)}/gateway/attach starts one.`;
export const noMailbox = (reference: string): string =>
  `Agent \`${reference}\` has no mailbox. Give it one: ${mailboxCommand(reference)}`;
export const manifestUnreadable = 'The session manifest cannot be read.';
export const mailboxUnreadable = 'The folder of the mailbox cannot be read.';

/** What is known of a call that got no usable answer, and how to find out the rest. */
export function faultWords({ trouble, mayHaveActed }: GatewayFault, call: PassedCall): string {
  const { reference, reads, keyed, milliseconds } = call;
  if (!mayHaveActed)
    return `The gateway of agent \`${reference}\` cannot be reached; nothing was sent to it.`;
  const what =
    trouble === 'silent'
      ? `The gateway of agent \`${reference}\` did not answer within ${milliseconds / 1000} s`
      : trouble === 'invalid_answer'
        ? `The gateway of agent \`${reference}\` gave an answer that cannot be used`
        : `The gateway of agent \`${reference}\` was lost before it answered`;
  if (reads) return `${what}.`;
  const unknown = `${what}; whether it did what was asked is not known.`;
  return keyed ? `${unknown} Repeat it with the same Idempotency-Key: it is done once.` : unknown;
}
