import { readFileSync } from 'node:fs';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { UnusableFile, unlessUnusable } from '../foundation/faults.js';
import { unreadable } from '../foundation/system-fault.js';

/** A JSON file of a known shape. */
export interface JsonFile<T> {
  /** Reads the file; null when it is absent. @throws {UnusableFile} when it is not JSON or not of this shape. */
  read(path: string): T | null;
  /** Reads the file; null also when it cannot be used. For files that are only published, and rewritten in any case. */
  readIfUsable(path: string): T | null;
  /** Reads the file. @throws {UnusableFile} also when it is absent. */
  require(path: string): T;
  /** Checks a value that was read elsewhere. @throws {UnusableFile} when it is not of this shape. */
  check(path: string, value: unknown): T;
  /**
   * The two halves of {@link require}, for callers that cache the value parsed from a text. @throws {UnusableFile} both of
   * them.
   */
  requireText(path: string): string;
  parse(path: string, text: string): T;
}

/**
 * Describes a JSON file of this schema.
 * @param remedy what to do about a file that cannot be used.
 */
export function jsonFile<S extends TSchema>(schema: S, remedy: string): JsonFile<Static<S>> {
  // The check runs without compiling the schema: a start reads each file once, and compiling the manifest's alone takes 0.3 s.
  const unusable = (path: string, reason: string) => new UnusableFile(path, reason, remedy);
  const check = (path: string, value: unknown): Static<S> => {
    if (Value.Check(schema, value)) return value as Static<S>;
    const first = Value.Errors(schema, value).First();
    throw unusable(path, `field ${first?.path || '(root)'}: ${first?.message.toLowerCase() ?? 'is invalid'}`);
  };
  const parse = (path: string, text: string): Static<S> => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw unusable(path, 'is not valid JSON');
    }
    return check(path, value);
  };
  const read = (path: string): Static<S> | null => {
    const text = readText(path);
    return text === null ? null : parse(path, text);
  };
  const requireText = (path: string): string => {
    const text = readText(path);
    if (text === null) throw unusable(path, 'the file does not exist');
    return text;
  };
  return {
    check,
    read,
    requireText,
    parse,
    readIfUsable: (path) => unlessUnusable(() => read(path)),
    require: (path) => parse(path, requireText(path)),
  };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

// Shorthands for the session files: closed objects, and `null` for an empty field.
const closed = { additionalProperties: false } as const;
export const Closed = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, closed);
export const Text = Type.String({ pattern: '\\S' });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const OptionalText = Type.Optional(Nullable(Text));
export const Choice = <const V extends string[]>(...values: V) =>
  Type.Union(values.map((value) => Type.Literal(value))) as unknown as TSchema & { static: V[number] };
