import { describe } from 'vitest';
import { cyrusNeed, hasCyrus, startCyrus } from '../../../support/jmap/cyrus-server.js';
import { twoMailboxes } from '../../../support/jmap/two-mailboxes.js';
import { testMailTransport } from '../../../support/mail/transport-conformance.js';

describe('on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  testMailTransport('stalwart', () =>
    twoMailboxes(
      async (users) => {
        const server = await startCyrus(users);
        return { jmapUrl: server.jmapUrl, away: server.end, back: server.begin, stop: server.stop };
      },
      { unknownId: 'M000000000000000000000000', strangers: 'refused' },
    ),
  );
});
