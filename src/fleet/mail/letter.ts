import { z } from 'zod';

// A letter is one of two things that hosts send each other: a message, or the receipt that comes back for it. The receipt ends the wait of
// the sender's host: the other host alone knows whether the message came.

const mailSchema = z.object({
  kind: z.literal('mail'),
  message_id: z.string(),
  /** Its document as the sender's host has it; null where it is in the object store. */
  document: z.string().nullable(),
  document_object: z.string().nullable(),
  /** The names of its files in the object store, in their order. */
  files: z.array(z.string()),
});
const receiptSchema = z.object({
  kind: z.literal('receipt'),
  message_id: z.string(),
  /** `lost`: the object store does not have all of the message any more, and it is to be sent again. */
  outcome: z.enum(['taken', 'lost']),
  /** The recipients whose mailboxes refused it. */
  refused: z.array(z.object({ address: z.string(), detail: z.string() })),
});
const letterSchema = z.discriminatedUnion('kind', [mailSchema, receiptSchema]);

export type MailLetter = z.infer<typeof mailSchema>;
export type Receipt = z.infer<typeof receiptSchema>;
export type Letter = z.infer<typeof letterSchema>;

/** The version of the letters of this release. */
const letterVersion = 1;

export const letterText = (letter: Letter): string => JSON.stringify({ version: letterVersion, ...letter });

/** Reads a letter. @returns `newer` for one of a later release; null for one that is none */
export function readLetter(bytes: Uint8Array): Letter | 'newer' | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const { version } = z.object({ version: z.number() }).parse(value);
    return version > letterVersion ? 'newer' : letterSchema.parse(value);
  } catch {
    return null;
  }
}

/** How long a message may be without a receipt until it is published again, in milliseconds: NATS keeps it for longer. */
const againMilliseconds = 3 * 24 * 60 * 60 * 1000;

/** When a message was last published, and into which stream. */
export interface Publication {
  /** By the clock of this host, in milliseconds since 1970. */
  readonly at: number;
  /** When the stream was made, as NATS writes it: a stream that was made again is another one. */
  readonly streamMadeAt: string;
}

/** Pure: whether a message that waits for a host is to be published now. @param last null for one that never was */
export const isDue = (last: Publication | null, now: Publication): boolean =>
  last === null ||
  last.streamMadeAt !== now.streamMadeAt ||
  last.at > now.at ||
  now.at - last.at > againMilliseconds;
