import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** Of a method that changes objects: what became of each. */
export const PerId = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]));
const CreatedId = Type.Object({ id: Type.String({ minLength: 1 }) });
/** The answer to a creation, of which only one was asked for. */
export const CreatedSchema = Type.Object({
  created: Type.Optional(Type.Union([Type.Record(Type.String(), CreatedId), Type.Null()])),
  notCreated: PerId,
});
export type Created = Static<typeof CreatedSchema>;

/** What a query found. */
export const QuerySchema = Type.Object({
  ids: Type.Array(Type.String()),
  /** Of the first of them in all that there is. */
  position: Type.Optional(Type.Integer()),
  /** How many the server gives at most, where that is fewer than asked for. */
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

/** Whom the server did not take a message for, and what it said. */
export interface RefusedRecipient {
  address: string;
  reply: string;
  /** It may take it later (a reply of 400 to 499): of too many in a short time, of a mailbox that is full. */
  isForNow: boolean;
}

/** What became of the recipients of a message that was submitted, once or more often. */
export interface Fate {
  refused: readonly RefusedRecipient[];
  /** Nobody gets it. */
  isNobodys: boolean;
}

/** Pure: servers are known that make a submission although they refused everybody. A later submission is for those who miss it. */
export function fateIn(submissions: readonly Submission[]): Fate {
  const last = new Map<string, RefusedRecipient | null>();
  const inOrder = [...submissions].sort((a, b) => order(a.sendAt ?? '', b.sendAt ?? ''));
  for (const { deliveryStatus } of inOrder)
    for (const [address, status] of Object.entries(deliveryStatus ?? {}))
      if (last.get(address) !== null) last.set(address, refusedIn(address, status));
  const refused = [...last.values()].filter((one) => one !== null);
  return { refused, isNobodys: refused.length > 0 && refused.length === last.size };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Null for one for whom the server took it. */
function refusedIn(address: string, status: unknown): RefusedRecipient | null {
  if (!Value.Check(StatusSchema, status) || status.delivered !== 'no') return null;
  const reply = status.smtpReply ?? 'refused';
  return { address, reply, isForNow: /^4\d\d(?!\d)/.test(reply) };
}

/** Pure: whom a message did not reach, for people. @param words makes what a server says fit for a sentence. */
export function fateWords({ refused, isNobodys }: Fate, words: (text: string) => string): string {
  const named = (isForNow: boolean): string =>
    refused
      .filter((one) => one.isForNow === isForNow)
      .map(({ address, reply }) => `${words(address)} (${words(reply)})`)
      .join(', ');
  const [never, later] = [named(false), named(true)];
  if (!isNobodys) {
    const again =
      later && `not yet to ${later}; the same call with the same Idempotency-Key, later, sends it there`;
    return `it was sent, but ${[never && `not to ${never}`, again].filter(Boolean).join(', and ')}`;
  }
  const again =
    later && `does not accept mail for ${later} now: nothing was sent, and the same call may succeed later`;
  return `the mail server ${[never && `does not accept mail for ${never}`, again].filter(Boolean).join(', and ')}`;
}

/** Pure: of one that was not; none where recipients are not the reason. */
export const invalidIn = (error: unknown): string[] =>
  Value.Check(RefusedSchema, error) ? error.invalidRecipients : [];
