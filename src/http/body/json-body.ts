import { setImmediate } from 'node:timers/promises';
import type { BrokenRule } from '../../contract/validation-items.js';
import { sendEnvelope } from '../answers/envelope.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/server.js';
import { type BodyLimits, type ReadBody, readBody } from './read-body.js';

/**
 * Reads the body of an operation that has one: only JSON, only up to the limit, never compressed. A bad body is answered here.
 * @param bytes the largest body.
 * @param done called when `request.body` is set, or when no bytes came: the contract decides whether a body is missing.
 * @param fail receives errors that `done` throws.
 */
export function readJson(
  request: SurfaceRequest,
  response: SurfaceResponse,
  bytes: number,
  done: () => void,
  fail: (error: unknown) => void,
): void {
  const refusal = typeRefusal(request);
  if (refusal !== null) {
    sendEnvelope(response, 415, refusal);
    return;
  }
  const limits = { bytes, ...shapeLimits };
  const parsed = (text: string, body: { value: unknown } | null): void => {
    if (body) {
      request.body = body.value;
      request.bodyText = text;
      done();
    } else sendEnvelope(response, 422, [invalidJson(jsonTrouble(text))]);
  };
  readBody(request, limits, (body) => {
    if (body === 'gone') return;
    if ('trouble' in body) refuse(response, body, limits);
    else if (body.text === '') done();
    else if (body.text.length > longText)
      parseBetween(body.text)
        .then((one) => parsed(body.text, one))
        .catch(fail);
    else parsed(body.text, parse(body.text));
  });
}

/**
 * From this many characters on, other callers get a turn of the event loop before and after parsing, since each of the steps
 * takes tens of milliseconds.
 */
const longText = 1024 * 1024;

async function parseBetween(text: string): Promise<{ value: unknown } | null> {
  await setImmediate();
  const body = parse(text);
  await setImmediate();
  return body;
}

/** @returns null when the text is no JSON. */
function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** A large body of the contract holds long texts and few values; these limits are far beyond any such body. */
const shapeLimits = { values: 5000, depth: 64 } as const;

function refuse(
  response: SurfaceResponse,
  { trouble, at }: Extract<ReadBody, { trouble: string }>,
  limits: BodyLimits,
): void {
  const invalid = (offset: number | null, reason: string): void =>
    sendEnvelope(response, 422, [invalidJson({ offset, reason })]);
  if (trouble === 'too large') sendEnvelope(response, 413, `The body is larger than ${limits.bytes} bytes.`);
  else if (trouble === 'too many values')
    sendEnvelope(response, 413, `The body has more than ${limits.values} values.`);
  else if (trouble === 'too deep') invalid(null, `Nested deeper than ${limits.depth} levels`);
  else invalid(at, 'Not UTF-8');
}

function typeRefusal(request: SurfaceRequest): string | null {
  const contentType = request.headers['content-type'];
  if (contentType === undefined) return 'Content-Type is missing; send application/json.';
  if (!isJsonMediaType(contentType)) {
    return `Content-Type ${contentType.slice(0, 200)} is not JSON; send application/json.`;
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return null;
  return `Content-Encoding ${encoding.slice(0, 200)} is not supported; send plain JSON.`;
}

/** @param trouble its offset is null when the position was not determined. */
const invalidJson = (trouble: { offset: number | null; reason: string }): BrokenRule => ({
  type: 'json_invalid',
  loc: trouble.offset === null ? ['body'] : ['body', trouble.offset],
  msg: trouble.reason,
  input: {},
  ctx: { error: trouble.reason },
});

/** Decides whether a Content-Type declares JSON: `application/json` or `application/*+json`, with any parameters. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return mediaType !== undefined && /^application\/(?:[\w.!#$&^+-]+\+)?json$/.test(mediaType);
}

// The functions below find where a text stops being JSON. Node's own messages give the position only in some cases and
// releases.

const blank = /[ \t\n\r]*/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The part of a string that is matched at once: character by character, millions of escapes would take seconds. */
const stringPart = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'rest';

/** Finds the first character at which the text is not JSON; the text's length when it ends too early. */
export function jsonTrouble(text: string): { offset: number; reason: string } {
  const offset = troubleAt(text);
  const reason = offset >= text.length ? 'Unexpected end of the text' : `Not JSON at character ${offset}`;
  return { offset, reason };
}

function troubleAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  /** @returns false when the string breaks off; `at` is then the position. */
  const skipString = (): boolean => {
    at += 1;
    while (skip(stringPart)) {
      // The string continues.
    }
    if (text[at] !== '"') return false;
    at += 1;
    return true;
  };
  for (;;) {
    skip(blank);
    const next = text[at];
    if (next === undefined) return at;
    switch (expected) {
      case 'value or ]':
      case 'value':
        if (next === ']' && expected === 'value or ]') {
          open.pop();
          expected = 'rest';
          at += 1;
        } else if (next === '{' || next === '[') {
          open.push(next);
          expected = next === '{' ? 'key or }' : 'value or ]';
          at += 1;
        } else {
          if (next === '"' ? !skipString() : !skip(literal)) return at;
          expected = 'rest';
        }
        break;
      case 'key or }':
      case 'key':
        if (next === '}' && expected === 'key or }') {
          open.pop();
          expected = 'rest';
          at += 1;
        } else {
          if (next !== '"' || !skipString()) return at;
          expected = ':';
        }
        break;
      case ':':
        if (next !== ':') return at;
        expected = 'value';
        at += 1;
        break;
      case 'rest': {
        const inside = open.at(-1);
        if (next === ',' && inside !== undefined) expected = inside === '{' ? 'key' : 'value';
        else if (inside !== undefined && next === (inside === '{' ? '}' : ']')) open.pop();
        else return at;
        at += 1;
      }
    }
  }
}
