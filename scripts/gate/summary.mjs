// The summary that is printed at the end of a run of steps: pure.
import { leftOutStep, sumUp, titleOf, verdictOf } from './verdict.mjs';

const slowestShown = 30;

/**
 * @param {readonly import('./verdict.mjs').StepResult[]} results
 * @param {{ strict: boolean, notRun?: readonly string[] }} options `notRun`: what was left out, and why, a line each
 * @returns {{ text: string, failed: number }} the last line is `N passed, N failed`
 */
export function summaryOf(results, { strict, notRun = [] }) {
  const { passed, failed, unstable, reasons } = sumUp(results, { strict });
  const steps = results.filter(({ missing }) => missing !== undefined).map(leftOutStep);
  const leftOut = [...steps, ...leftOutOf(results), ...notRun];
  const blocks = [
    section('Seconds per step', stepLines(results)),
    section(`The ${slowestShown} slowest files (seconds, their imports included)`, slowestLines(results)),
    section('Left out', leftOut),
    section('Failed', reasons),
    section('Unstable: failed, and passed twice when run again alone. Find the cause', unstable.map(titleOf)),
  ];
  return { text: `${blocks.join('')}\n${passed} passed, ${failed} failed`, failed };
}

const section = (title, lines) =>
  lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;

function stepLines(results) {
  const sum = results.reduce((seconds, result) => seconds + result.seconds, 0);
  return [
    ...results.map((result) => {
      const { passed, failed, broken } = verdictOf(result);
      const counts = `${passed} passed${failed.length > 0 || broken ? `, ${Math.max(failed.length, 1)} FAILED` : ''}`;
      return `${column(result.seconds)} of ${String(result.budget).padStart(4)}  ${result.name} (${counts})`;
    }),
    `${column(sum)}          all of them; steps that ran side by side count each`,
  ];
}

/** The slowest test files of the steps, each once. */
export function slowestFiles(results) {
  const seconds = new Map();
  for (const each of results.flatMap(({ files }) => files))
    seconds.set(each.file, Math.max(each.seconds, seconds.get(each.file) ?? 0));
  return [...seconds].map(([file, took]) => ({ file, seconds: took })).sort((a, b) => b.seconds - a.seconds);
}

const slowestLines = (results) =>
  slowestFiles(results)
    .slice(0, slowestShown)
    .map(({ file, seconds }) => `${column(seconds)}  ${file}`);

function leftOutOf(results) {
  const counts = new Map();
  for (const { leftOut } of results)
    for (const [need, count] of Object.entries(leftOut)) counts.set(need, (counts.get(need) ?? 0) + count);
  return [...counts].map(([need, count]) => `${count} ${count === 1 ? 'test' : 'tests'} that need ${need}`);
}

const column = (seconds) => seconds.toFixed(1).padStart(7);
