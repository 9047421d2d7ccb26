import type { MailNotifierHandlers } from '../../../generated/gateway/server/mail-notifier-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import type { Gateway } from '../gateway.js';
import { notImplementedText } from './not-implemented.js';

const noBinding = 'The session manifest has no mailbox binding.';

/** The notifier's state for an agent without a mailbox: it is off, and why. */
const unsupported: components['schemas']['NotifierStatus'] = {
  schema_version: 1,
  enabled: false,
  interval_seconds: null,
  mode: 'any_inbox',
  appendix_text: '',
  context_error_policy: 'continue_current',
  pre_notification_context_action: 'none',
  notify_block_render: 'enabled',
  notify_block_auth_mode: 'permissive-log',
  notify_block_auth_verifier: 'none',
  notify_block_shared_tokens: [],
  notify_block_per_message_chars: 512,
  notify_block_total_chars: 2048,
  supported: false,
  support_error: noBinding,
  last_poll_at_utc: null,
  last_notification_at_utc: null,
  last_error: null,
};

export const mailNotifierHandlers = (gateway: Gateway): MailNotifierHandlers => {
  const bound = Boolean(gateway.manifest.launch_plan.mailbox);
  return {
    getMailNotifier: (_context, reply) =>
      bound ? reply(501, { detail: notImplementedText('getMailNotifier') }) : reply(200, unsupported),
    updateMailNotifier: (_context, reply) =>
      bound
        ? reply(501, { detail: notImplementedText('updateMailNotifier') })
        : reply(422, { detail: noBinding }),
    disableMailNotifier: (_context, reply) =>
      bound ? reply(501, { detail: notImplementedText('disableMailNotifier') }) : reply(200, unsupported),
  };
};
