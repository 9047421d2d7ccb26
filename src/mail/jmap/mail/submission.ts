import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** The results of a method that changes objects, by object. */
export const PerId = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]));
const CreatedId = Type.Object({ id: Type.String({ minLength: 1 }) });
/** The answer to the creation of one object. */
export const CreatedSchema = Type.Object({
  created: Type.Optional(Type.Union([Type.Record(Type.String(), CreatedId), Type.Null()])),
  notCreated: PerId,
});
export type Created = Static<typeof CreatedSchema>;

/** The result of a query. */
export const QuerySchema = Type.Object({
  ids: Type.Array(Type.String()),
  /** The position of the first one among all results. */
  position: Type.Optional(Type.Integer()),
  /** The most results that the server returns, where that is fewer than were requested. */
  limit: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
});

export const IdentitiesSchema = Type.Object({
  list: Type.Array(Type.Object({ id: Type.String(), email: Type.String() })),
});

const StatusSchema = Type.Object({
  delivered: Type.Optional(Type.String()),
  smtpReply: Type.Optional(Type.String()),
});
const SubmissionSchema = Type.Object({
  id: Type.String(),
  sendAt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  deliveryStatus: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});
export const SubmissionsSchema = Type.Object({ list: Type.Array(SubmissionSchema) });
type Submission = Pick<Static<typeof SubmissionSchema>, 'sendAt' | 'deliveryStatus'>;

const RefusedSchema = Type.Object({ invalidRecipients: Type.Array(Type.String()) });

/** A recipient for whom the server did not take a message, and its reply. */
export interface RefusedRecipient {
  address: string;
  reply: string;
  /**
   * Whether the server may take it later (a reply of 400 to 499): after too many in a short time, or for a mailbox that is full.
   */
  isForNow: boolean;
}

/** The fate of the recipients of a message that was submitted once or more often. */
export interface Fate {
  refused: readonly RefusedRecipient[];
  /** Whether no recipient gets it. */
  isRefusedForAll: boolean;
}

/**
 * Pure: combines the submissions of a message. Some servers make a submission although they refused all recipients; a later
 * submission is for the recipients that the earlier ones did not reach.
 */
export function fateIn(submissions: readonly Submission[]): Fate {
  const last = new Map<string, RefusedRecipient | null>();
  const inOrder = [...submissions].sort((a, b) => order(a.sendAt ?? '', b.sendAt ?? ''));
  for (const { deliveryStatus } of inOrder)
    for (const [address, status] of Object.entries(deliveryStatus ?? {}))
      if (last.get(address) !== null) last.set(address, refusedIn(address, status));
  const refused = [...last.values()].filter((one) => one !== null);
  return { refused, isRefusedForAll: refused.length > 0 && refused.length === last.size };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns null for a recipient for whom the server took it. */
function refusedIn(address: string, status: unknown): RefusedRecipient | null {
  if (!Value.Check(StatusSchema, status) || status.delivered !== 'no') return null;
  const reply = status.smtpReply ?? 'refused';
  return { address, reply, isForNow: /^4\d\d(?!\d)/.test(reply) };
}

/** Pure: says for people which recipients a message did not reach. @param words makes a server's text fit for a sentence. */
export function fateWords({ refused, isRefusedForAll }: Fate, words: (text: string) => string): string {
  const named = (isForNow: boolean): string =>
    refused
      .filter((one) => one.isForNow === isForNow)
      .map(({ address, reply }) => `${words(address)} (${words(reply)})`)
      .join(', ');
  const [never, later] = [named(false), named(true)];
  if (!isRefusedForAll) {
    const again =
      later && `not yet to ${later}; the same call with the same Idempotency-Key, later, sends it there`;
    return `it was sent, but ${[never && `not to ${never}`, again].filter(Boolean).join(', and ')}`;
  }
  const again =
    later && `does not accept mail for ${later} now: nothing was sent, and the same call may succeed later`;
  return `the mail server ${[never && `does not accept mail for ${never}`, again].filter(Boolean).join(', and ')}`;
}

/** Pure: returns the refused recipients of a submission that failed; none where they are not the reason. */
export const invalidIn = (error: unknown): string[] =>
  Value.Check(RefusedSchema, error) ? error.invalidRecipients : [];
