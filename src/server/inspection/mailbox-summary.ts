import type { RegistryRecord } from '../../session/registry-record.js';
import type { MailboxSummary } from './agent-summary.js';

/** A mailbox as a file names it, whoever wrote that. */
type Written = NonNullable<RegistryRecord['mailbox']> | { transport: string };

/**
 * Where the agent has its mailbox: the registry says so, else its manifest. Nothing secret is taken over. Null without one, and for
 * a transport that this release does not know.
 */
export function mailboxSummary(
  registered: Written | null | undefined,
  launched: Written | null | undefined,
): MailboxSummary | null {
  const written = (registered ?? launched ?? null) as Record<string, unknown> | null;
  const transport = written?.transport;
  if (written === null || (transport !== 'filesystem' && transport !== 'stalwart')) return null;
  return { transport, principalId: textOf(written.principal_id), address: textOf(written.address) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
