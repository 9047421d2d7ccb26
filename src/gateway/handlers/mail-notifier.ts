import type { MailNotifierHandlers } from '../../../generated/gateway/server/mail-notifier-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import type { Gateway } from '../gateway.js';
import type { NotifierView } from '../notifier/notifier-service.js';
import type { NotifierUpdate } from '../notifier/notifier-settings.js';

type Schemas = components['schemas'];

export const mailNotifierHandlers = ({
  notifier: { service },
}: Pick<Gateway, 'notifier'>): MailNotifierHandlers => ({
  getMailNotifier: async (_context, reply) => reply(200, notifierStatus(await service.read())),
  updateMailNotifier: async ({ body }, reply) => {
    const after = await service.enable(notifierUpdate(body));
    return 'refused' in after ? reply(422, { detail: after.refused }) : reply(200, notifierStatus(after));
  },
  disableMailNotifier: async (_context, reply) => reply(200, notifierStatus(await service.disable())),
});

const notifierUpdate = (body: Schemas['NotifierUpdate']): NotifierUpdate => ({
  intervalSeconds: body.interval_seconds,
  mode: body.mode,
  contextErrorPolicy: body.context_error_policy,
  preNotificationContextAction: body.pre_notification_context_action,
  appendixText: body.appendix_text,
  notices: {
    render: body.notify_block_render,
    authMode: body.notify_block_auth_mode,
    verifier: body.notify_block_auth_verifier,
    sharedTokens: body.notify_block_shared_tokens,
    perMessageChars: body.notify_block_per_message_chars,
    totalChars: body.notify_block_total_chars,
  },
});

function notifierStatus({ stored, supportError }: NotifierView): Schemas['NotifierStatus'] {
  const { settings } = stored;
  const { notices } = settings;
  return {
    schema_version: 1,
    enabled: settings.enabled,
    interval_seconds: settings.intervalSeconds,
    mode: settings.mode,
    appendix_text: settings.appendixText,
    context_error_policy: settings.contextErrorPolicy,
    pre_notification_context_action: settings.preNotificationContextAction,
    notify_block_render: notices.render,
    notify_block_auth_mode: notices.authMode,
    notify_block_auth_verifier: notices.verifier,
    notify_block_shared_tokens: [...notices.sharedTokens],
    notify_block_per_message_chars: notices.perMessageChars,
    notify_block_total_chars: notices.totalChars,
    supported: supportError === null,
    support_error: supportError,
    last_poll_at_utc: stored.lastPollAtUtc,
    last_notification_at_utc: stored.lastNotificationAtUtc,
    last_error: stored.lastError,
  };
}
