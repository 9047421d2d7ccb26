import { connect } from 'node:net';
import { lineReader } from './line-reader.js';

const dot = 46;

/** A message with the ends of lines and the dots that LMTP wants; what is no text may have any bytes. */
export function dotStuffed(raw: string | Buffer): Buffer {
  const coding = typeof raw === 'string' ? 'utf8' : 'latin1';
  const text = raw.toString(coding).replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, coding);
}

/** Hands a message to a mailbox server. @param data as {@link dotStuffed} gives it. @returns its reply for each recipient. */
export async function deliverByLmtp(
  port: number,
  from: string,
  recipients: readonly string[],
  data: Buffer,
): Promise<Record<string, string>> {
  const socket = connect(port, '127.0.0.1');
  const next = lineReader(socket);
  const reply = async (): Promise<string> => {
    for (;;) {
      const line = (await next())?.toString();
      if (line === undefined) throw new Error('the LMTP server went away');
      if (line[3] !== '-') return line;
    }
  };
  const say = (command: string): Promise<string> => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  const replies: Record<string, string> = {};
  try {
    await reply();
    await say('LHLO test');
    await say(`MAIL FROM:<${from}>`);
    const taken: string[] = [];
    for (const recipient of recipients) {
      const answer = await say(`RCPT TO:<${recipient}>`);
      if (answer.startsWith('2')) taken.push(recipient);
      else replies[recipient] = answer;
    }
    if (taken.length > 0) {
      await say('DATA');
      socket.write(Buffer.concat([data, Buffer.from('.\r\n')]));
      for (const recipient of taken) replies[recipient] = await reply();
    }
    socket.write('QUIT\r\n');
    return replies;
  } finally {
    socket.end();
  }
}

/** Whether a line ends the data of a message. */
export const endsData = (line: Buffer): boolean => line.length === 1 && line[0] === dot;
