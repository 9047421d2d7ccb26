import type { AgentTarget } from '../../agent/target/agent-target.js';
import { UnusableFile } from '../../foundation/faults.js';
import { MailFault } from '../../mail/message/mail-fault.js';
import { NoMailbox, type ServedMailbox } from '../mail/session-mailbox.js';
import type { NotifierSettings } from './notifier-settings.js';

/** Decides whether an error is about the mailbox, and not a defect of ours. */
export const isMailboxError = (error: unknown): error is Error =>
  error instanceof MailFault || error instanceof NoMailbox || error instanceof UnusableFile;

/**
 * Returns why this agent cannot be notified of mail, for people; null when it can.
 * @param work also has to succeed.
 */
export async function mailboxObstacle(
  mailbox: ServedMailbox,
  work: () => Promise<void> = async () => undefined,
): Promise<string | null> {
  if (mailbox.obstacle !== null) return mailbox.obstacle;
  try {
    await mailbox.use(({ transport }) => transport.check());
    await work();
    return null;
  } catch (error) {
    if (!isMailboxError(error)) throw error;
    return error instanceof MailFault
      ? `The mailbox binding is not actionable: ${error.message}`
      : error.message;
  }
}

/** Decides whether the mailbox is not the agent's any more; any other fault of it may pass. */
export const isLostMailbox = (error: unknown): boolean =>
  error instanceof NoMailbox ||
  error instanceof UnusableFile ||
  (error instanceof MailFault && (error.code === 'not_registered' || error.code === 'owner_differs'));

/** Returns why the agent's conversation cannot be compacted before a notice; null when it can, or need not. */
export function compactObstacle(
  { preNotificationContextAction: action }: Pick<NotifierSettings, 'preNotificationContextAction'>,
  { terminal }: Pick<AgentTarget, 'terminal'>,
): string | null {
  if (action !== 'compact') return null;
  if (terminal?.names.tool !== 'codex')
    return 'pre_notification_context_action compact is supported only for live Codex TUI targets.';
  return null;
}
