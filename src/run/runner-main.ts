#!/usr/bin/env node
// Runs one turn, even if the process that requested it ends. Its job comes in a file that is deleted once it is read
// (docs/decisions.md#job-of-a-turn).
import { systemClock } from '../foundation/clock.js';
import { usualDisplay } from '../session/manifest-facts.js';
import { PaneText } from './pane-text.js';
import { writeStartFault } from './start-agent.js';
import { supervise } from './supervisor.js';
import { takeJob } from './turn-job.js';

const path = process.argv[2];
if (path === undefined) {
  console.error(
    "usage: turn-runner JOB_FILE (started by the program that runs a session's turns, not by hand)",
  );
  process.exit(2);
}
const job = takeJob(path);
// Signals for the agent go to the agent's own process group; the runner stays to record how it ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
// There may be no reader of the output, or no longer.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const shown = new PaneText(job.display ?? usualDisplay);
const report = (fault: string): void => void process.stderr.write(`[diagnostic] ${fault}\n`);
const end = await supervise(
  job,
  {
    report,
    event: (event) => void process.stdout.write(shown.next(event)),
  },
  systemClock,
);
if ('code' in end) {
  report(end.detail);
  writeStartFault(job.artifacts, end);
  process.exitCode = 1;
} else {
  process.exitCode = end.exitCode ?? 1;
}
