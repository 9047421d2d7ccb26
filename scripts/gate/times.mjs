// The table of docs/testing.md: how long each slow test file took in the last run of the tests. vitest.config.ts begins with the slowest.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const begin = '<!-- times -->';
const end = '<!-- /times -->';
/** A file that takes less makes no difference to the order. */
const leastSeconds = 3;

/**
 * @param {{ file: string, seconds: number }[]} files the slowest first
 * @param {string} path of the document; its table is replaced
 */
export function writeTimes(files, path) {
  const document = readFileSync(path, 'utf8');
  writeFileSync(path, withTimes(document, files));
}

/** @returns the document with new figures for these files, and the old ones for others that are still there */
export function withTimes(document, files, isThere = existsSync) {
  const [before, rest] = document.split(begin);
  const [old, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`docs/testing.md has no ${begin} … ${end} for the table`);
  const seconds = new Map(
    [...old.matchAll(/^\| ([\d.]+) \| (\S+) \|$/gm)].map(([, took, file]) => [file, Number(took)]),
  );
  for (const each of files) seconds.set(each.file, each.seconds);
  const rows = [...seconds]
    .map(([file, took]) => ({ file, seconds: took }))
    .filter((row) => row.seconds >= leastSeconds && isThere(row.file))
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => `| ${seconds.toFixed(1)} | ${file} |`);
  return [
    before,
    begin,
    '\n| seconds | file |\n|---|---|\n',
    rows.map((row) => `${row}\n`).join(''),
    end,
    after,
  ].join('');
}
