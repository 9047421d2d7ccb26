import type { Schemas } from '@houmao/sdk';
import { type NotifierFlags, toNotifierUpdate } from '../../flags/notifier-options.js';
import { notifierLines } from '../../words/notifier-words.js';
import type { MailCall } from './mail-way.js';

/** `mail-notifier status`. */
export async function notifierStatus(call: MailCall): Promise<void> {
  show(call, await call.way.withNotifier((notifier) => notifier.getMailNotifier()));
}

/** `mail-notifier enable`: also changes one that is on. */
export async function enableNotifier(call: MailCall, flags: NotifierFlags): Promise<void> {
  const body = toNotifierUpdate(flags);
  show(call, await call.way.withNotifier((notifier) => notifier.updateMailNotifier({ body })));
}

/** `mail-notifier disable`. */
export async function disableNotifier(call: MailCall): Promise<void> {
  show(call, await call.way.withNotifier((notifier) => notifier.disableMailNotifier()));
}

const show = ({ way, output }: MailCall, status: Schemas['NotifierStatus']): void =>
  output.result(status, notifierLines(status, way.name, output.time));
