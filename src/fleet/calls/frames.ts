import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

// A call of an operation from one host to another, as messages. The caller sends to the other host's subject, and gets the answer at a
// subject of its own, in frames that are numbered: a lost one is noticed.
//
//   caller → host    ask (the call, with the beginning of its body), more (the rest of the body), go_on (so many frames were
//                    taken), cancel
//   host → caller    head (status and headers), body, beat (nothing yet, the host lives), end, failed

/** The version of these messages. A host answers a newer one with `failed`. */
export const callVersion = 1;

/** The most bytes of a body in one message; NATS allows a megabyte. */
export const frameBytes = 256 * 1024;
/** How many frames a host sends ahead of the caller. */
export const frameWindow = 32;
/** How often a host that has nothing to say shows that it lives, in milliseconds. */
export const beatMilliseconds = 5000;
/** How long a caller waits for any frame, in milliseconds. */
export const silenceMilliseconds = 20_000;

export interface CallHead {
  readonly version: number;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The number of bytes of the body. */
  readonly length: number;
}
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

const callHeader = 'Houmao-Call';
const frameHeader = 'Houmao-Frame';
const numberHeader = 'Houmao-Number';
const headHeader = 'Houmao-Head';

export type CallFrame =
  | { readonly kind: 'ask'; readonly call: string; readonly head: CallHead; readonly bytes: Uint8Array }
  | { readonly kind: 'more'; readonly call: string; readonly bytes: Uint8Array }
  | { readonly kind: 'go_on'; readonly call: string; readonly taken: number }
  | { readonly kind: 'cancel'; readonly call: string };
export type AnswerFrame = { readonly number: number } & (
  | { readonly kind: 'head'; readonly head: AnswerHead }
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'beat' | 'end' }
  | { readonly kind: 'failed'; readonly reason: string }
);

const none = new Uint8Array();

/** A header of NATS is ASCII. */
const headText = (head: object): string =>
  JSON.stringify(head).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

function framed(kind: string, more: Readonly<Record<string, string>>): MsgHdrs {
  const written = headers();
  written.set(frameHeader, kind);
  for (const [name, value] of Object.entries(more)) written.set(name, value);
  return written;
}

/** A message to be published. */
export interface FrameMessage {
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs;
}

export function writeCall(frame: CallFrame): FrameMessage {
  const call = { [callHeader]: frame.call };
  switch (frame.kind) {
    case 'ask':
      return { bytes: frame.bytes, headers: framed('ask', { ...call, [headHeader]: headText(frame.head) }) };
    case 'more':
      return { bytes: frame.bytes, headers: framed('more', call) };
    case 'go_on':
      return { bytes: none, headers: framed('go_on', { ...call, [numberHeader]: String(frame.taken) }) };
    case 'cancel':
      return { bytes: none, headers: framed('cancel', call) };
  }
}

export function writeAnswer(frame: AnswerFrame): FrameMessage {
  const number = { [numberHeader]: String(frame.number) };
  switch (frame.kind) {
    case 'head':
      return { bytes: none, headers: framed('head', { ...number, [headHeader]: headText(frame.head) }) };
    case 'body':
      return { bytes: frame.bytes, headers: framed('body', number) };
    case 'failed':
      return {
        bytes: none,
        headers: framed('failed', { ...number, [headHeader]: headText({ reason: frame.reason }) }),
      };
    default:
      return { bytes: none, headers: framed(frame.kind, number) };
  }
}

type Received = Pick<Msg, 'data' | 'headers'>;

/** Reads a message to a host. @returns null when it is no frame of ours. */
export function readCall({ data, headers: given }: Received): CallFrame | null {
  const call = given?.get(callHeader) ?? '';
  if (!given || call === '') return null;
  switch (given.get(frameHeader)) {
    case 'ask': {
      const head = objectOf(given.get(headHeader));
      return isCallHead(head) ? { kind: 'ask', call, head, bytes: data } : null;
    }
    case 'more':
      return { kind: 'more', call, bytes: data };
    case 'go_on': {
      const taken = Number(given.get(numberHeader));
      return Number.isSafeInteger(taken) ? { kind: 'go_on', call, taken } : null;
    }
    case 'cancel':
      return { kind: 'cancel', call };
    default:
      return null;
  }
}

/** Reads a message to a caller. @returns null when it is no frame of ours. */
export function readAnswer({ data, headers: given }: Received): AnswerFrame | null {
  const number = Number(given?.get(numberHeader) || Number.NaN);
  if (!given || !Number.isSafeInteger(number)) return null;
  const kind = given.get(frameHeader);
  switch (kind) {
    case 'head': {
      const head = objectOf(given.get(headHeader));
      return isAnswerHead(head) ? { kind, number, head } : null;
    }
    case 'body':
      return { kind, number, bytes: data };
    case 'beat':
    case 'end':
      return { kind, number };
    case 'failed':
      return { kind, number, reason: String(objectOf(given.get(headHeader))?.reason ?? '') };
    default:
      return null;
  }
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const isTexts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => typeof one === 'string' || Array.isArray(one));

const isCallHead = (value: Record<string, unknown> | null): value is Record<string, unknown> & CallHead =>
  value !== null &&
  Number.isSafeInteger(value.version) &&
  typeof value.method === 'string' &&
  typeof value.path === 'string' &&
  value.path.startsWith('/') &&
  Number.isSafeInteger(value.length) &&
  isTexts(value.headers);

const isAnswerHead = (value: Record<string, unknown> | null): value is Record<string, unknown> & AnswerHead =>
  value !== null && Number.isSafeInteger(value.status) && isTexts(value.headers);
