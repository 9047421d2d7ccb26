import type { Clock } from '../../foundation/clock.js';
import { MailRoot } from './mailbox/mail-root.js';
import { recoverLeft } from './repair/recover-left.js';

/** A root as it is on disk; {@link bootstrap} makes one. */
export const openMailRoot = (path: string, clock: Clock): MailRoot => new MailRoot(path, clock, recoverLeft);
