import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import { type MailboxBinding, type MailHost, openTransport } from '../../mail/open-transport.js';

/** How the mailbox of an agent is; `remedy` is null where the trouble's own words say it, or nobody can help. */
export interface MailboxSight {
  address: string;
  trouble: string | null;
  remedy: string | null;
}

/** What a repair of the root mends. */
const repaired: ReadonlySet<MailFaultCode> = new Set(['mailbox_damaged', 'root_missing']);

/** Opens the mailbox and reads its newest message, as the agent would. Changes nothing. */
export async function lookAtMailbox(binding: MailboxBinding, host: MailHost): Promise<MailboxSight> {
  const { address } = binding;
  try {
    const transport = openTransport(binding, host);
    try {
      await transport.check();
      const all = { read: null, answered: null, archived: null, since: null };
      await transport.list({ ...all, box: 'inbox', limit: 1, bodies: false });
    } finally {
      transport.close();
    }
    return { address, trouble: null, remedy: null };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    return { address, trouble: error.message, remedy: remedyOf(error, binding) };
  }
}

const remedyOf = ({ code }: MailFault, binding: MailboxBinding): string | null =>
  repaired.has(code) && binding.transport === 'filesystem'
    ? `Repair it: houmao-mgr mailbox repair --mailbox-root ${binding.filesystem_root}`
    : null;
