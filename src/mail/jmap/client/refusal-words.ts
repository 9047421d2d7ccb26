/** What errors of mail servers mean to a person: SetErrors of RFC 8620 and RFC 8621, and problems of whole requests. */
const meanings: Readonly<Record<string, string>> = {
  overQuota: 'the mailbox there is full',
  maxQuotaReached: 'the mailbox there is full',
  tooLarge: 'it is too large',
  requestTooLarge: 'it is too large',
  tooManyRecipients: 'it has too many recipients',
  rateLimit: 'there were too many in a short time',
  forbiddenFrom: 'the login may not send as that address',
  forbiddenMailFrom: 'the login may not send as that address',
  forbiddenToSend: 'the login may not send mail',
  primaryKeyViolation: 'something else there has that name or address',
  serverUnavailable: 'it is busy',
  'urn:ietf:params:jmap:error:limit': 'more was asked than it allows',
};

const statuses: Readonly<Record<number, string>> = {
  413: 'it is too large',
  429: 'too many requests in a short time',
  503: 'it is busy',
  507: 'it has no room left',
};

/** Pure: null for what says all by itself, or nothing to us. */
export const meaningOf = (type: string): string | null =>
  Object.hasOwn(meanings, type) ? meanings[type]! : null;

/** Pure: a status of HTTP, for a sentence. */
export const statusWords = (status: number): string =>
  status in statuses ? `${status} (${statuses[status]})` : `${status}`;
