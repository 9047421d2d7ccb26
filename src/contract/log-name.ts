/** The server's own name of a submission, `mreq-0f3c9d2b7a11`, is for logs: nothing can be asked for by it. */
export const logNamePrefix = 'mreq-';

/** What the 404 of an id adds where it is such a name: how to ask for what it began. Empty for other ids. */
export const howToAsk = (id: string): string =>
  id.startsWith(logNamePrefix)
    ? ' That is a name for logs: ask by the X-Houmao-Turn-Id of the same answer, at …/turns/{turn_id}/record of the server.'
    : '';
