import { describe } from 'vitest';
import { startJames } from '../support/jmap/james/james-server.js';
import { twoMailboxes } from '../support/jmap/two-mailboxes.js';
import { testMailTransport } from '../support/mail/transport-conformance.js';

const jars = process.env.HOUMAO_JAMES_JARS;

describe('on Apache James', () => {
  testMailTransport('stalwart', () =>
    twoMailboxes(
      async (users) => {
        if (jars === undefined) throw new Error('James is started by npm run test:mail-servers');
        const server = await startJames(jars, users);
        // It forgets everything when it ends.
        return { jmapUrl: server.jmapUrl, away: server.freeze, back: server.thaw, stop: server.stop };
      },
      { unknownId: '00000000-0000-0000-0000-000000000000', strangers: 'returned' },
    ),
  );
});
