import type { Socket } from 'node:net';

/** Reads lines that end with CRLF, as bytes; null at the end of the connection. */
export function lineReader(socket: Socket): () => Promise<Buffer | null> {
  let rest = Buffer.alloc(0);
  let isOver = false;
  let wake: (() => void) | null = null;
  const lines: Buffer[] = [];
  const tell = (): void => {
    wake?.();
    wake = null;
  };
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
      lines.push(rest.subarray(0, at));
      rest = rest.subarray(at + 2);
    }
    tell();
  });
  for (const event of ['end', 'close', 'error'])
    socket.on(event, () => {
      isOver = true;
      tell();
    });
  return async () => {
    while (lines.length === 0) {
      if (isOver) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return lines.shift() ?? null;
  };
}
