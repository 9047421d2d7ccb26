import type { RemindersHandlers } from '../../../generated/gateway/server/reminders-handlers.js';
import { notImplementedText } from '../not-implemented.js';

export const reminderHandlers = (): RemindersHandlers => ({
  createReminders: (_context, reply) => reply(501, { detail: notImplementedText('createReminders') }),
  listReminders: (_context, reply) => reply(501, { detail: notImplementedText('listReminders') }),
  getReminder: (_context, reply) => reply(501, { detail: notImplementedText('getReminder') }),
  updateReminder: (_context, reply) => reply(501, { detail: notImplementedText('updateReminder') }),
  deleteReminder: (_context, reply) => reply(501, { detail: notImplementedText('deleteReminder') }),
});
