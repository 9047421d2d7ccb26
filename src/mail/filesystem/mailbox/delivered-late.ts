import { MailFault } from '../../message/mail-fault.js';

/** What goes wrong with a message that is delivered must not look as if it were not. */
export const deliveredLate = (messageId: string, error: Error): MailFault =>
  error instanceof MailFault && error.code === 'state_late'
    ? error
    : new MailFault(
        'state_late',
        `${messageId} is delivered, but not all was put in order: ${error.message}`,
        { cause: error },
      );
