import { lastConversationOf } from '../../session/manifest-facts.js';
import { patchConversation } from '../../session/manifest-patch.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SelfReportFact } from '../../tools/self-report/self-report.js';

/** A conversation that the tool has open. @property begun whether a prompt has been in it: before, no tool can go on with it. */
export interface OpenConversation {
  readonly id: string;
  readonly begun: boolean;
}

/** Pure: the conversation in a terminal after the agent has said something of itself. */
export function conversationAfter(
  open: OpenConversation | null,
  fact: SelfReportFact,
): OpenConversation | null {
  if (fact.kind === 'conversation') return fact.id === open?.id ? open : { id: fact.id, begun: false };
  const begins =
    (fact.kind === 'prompt_taken' && !fact.pending && !fact.refusable) || fact.kind === 'turn_ended';
  if (!begins) return open;
  const id = fact.conversation ?? open?.id;
  return id === undefined || (id === open?.id && open.begun) ? open : { id, begun: true };
}

/**
 * Notes in the manifest which conversation the tool of a terminal has, so that it can go on with it when it is started again.
 * @param report called where it cannot be noted.
 */
export function noteConversation(
  path: string,
  manifest: () => Manifest,
  report: (fault: string) => void,
): (fact: SelfReportFact) => void {
  let open: OpenConversation | null = null;
  return (fact) => {
    const before = open;
    open = conversationAfter(open, fact);
    if (open === before || !open?.begun) return;
    try {
      if (lastConversationOf(manifest()) !== open.id) patchConversation(path, open.id);
    } catch (error) {
      report(`the conversation in the terminal could not be recorded: ${(error as Error).message}`);
    }
  };
}
