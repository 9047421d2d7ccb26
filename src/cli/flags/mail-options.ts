import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isIsoInstant } from '../../foundation/clock.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { collectTexts, textFrom, toInteger, toText, withHome } from './options.js';

export interface MailListFlags {
  box?: string;
  readState?: 'any' | 'read' | 'unread';
  answeredState?: 'any' | 'answered' | 'unanswered';
  archived?: boolean;
  notArchived?: boolean;
  limit?: number;
  since?: string;
  includeBody?: boolean;
}

export interface CheckFlags {
  unreadOnly?: boolean;
  limit?: number;
  since?: string;
}

export interface OneFlags {
  messageRef: string;
  box?: string;
}

export interface BodyFlags {
  bodyContent?: string;
  bodyFile?: string;
  attach?: string[];
  idempotencyKey?: string;
}

export interface NoticeFlags {
  notifyBlock?: string;
  notifyBlockPlacement?: 'append' | 'prepend';
}

export interface MarkFlags {
  messageRef: string[];
  read?: boolean;
  unread?: boolean;
  answered?: boolean;
  unanswered?: boolean;
  archived?: boolean;
  unarchived?: boolean;
}

function toInstant(value: string): string {
  if (!isIsoInstant(value.trim()))
    throw new InvalidArgumentError(
      'It must be an ISO 8601 date, or date and time, such as 2026-03-19T08:00:00Z.',
    );
  return value.trim();
}

const limitOption = (): Option =>
  new Option('--limit <number>', 'at most this many messages, the newest').argParser(
    toInteger(1, Number.MAX_SAFE_INTEGER),
  );
const sinceOption = (): Option =>
  new Option(
    '--since <moment>',
    'only messages from this time on: an ISO 8601 date or date and time, UTC unless it says otherwise',
  ).argParser(toInstant);
const boxOption = (description: string): Option => new Option('--box <box>', description).argParser(toText);
const refOption = (): Option =>
  new Option('--message-ref <ref>', 'the message, as list names it (required)')
    .argParser(toText)
    .makeOptionMandatory();
export const refsOption = (): Option =>
  new Option('--message-ref <ref>', 'the message, as list names it (required, repeatable)')
    .argParser(collectTexts)
    .makeOptionMandatory();

export const addListFlags = (command: Command): Command =>
  command
    .addOption(boxOption('box, such as inbox, sent or archive (default: inbox)'))
    .addOption(
      new Option('--read-state <state>', 'only messages in this state').choices(['any', 'read', 'unread']),
    )
    .addOption(
      new Option('--answered-state <state>', 'only messages in this state').choices([
        'any',
        'answered',
        'unanswered',
      ]),
    )
    .addOption(new Option('--archived', 'only archived messages').conflicts('notArchived'))
    .option('--not-archived', 'only messages that are not archived')
    .addOption(limitOption())
    .addOption(sinceOption())
    .option('--include-body', 'with --json: include the bodies');

export const addCheckFlags = (command: Command): Command =>
  command.option('--unread-only', 'only unread messages').addOption(limitOption()).addOption(sinceOption());

export const addOneFlags = (command: Command): Command =>
  command.addOption(refOption()).addOption(boxOption('box that the message must be in (default: any)'));

export const addAttachmentFlags = (command: Command): Command =>
  command
    .addOption(refOption())
    .addOption(
      new Option('--attachment-id <id>', 'the attachment, as peek and read show it (required)')
        .argParser(toText)
        .makeOptionMandatory(),
    );

export const addRecipientFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--to <address>', 'recipient, by full address (required, repeatable)')
        .argParser(collectTexts)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--cc <address>', 'recipient of a copy (repeatable)').argParser(collectTexts));

export const subjectOption = (): Option =>
  new Option('--subject <text>', 'subject (required)').argParser(toText).makeOptionMandatory();

export const addParentFlag = (command: Command): Command => command.addOption(refOption());

export const addKeyFlag = (command: Command): Command =>
  command.addOption(
    new Option(
      '--idempotency-key <key>',
      'key of this message: a repeat with the same key does not deliver it twice; needs the gateway',
    ).argParser(toText),
  );

export const addBodyFlags = (command: Command): Command =>
  command
    .addOption(new Option('--body-content <text>', 'the body, as Markdown').conflicts('bodyFile'))
    .option('--body-file <path>', 'the body from a file (default: standard input)')
    .addOption(
      new Option(
        '--attach <path>',
        'file to attach; the message refers to it and does not copy it (repeatable)',
      ).argParser(collectTexts),
    );

export const addNoticeFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--notify-block <text>',
        "short notice shown in the prompt that wakes the recipient (default: the body's first houmao-notify fence)",
      ).argParser(toText),
    )
    .addOption(
      new Option(
        '--notify-block-placement <place>',
        'place of the notice: before or after the body (default: append)',
      ).choices(['append', 'prepend']),
    );

export const addMarkFlags = (command: Command): Command =>
  command
    .addOption(refsOption())
    .addOption(new Option('--read', 'mark read').conflicts('unread'))
    .option('--unread', 'mark unread')
    .addOption(new Option('--answered', 'mark answered').conflicts('unanswered'))
    .option('--unanswered', 'mark unanswered')
    .addOption(new Option('--archived', 'move to the archive, and mark read').conflicts('unarchived'))
    .option('--unarchived', 'move to the inbox');

export const destinationOption = (): Option =>
  new Option('--destination-box <box>', 'the box, created if missing (required)')
    .argParser(toText)
    .makeOptionMandatory();

export const replyPolicyOption = (): Option =>
  new Option('--reply-policy <policy>', 'where replies go; with none they are refused')
    .choices(['none', 'operator_mailbox'])
    .default('operator_mailbox');

/** Returns the value of one mark from its two flags; undefined when neither is given. */
export const flagOf = (yes: boolean | undefined, no: boolean | undefined): boolean | undefined =>
  yes ? true : no ? false : undefined;

/** Reads the body from the flags or from standard input. @throws {CommandFailure} */
export async function bodyOf({ bodyContent, bodyFile }: BodyFlags): Promise<string> {
  if (bodyContent !== undefined) return bodyContent;
  if (bodyFile !== undefined) return textFrom('--body-file', bodyFile);
  if (!process.stdin.isTTY) {
    const piped = await text(process.stdin);
    if (piped !== '') return piped;
  }
  throw new CommandFailure(
    'The body is missing: give --body-content, --body-file, or standard input from a pipe or a file.',
    exitCodes.usage,
  );
}

/** @param here whether the files are on this machine; files on another one are checked by its gateway. */
export const attachmentsOf = ({ attach = [] }: BodyFlags, here: boolean): { path: string }[] =>
  attach.map((given) => {
    const path = resolve(withHome(given));
    if (!here || statSync(path, { throwIfNoEntry: false })?.isFile()) return { path };
    throw new CommandFailure(`--attach ${given} is not a file.`, exitCodes.usage);
  });
