import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineReader } from './line-reader.js';
import { deliverByLmtp, endsData } from './lmtp.js';

/** The way from one mailbox of a server to another: takes messages for known users by SMTP, delivers them by LMTP. */
export class SmtpRelay {
  readonly server: Server;
  readonly #knows: (address: string) => boolean;
  readonly #lmtpPort: number;
  readonly #deliveries = new Set<Promise<void>>();

  constructor(lmtpPort: number, knows: (address: string) => boolean) {
    this.#lmtpPort = lmtpPort;
    this.#knows = knows;
    this.server = createServer((socket) => {
      socket.on('error', () => undefined);
      void this.#talk(socket);
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#deliveries);
  }

  async #talk(socket: Socket): Promise<void> {
    const next = lineReader(socket);
    const say = (text: string): boolean => socket.write(`${text}\r\n`);
    let from = '';
    let recipients: string[] = [];
    say('220 relay ESMTP');
    for (let line = await next(); line !== null; line = await next()) {
      const command = line.toString();
      const address = (/<([^>]*)>/.exec(command)?.[1] ?? '').toLowerCase();
      if (/^EHLO/i.test(command))
        say('250-relay\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n250 SIZE 52428800');
      else if (/^MAIL FROM:/i.test(command)) {
        from = address;
        recipients = [];
        say('250 2.1.0 ok');
      } else if (/^RCPT TO:/i.test(command)) {
        const isKnown = this.#knows(address);
        if (isKnown) recipients.push(address);
        say(isKnown ? '250 2.1.5 ok' : '550 5.1.1 no such recipient');
      } else if (/^DATA/i.test(command) && recipients.length === 0) say('554 5.5.1 no valid recipients');
      else if (/^DATA/i.test(command)) {
        say('354 go ahead');
        const data = await dataOf(next);
        // Answered before it is delivered: until then the server holds the sender's mailbox, which may be the recipient's.
        say('250 2.0.0 queued');
        this.#deliver(from, recipients, data);
      } else if (/^QUIT/i.test(command)) {
        say('221 2.0.0 bye');
        socket.end();
      } else say('250 2.0.0 ok');
    }
  }

  #deliver(from: string, recipients: readonly string[], data: Buffer): void {
    const delivery = this.#try(from, recipients, data).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  async #try(from: string, recipients: readonly string[], data: Buffer): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1)
      try {
        await deliverByLmtp(this.#lmtpPort, from, recipients, data);
        return;
      } catch {
        await sleep(100);
      }
  }
}

async function dataOf(next: () => Promise<Buffer | null>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let line = await next(); line !== null && !endsData(line); line = await next())
    parts.push(line, Buffer.from('\r\n'));
  return Buffer.concat(parts);
}
