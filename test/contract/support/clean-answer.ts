import { expect } from 'vitest';

/** What no answer may hold: markup, stack frames, places on this disk, names of libraries (decisions 3 and 43). */
const internals = [
  /<!doctype|<html|<pre>/i,
  /\bat .+:\d+:\d+/,
  /\.[cm]?[jt]s:\d+/,
  /(?:^|["'\s`(=])\/(?:tmp|home|root|work|usr|var|proc)\//,
  /node_modules|node:internal/,
  /\b(?:express|ajv|openapi-validator|body-parser|sqlite|SqliteError|swagger|path-to-regexp)\b/i,
];

/** Fails when a body shows what is behind the server. Every answer of every contract test goes through it. */
export function expectClean(body: string): void {
  for (const internal of internals) expect(body).not.toMatch(internal);
}
