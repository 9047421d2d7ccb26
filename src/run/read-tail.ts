import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The last `bytes` of a file as text; empty when there is none that can be read. */
export function readTail(path: string, bytes: number): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(bytes, size));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
