import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../check.js';
import { promptTag } from '../prompts.js';
import { untilReady } from '../rest.js';
import { Stage } from '../stage.js';
import type { FaultRow, Outcome } from './fault-row.js';
import { faultTable, isAsWanted, type RowResult } from './fault-table.js';
import { faultRows } from './rows.js';

/** Long enough for a prompt that is sent meanwhile to meet the dialog. */
const habits = { dialogAfter: 1500, permits: true };

/** Plays every row so many times and prints the table. @returns whether all was as it was wanted. */
export async function runFaults(folder: string, times: number, atOnce: number): Promise<boolean> {
  const results = faultRows.map((row) => ({ row, outcomes: [] as Outcome[] }));
  const plays = results.flatMap((result) => Array.from({ length: times }, () => result));
  const numbered = plays.map((result, index) => ({ ...result, number: index + 1 }));
  let faults = 0;
  const work = async (): Promise<void> => {
    for (let next = numbered.shift(); next !== undefined; next = numbered.shift()) {
      const own = join(folder, `f${next.number}_`);
      try {
        const outcome = await playRow(next.row, next.number, own);
        next.outcomes.push(outcome);
        for (const { kind, what } of outcome.violations)
          console.log(`VIOLATION ${kind}, ${next.row.name}, in ${own}: ${what}`);
        if (outcome.violations.length === 0) rmSync(own, { recursive: true, force: true, maxRetries: 5 });
      } catch (error) {
        faults += 1;
        console.log(`BROKEN play of '${next.row.name}' in ${own}: ${(error as Error).stack}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  console.log(`\n${faultTable(results satisfies RowResult[])}\n`);
  const isFine = faults === 0 && isAsWanted(results);
  console.log(`torture: faults ${isFine ? 'ok' : 'FAILED'}; ${faults} broken plays`);
  return isFine;
}

async function playRow(row: FaultRow, number: number, folder: string): Promise<Outcome> {
  const stage = new Stage(folder, row.switches, habits);
  try {
    await stage.open(false);
    const wasReady = await untilReady(stage.agent);
    await row.play(stage, (serial) => promptTag(number, serial));
    const { facts } = await stage.close();
    return { facts, violations: check(facts), wasReady };
  } finally {
    await stage.end();
  }
}
