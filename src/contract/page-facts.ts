// What the page of a surface is told of this moment. Knows no surface: operations and parameters go by the contract's names.

/** Values by the name of their parameter. `null` leaves the parameter empty. */
export type FilledIn = Readonly<Record<string, string | number | null>>;

/** What stands in the page's fields instead of the contract's samples. */
export interface PageValues {
  /** For every operation that has the parameter. */
  readonly shared: FilledIn;
  /** For one operation. */
  readonly of: Readonly<Record<string, FilledIn>>;
  /** For every sample of a body that has the field. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The whole body of one operation. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

/** What an operation answered that was asked within this process. */
export interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** What is asked instead of what the page fills in. */
export interface Instead {
  readonly path?: FilledIn;
  readonly query?: FilledIn;
  readonly body?: unknown;
}

/** Asks an operation with what the page fills in, as whoever presses Execute does. It never throws. */
export type AskOperation = (operationId: string, instead?: Instead) => Promise<Asked>;

/** Why operations would be refused now: the sentence of each, as it would be answered. */
export type Refusals = Readonly<Record<string, string>>;

/** How a surface tells its page of this moment. Only what changes nothing is asked. */
export interface PageFacts {
  values(ask: AskOperation): Promise<PageValues>;
  /** Asked when the values are filled in. */
  refusals(ask: AskOperation): Promise<Refusals>;
}

/** The sentence of a refusal; null for an answer that is none. */
export function sentenceOf({ status, body }: Asked): string | null {
  if (status < 400) return null;
  const { detail } = (body ?? {}) as { detail?: unknown };
  if (typeof detail === 'string') return detail;
  const inner = (detail as { detail?: unknown } | null | undefined)?.detail;
  return typeof inner === 'string' ? inner : null;
}

/** Has each operation of a list say what another one, which changes nothing, is answered. */
export async function refusedAlike(
  ask: AskOperation,
  alike: Readonly<Record<string, readonly string[]>>,
): Promise<Refusals> {
  const told = await Promise.all(
    Object.entries(alike).map(async ([asked, operations]) => {
      const sentence = sentenceOf(await ask(asked));
      return sentence === null ? [] : [asked, ...operations].map((each) => [each, sentence] as const);
    }),
  );
  return Object.fromEntries(told.flat());
}
