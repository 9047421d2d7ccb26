import { parseBoxName } from '../message/box-name.js';
import { MailFault } from '../message/mail-fault.js';
import { MailRefusal } from '../message/mail-refusal.js';
import type { MarkChanges } from './mail-transport.js';

/** The box that messages are to be moved to: a name that no box can have is the mailbox's refusal, not the contract's. */
export function askedBox(text: string): string {
  try {
    return parseBoxName(text, 'destination_box');
  } catch (error) {
    if (error instanceof MailRefusal) throw new MailFault('box_unusable', error.message);
    throw error;
  }
}

/** @throws {MailFault} `marks_differ` for marks that contradict each other. */
export function checkMark({ archived, read }: MarkChanges): void {
  if (archived === true && read === false)
    throw new MailFault(
      'marks_differ',
      'what is archived counts as read: read=false goes with archived=false',
    );
}
