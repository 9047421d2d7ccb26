import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The last `bytes` of a file as text; empty when there is none that can be read. */
export function readTail(path: string, bytes: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(bytes, size));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(file);
  }
}
