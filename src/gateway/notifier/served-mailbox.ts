import { MailFault } from '../../mail/message/mail-fault.js';
import { mailHostObstacle } from '../mail/mail-host.js';
import type { OpenMailbox, SessionMailbox } from '../mail/session-mailbox.js';

/** The agent's mailbox, unless this gateway serves none: a prompt that names its API would lead nowhere. */
export class ServedMailbox {
  readonly #mailbox: SessionMailbox;
  /** Why no mail is served here; null where it is. */
  readonly obstacle: string | null;

  /** @param host on which the gateway listens. */
  constructor(mailbox: SessionMailbox, host: string) {
    this.#mailbox = mailbox;
    this.obstacle = mailHostObstacle(host);
  }

  /** As {@link SessionMailbox.use}. @throws {MailFault} where no mail is served. */
  async use<T>(work: (mailbox: OpenMailbox) => Promise<T>): Promise<T> {
    if (this.obstacle !== null) throw new MailFault('unsupported', this.obstacle);
    return this.#mailbox.use(work);
  }
}
