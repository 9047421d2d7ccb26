#!/usr/bin/env node
// Runs one turn inside the agent's tmux pane. Its job comes in a file that is gone once it is read (decision 47).
import { readFileSync, unlinkSync } from 'node:fs';
import { systemClock } from '../foundation/clock.js';
import { renderEvent } from './render-event.js';
import { supervise, type TurnJob } from './supervisor.js';

const path = process.argv[2];
if (path === undefined) {
  console.error('usage: runner-main JOB_FILE (the gateway starts it, nobody else needs to)');
  process.exit(2);
}
const job = JSON.parse(readFileSync(path, 'utf8')) as TurnJob;
unlinkSync(path);
// Signals meant for the agent reach its own process group; the runner stays to see how it ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdout.on('error', () => undefined);

const end = await supervise(
  job,
  {
    spawned: () => undefined,
    oversizedRow: () => undefined,
    fault: (detail) => console.log(`[diagnostic] ${detail}`),
    event(event) {
      const text = renderEvent(event);
      if (text !== null) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
  },
  systemClock,
);
if (end.startFault) console.log(`[diagnostic] ${end.startFault.detail}`);
process.exitCode = end.exitCode ?? 1;
