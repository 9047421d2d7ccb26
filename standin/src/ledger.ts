import { appendFileSync } from 'node:fs';

/** Appends one line to the file that HOUMAO_STANDIN_LEDGER names; tests prove with it that no prompt runs twice. */
export function appendToLedger(entry: Record<string, unknown>): void {
  const path = process.env.HOUMAO_STANDIN_LEDGER;
  if (!path) return;
  const line = {
    pid: process.pid,
    turn_id: process.env.HOUMAO_TURN_ID ?? null,
    at: new Date().toISOString(),
    ...entry,
  };
  // Mode "a" is O_APPEND: one write is one line, even if many stand-ins write at once.
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}
