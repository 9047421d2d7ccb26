import type { Schemas } from '@houmao/sdk';
import { type NotifierFlags, toNotifierUpdate } from '../../flags/notifier-options.js';
import { notifierLines } from '../../words/notifier-words.js';
import { gatewayOfFound } from '../find-agent.js';
import { told } from './agent-mail.js';
import type { MailCall } from './mail.js';

/** `mail-notifier status`. */
export async function notifierStatus(call: MailCall): Promise<void> {
  show(call, await told((await gateway(call)).getMailNotifier()));
}

/** `mail-notifier enable`: also changes one that is on. */
export async function enableNotifier(call: MailCall, flags: NotifierFlags): Promise<void> {
  const body = toNotifierUpdate(flags);
  show(call, await told((await gateway(call)).updateMailNotifier({ body })));
}

/** `mail-notifier disable`. */
export async function disableNotifier(call: MailCall): Promise<void> {
  show(call, await told((await gateway(call)).disableMailNotifier()));
}

const gateway = ({ chosen, host }: MailCall) => gatewayOfFound(chosen.asked, chosen.agent, host);

const show = ({ chosen, output }: MailCall, status: Schemas['NotifierStatus']): void =>
  output.result(status, notifierLines(status, chosen.agent.name));
