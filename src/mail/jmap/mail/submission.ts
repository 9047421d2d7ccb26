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
export const SubmissionsSchema = Type.Object({
  list: Type.Array(
    Type.Object({
      id: Type.String(),
      deliveryStatus: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    }),
  ),
});

const RefusedSchema = Type.Object({ invalidRecipients: Type.Array(Type.String()) });

/** Whom the server did not take a message for, and what it said. */
export interface RefusedRecipient {
  address: string;
  reply: string;
}

/** What became of the recipients of a submission that was made. */
export interface Fate {
  refused: readonly RefusedRecipient[];
  /** Nobody gets it. */
  isNobodys: boolean;
}

/** Pure: servers are known that make a submission although they refused everybody. */
export function fateIn(deliveryStatus: Readonly<Record<string, unknown>> | null | undefined): Fate {
  const all = Object.entries(deliveryStatus ?? {});
  const refused = all.flatMap(([address, status]) =>
    Value.Check(StatusSchema, status) && status.delivered === 'no'
      ? [{ address, reply: status.smtpReply ?? 'refused' }]
      : [],
  );
  return { refused, isNobodys: refused.length > 0 && refused.length === all.length };
}

/** Pure: of one that was not; none where recipients are not the reason. */
export const invalidIn = (error: unknown): string[] =>
  Value.Check(RefusedSchema, error) ? error.invalidRecipients : [];
