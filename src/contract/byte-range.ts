/** What a `Range` header asks of a file; `end` is the last byte. */
export type ByteRange = { kind: 'all' } | { kind: 'part'; start: number; end: number } | { kind: 'beyond' };

const all: ByteRange = { kind: 'all' };

/**
 * One range of bytes (RFC 9110, 14.1). Several ranges, other units and what is no range are answered as if they were not
 * there, which the standard allows.
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
