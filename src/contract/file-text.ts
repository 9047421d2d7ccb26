import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StreamedText } from './handler-types.js';

/** The part of a file that a `Range` header requests; `end` is the last byte. */
type ByteRange = { kind: 'all' } | { kind: 'part'; start: number; end: number } | { kind: 'beyond' };

const all: ByteRange = { kind: 'all' };

/**
 * Reads a header with one range of bytes (RFC 9110, 14.1). Several ranges, other units and malformed ranges are
 * ignored, which the standard allows.
 */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const found = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (!found) return all;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return all;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'beyond' } : { kind: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return all;
  if (start >= size) return { kind: 'beyond' };
  return { kind: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

const ranges = { 'Accept-Ranges': 'bytes' } as const;

/** A file as the answer to a request for all of it, or for a part. Its text is read while the answer is sent. */
export type FileText =
  | { status: 200; text: StreamedText; headers: typeof ranges }
  | { status: 206; text: StreamedText; headers: typeof ranges & { 'Content-Range': string } }
  | { status: 416; detail: string; headers: { 'Content-Range': string } };

/**
 * Returns a file with its present size: content that is appended while it is sent is left out. A file that
 * does not exist counts as empty.
 * @param range the `Range` header of the call.
 * @throws the file system's error, unless it is that there is no such file.
 */
export async function fileText(path: string, range: string | undefined): Promise<FileText> {
  const file = await openIfThere(path);
  try {
    const size = file ? (await file.stat()).size : 0;
    const wanted = byteRange(range, size);
    if (wanted.kind === 'beyond') {
      await file?.close();
      const detail = `The file has ${size} bytes; ${range} is beyond them.`;
      return { status: 416, detail, headers: { 'Content-Range': `bytes */${size}` } };
    }
    if (wanted.kind === 'all') return { status: 200, text: await part(file, 0, size), headers: ranges };
    const { start, end } = wanted;
    return {
      status: 206,
      text: await part(file, start, end + 1),
      headers: { ...ranges, 'Content-Range': `bytes ${start}-${end}/${size}` },
    };
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** The returned stream closes the file. */
async function part(file: FileHandle | null, start: number, end: number): Promise<StreamedText> {
  if (file && end > start)
    return new StreamedText(end - start, file.createReadStream({ start, end: end - 1 }));
  await file?.close();
  return new StreamedText(0, Readable.from([]));
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
