import { mailboxCommand } from '../../contract/refusals.js';
import { UnusableFile } from '../../foundation/faults.js';
import { MailFault } from '../../mail/message/mail-fault.js';
import { type MailHost, openTransport } from '../../mail/open-transport.js';
import type { MailTransport } from '../../mail/transport/mail-transport.js';
import type { MailBinding, Manifest } from '../../session/manifest-schema.js';

/** The agent's mailbox, open. */
export interface OpenMailbox {
  binding: MailBinding;
  transport: MailTransport;
}

/** The error of an agent without a mailbox, whatever the operation is. */
export class NoMailbox extends Error {
  override readonly name = 'NoMailbox';

  /** @param name of the agent. */
  constructor(name: string) {
    super(
      `The agent has no mailbox (no mailbox binding in its manifest). Give it one: ${mailboxCommand(name)}`,
    );
  }
}

/** Decides whether an error is about the mailbox, and not a defect of ours. */
export const isMailboxError = (error: unknown): error is Error =>
  error instanceof MailFault || error instanceof NoMailbox || error instanceof UnusableFile;

/** Decides whether the mailbox is not the agent's any more; any other fault of it may pass. */
export const isLostMailbox = (error: unknown): boolean =>
  error instanceof NoMailbox ||
  error instanceof UnusableFile ||
  (error instanceof MailFault && (error.code === 'not_registered' || error.code === 'owner_differs'));

interface Held extends OpenMailbox {
  uses: number;
  retired: boolean;
}

/**
 * The mailbox that the session's manifest names. The manifest is read for each use; an open mailbox stays open for as
 * long as `bindings_version` is the same, and after that until its last use has ended.
 */
export class SessionMailbox {
  readonly #manifest: () => Manifest;
  readonly #host: MailHost;
  #held: Held | null = null;

  /** @param manifest the session's manifest as it is now; throws UnusableFile. */
  constructor(manifest: () => Manifest, host: MailHost) {
    this.#manifest = manifest;
    this.#host = host;
  }

  /**
   * Runs `work` with the mailbox.
   * @throws {NoMailbox}
   * @throws {UnusableFile} for the manifest, and whatever `work` throws.
   */
  async use<T>(work: (mailbox: OpenMailbox) => Promise<T>): Promise<T> {
    const held = this.#current();
    held.uses += 1;
    try {
      return await work(held);
    } finally {
      held.uses -= 1;
      closeWhenDone(held);
    }
  }

  close(): void {
    this.#retire();
  }

  #current(): Held {
    const { launch_plan, agent_name: name } = this.#manifest();
    const { mailbox: binding } = launch_plan;
    if (!binding) {
      this.#retire();
      throw new NoMailbox(name ?? '<name>');
    }
    if (this.#held?.binding.bindings_version === binding.bindings_version) return this.#held;
    this.#retire();
    this.#held = { binding, transport: openTransport(binding, this.#host), uses: 0, retired: false };
    return this.#held;
  }

  #retire(): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    held.retired = true;
    closeWhenDone(held);
  }
}

function closeWhenDone({ retired, uses, transport }: Held): void {
  if (retired && uses === 0) transport.close();
}

const loopback = '127.0.0.1';

/** Returns why a gateway that listens on `host` serves no mail; null where it does. */
export const mailHostObstacle = (host: string): string | null =>
  host === loopback
    ? null
    : `Mail is only served by a gateway that listens on ${loopback}; this one listens on ${host}.`;

/** The agent's mailbox, unless this gateway serves no mail: then a prompt that names its mail API would lead nowhere. */
export class ServedMailbox {
  readonly #mailbox: SessionMailbox;
  /** The reason why no mail is served here; null where it is. */
  readonly obstacle: string | null;

  /** @param host the address on which the gateway listens. */
  constructor(mailbox: SessionMailbox, host: string) {
    this.#mailbox = mailbox;
    this.obstacle = mailHostObstacle(host);
  }

  /**
   * Like {@link SessionMailbox.use}.
   * @throws {MailFault} where no mail is served.
   */
  async use<T>(work: (mailbox: OpenMailbox) => Promise<T>): Promise<T> {
    if (this.obstacle !== null) throw new MailFault('unsupported', this.obstacle);
    return this.#mailbox.use(work);
  }
}
