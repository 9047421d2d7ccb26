import { createServer, type Server } from 'node:net';

/** Says by the protocol of saslauthd whether a password is right: four texts, each behind its length in two bytes. */
export const passwordServer = (passwords: ReadonlyMap<string, string>): Server =>
  createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const texts = textsOf(bytes);
      if (texts === null) return;
      const [user = '', password = '', , realm = ''] = texts;
      const name = user.includes('@') || realm === '' ? user : `${user}@${realm}`;
      const answer = Buffer.from(password !== '' && passwords.get(name) === password ? 'OK' : 'NO');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
    });
  });

function textsOf(bytes: Buffer): string[] | null {
  const texts: string[] = [];
  for (let at = 0; texts.length < 4; ) {
    if (bytes.length < at + 2) return null;
    const length = bytes.readUInt16BE(at);
    if (bytes.length < at + 2 + length) return null;
    texts.push(bytes.toString('utf8', at + 2, at + 2 + length));
    at += 2 + length;
  }
  return texts;
}
