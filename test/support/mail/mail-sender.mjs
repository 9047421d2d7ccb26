// A process that delivers into a mailbox root: `node mail-sender.mjs ROOT FROM TO COUNT PREFIX`. It tells `ready`, begins on
// any message, and tells each subject that is delivered.
import { systemClock } from '../../../dist/src/foundation/clock.js';
import { deliver } from '../../../dist/src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../dist/src/mail/filesystem/open-mail-root.js';
import { composeRoot } from '../../../dist/src/mail/message/compose.js';
import { plainPrincipal } from '../../../dist/src/mail/message/mail-message.js';

const [path, from, to, count, prefix] = process.argv.slice(2);
const principal = (name) => plainPrincipal(`HOUMAO-${name}`, `${name}@houmao.localhost`);
const root = openMailRoot(path, systemClock);
process.once('message', async () => {
  for (let n = 0; n < Number(count); n += 1) {
    const subject = `${prefix}${n}`;
    const message = composeRoot(
      {
        from: principal(from),
        to: to.split(',').map(principal),
        cc: [],
        replyTo: [],
        subject,
        headers: {},
        body: 'Hello.',
        attachments: [],
        notifyBlock: null,
        notifyAuth: null,
      },
      new Date(),
    );
    await deliver(root, message);
    process.send({ delivered: subject });
  }
  root.close();
  process.disconnect();
});
process.send('ready');
