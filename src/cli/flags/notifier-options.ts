import type { Schemas } from '@houmao/sdk';
import { type Command, Option } from 'commander';
import { toSeconds } from './durations.js';
import { textFrom } from './given-file.js';
import { toInteger } from './option-values.js';

type Update = Schemas['NotifierUpdate'];

export interface NotifierFlags {
  interval: number;
  mode?: NonNullable<Update['mode']>;
  contextErrorPolicy?: NonNullable<Update['context_error_policy']>;
  preNotificationContextAction?: NonNullable<Update['pre_notification_context_action']>;
  appendixText?: string;
  appendixFile?: string;
  notifyBlockRender?: NonNullable<Update['notify_block_render']>;
  notifyBlockAuthMode?: NonNullable<Update['notify_block_auth_mode']>;
  notifyBlockAuthVerifier?: NonNullable<Update['notify_block_auth_verifier']>;
  notifyBlockTokenFile?: string;
  notifyBlockPerMessageChars?: number;
  notifyBlockTotalChars?: number;
}

const longestInterval = 3_155_760_000;

export const addNotifierFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--interval <duration>', 'how long between two looks at the inbox, such as 5m (required)')
        .argParser(toSeconds({ minimum: 1, maximum: longestInterval }))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--mode <mode>', 'which mail wakes it; left out, any_inbox').choices([
        'any_inbox',
        'unread_only',
      ]),
    )
    .addOption(
      new Option(
        '--context-error-policy <policy>',
        'when the conversation is degraded; left out, continue_current',
      ).choices(['continue_current', 'clear_context']),
    )
    .addOption(
      new Option(
        '--pre-notification-context-action <action>',
        'before each notice, on a Codex terminal; left out, none',
      ).choices(['none', 'compact']),
    )
    .addOption(
      new Option('--appendix-text <text>', 'guidance at the end of each notice; empty clears it').conflicts(
        'appendixFile',
      ),
    )
    .option('--appendix-file <path>', 'the same from a file')
    .addOption(
      new Option('--notify-block-render <state>', 'notices that senders attached').choices([
        'enabled',
        'disabled',
      ]),
    )
    .addOption(
      new Option('--notify-block-auth-mode <mode>', 'what a failed check of a notice means').choices([
        'permissive-log',
        'required',
      ]),
    )
    .addOption(
      new Option('--notify-block-auth-verifier <verifier>', 'how notices are checked').choices([
        'none',
        'shared-token',
      ]),
    )
    .option(
      '--notify-block-token-file <path>',
      'tokens of shared-token, one a line; an empty file clears them',
    )
    .addOption(
      new Option('--notify-block-per-message-chars <number>', 'longest notice of a message').argParser(
        toInteger(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option('--notify-block-total-chars <number>', 'room for all notices of a prompt').argParser(
        toInteger(0, Number.MAX_SAFE_INTEGER),
      ),
    );

/** What is not given is left out: the gateway keeps it or takes its default, as its contract says. */
export function toNotifierUpdate(flags: NotifierFlags): Update {
  const appendix =
    flags.appendixFile === undefined ? flags.appendixText : textFrom('--appendix-file', flags.appendixFile);
  return {
    interval_seconds: flags.interval,
    ...(flags.mode !== undefined && { mode: flags.mode }),
    ...(flags.contextErrorPolicy !== undefined && { context_error_policy: flags.contextErrorPolicy }),
    ...(flags.preNotificationContextAction !== undefined && {
      pre_notification_context_action: flags.preNotificationContextAction,
    }),
    ...(appendix !== undefined && { appendix_text: appendix }),
    ...(flags.notifyBlockRender !== undefined && { notify_block_render: flags.notifyBlockRender }),
    ...(flags.notifyBlockAuthMode !== undefined && { notify_block_auth_mode: flags.notifyBlockAuthMode }),
    ...(flags.notifyBlockAuthVerifier !== undefined && {
      notify_block_auth_verifier: flags.notifyBlockAuthVerifier,
    }),
    ...(flags.notifyBlockTokenFile !== undefined && {
      notify_block_shared_tokens: tokensIn(flags.notifyBlockTokenFile),
    }),
    ...(flags.notifyBlockPerMessageChars !== undefined && {
      notify_block_per_message_chars: flags.notifyBlockPerMessageChars,
    }),
    ...(flags.notifyBlockTotalChars !== undefined && {
      notify_block_total_chars: flags.notifyBlockTotalChars,
    }),
  };
}

const tokensIn = (path: string): string[] =>
  textFrom('--notify-block-token-file', path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
