import type { AgentTarget } from '../../agent/target/agent-target.js';
import { UnusableFile } from '../../foundation/unusable-file.js';
import { MailFault } from '../../mail/message/mail-fault.js';
import { NoMailbox, type SessionMailbox } from '../mail/session-mailbox.js';
import type { NotifierSettings } from './notifier-settings.js';

/** Why this agent cannot be notified of mail, for people; null when it can. */
export async function mailboxObstacle(mailbox: SessionMailbox): Promise<string | null> {
  try {
    await mailbox.use(({ transport }) => transport.check());
    return null;
  } catch (error) {
    const isKnown = error instanceof NoMailbox || error instanceof UnusableFile || error instanceof MailFault;
    if (!isKnown) throw error;
    return error instanceof MailFault
      ? `The mailbox binding is not actionable: ${error.message}`
      : error.message;
  }
}

/** Whether the mailbox is not the agent's any more; any other fault of it may pass. */
export const isLostMailbox = (error: unknown): boolean =>
  error instanceof NoMailbox ||
  error instanceof UnusableFile ||
  (error instanceof MailFault && (error.code === 'not_registered' || error.code === 'owner_differs'));

/** Why the agent's conversation cannot be compacted before a notice; null when it can, or need not. */
export function compactObstacle(
  { preNotificationContextAction: action }: Pick<NotifierSettings, 'preNotificationContextAction'>,
  { terminal }: Pick<AgentTarget, 'terminal'>,
): string | null {
  if (action !== 'compact') return null;
  if (terminal?.names.tool !== 'codex')
    return 'pre_notification_context_action compact is supported only for live Codex TUI targets.';
  return null;
}
