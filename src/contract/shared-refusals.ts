// Sentences with which the gateway and the server refuse the same thing.

/** The refusal of an Idempotency-Key under which something else was asked for before. */
export const keyOfAnotherBody = 'The Idempotency-Key was used before with another body.';

/** The command that gives an agent a mailbox. */
export const mailboxCommand = (name: string): string =>
  `houmao-mgr agents mailbox register ${name} --mailbox-root <root>`;

/** Begins the server's own name of a submission, `mreq-0f3c9d2b7a11`, which is for logs: nothing can be asked for by it. */
export const logNamePrefix = 'mreq-';

/** The end of the sentence with which an id is refused as unknown: where it is such a name, the way to ask. Empty for other ids. */
export const howToAsk = (id: string): string =>
  id.startsWith(logNamePrefix)
    ? ' That id is for logs only: use the X-Houmao-Turn-Id of the same answer, at …/turns/{turn_id}/record of the server.'
    : '';
