import { expect } from 'vitest';

/**
 * Parts that no answer may hold: markup, stack frames, places on this disk, names of libraries (docs/decisions.md#errors).
 */
const internals = [
  /<!doctype|<html|<pre>/i,
  /\bat (?:\S+ \()?(?:file:|node:|\/)\S*:\d+:\d+/,
  /\.[cm]?[jt]s:\d+/,
  /(?:^|["'\s`(=])\/(?:tmp|home|root|work|usr|var|proc)\//,
  /node_modules|node:internal/,
  /\b(?:express|ajv|openapi-validator|body-parser|sqlite|SqliteError|swagger|path-to-regexp)\b/i,
];

/** Where a terminal's session lies is asked for by the contract. */
const askedFor = /"(?:manifest_path|session_root)":"[^"]*",?/g;

/** Fails when a body shows what is behind the server. Every answer of every contract test goes through it. */
export function expectClean(body: string): void {
  const answer = body.replaceAll(askedFor, '');
  const shown = internals.map((internal) => internal.exec(answer)).filter((match) => match !== null);
  expect(shown.map((match) => answer.slice(Math.max(0, match.index - 80), match.index + 120))).toEqual([]);
}
