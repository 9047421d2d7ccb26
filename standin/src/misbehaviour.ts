import { spawn } from 'node:child_process';
import { print, printError } from './output.js';
import { newMessageId, type Row, type RowContext, streamRow, textDelta, toolRows } from './rows.js';

type Emit = (row: Row) => Promise<void>;

const kibibyte = 1024;
const mebibyte = kibibyte * kibibyte;

/** Prints lines on stderr, `kib` KiB in all. */
export async function flood(kib: number): Promise<void> {
  const line = `${'stand-in noise '.repeat(7).trim()}\n`;
  const kibOfLines = line.repeat(Math.ceil(kibibyte / line.length)).slice(-kibibyte);
  for (let written = 0; written < kib; written += 1) await printError(kibOfLines);
}

/** Prints input that a row reader must survive: bytes that are not UTF-8, cut rows, JSON that is not an object. */
export async function printGarbage(): Promise<void> {
  await print(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00, 0x0a]));
  await print('{"type":"assistant","message":{"content":[{"type":"te\n');
  await print('plain words\n[1,2,3]\n"text"\n42\nnull\n\n');
}

/** Prints partial-message rows of `mib` MiB in all. */
export async function emitManyRows(emit: Emit, context: RowContext, mib: number): Promise<void> {
  const messageId = newMessageId();
  const piece = 'x'.repeat(64 * kibibyte);
  for (let written = 0; written < mib * mebibyte; written += piece.length) {
    await emit(streamRow(context, messageId, textDelta(piece)));
  }
}

/** Prints one tool result of `mib` MiB. */
export async function emitHugeRow(emit: Emit, context: RowContext, mib: number): Promise<void> {
  const tool = { name: 'Read', input: { file_path: 'huge.txt' } };
  for (const row of toolRows(context, tool, 'x'.repeat(mib * mebibyte))) await emit(row);
}

/** Starts a process in the stand-in's group that outlives it and keeps its output open. */
export function leaveGrandchild(ms: number): void {
  const script = `setTimeout(() => {}, ${ms})`;
  spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
}
