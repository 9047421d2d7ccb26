import type { Schemas } from '@houmao/sdk';
import { type Command, Option } from 'commander';
import { textFrom, toInteger, toSeconds } from './options.js';

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
      new Option('--interval <duration>', 'how often to check the inbox, such as 5m (required)')
        .argParser(toSeconds({ minimum: 1, maximum: longestInterval }))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--mode <mode>', 'mail that wakes the agent (default: any_inbox)').choices([
        'any_inbox',
        'unread_only',
      ]),
    )
    .addOption(
      new Option(
        '--context-error-policy <policy>',
        'what to do when the conversation is degraded (default: continue_current)',
      ).choices(['continue_current', 'clear_context']),
    )
    .addOption(
      new Option(
        '--pre-notification-context-action <action>',
        'what to do before each notice, in a Codex terminal (default: none)',
      ).choices(['none', 'compact']),
    )
    .addOption(
      new Option('--appendix-text <text>', 'text at the end of each notice; empty removes it').conflicts(
        'appendixFile',
      ),
    )
    .option('--appendix-file <path>', 'that text from a file')
    .addOption(
      new Option('--notify-block-render <state>', 'whether notices from senders are shown').choices([
        'enabled',
        'disabled',
      ]),
    )
    .addOption(
      new Option(
        '--notify-block-auth-mode <mode>',
        'whether a notice that fails the check is shown anyway',
      ).choices(['permissive-log', 'required']),
    )
    .addOption(
      new Option('--notify-block-auth-verifier <verifier>', 'how notices are checked').choices([
        'none',
        'shared-token',
      ]),
    )
    .option(
      '--notify-block-token-file <path>',
      'tokens of the shared-token check, one per line; an empty file removes them',
    )
    .addOption(
      new Option('--notify-block-per-message-chars <number>', 'longest notice of one message').argParser(
        toInteger(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option(
        '--notify-block-total-chars <number>',
        'longest total of all notices in one prompt',
      ).argParser(toInteger(0, Number.MAX_SAFE_INTEGER)),
    );

/**
 * Builds the update. Settings that were not given are left out: the gateway keeps them or takes its defaults, as its contract
 * says.
 */
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
