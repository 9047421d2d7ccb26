import type { OperationId } from '../../../generated/gateway/server/index.js';
import {
  type PageFacts,
  refusedAlike,
  type WorkOperations,
  workRefusals,
  workValues,
} from '../../contract/page-facts.js';

const operations = {
  listRequests: 'listRequests',
  cancelRequest: 'cancelRequest',
  listReminders: 'listReminders',
  updateReminder: 'updateReminder',
  listMail: 'listMail',
  getMailStatus: 'getMailStatus',
  peekMail: 'peekMail',
  fetchMailAttachment: 'fetchMailAttachment',
  namesMessage: ['peekMail', 'readMail', 'replyMail', 'markMail', 'moveMail', 'archiveMail'],
  getTuiState: 'getTuiState',
  getDialog: 'getDialog',
  answerDialog: 'answerDialog',
  sendKeys: 'sendKeys',
  getMailNotifier: 'getMailNotifier',
  updateMailNotifier: 'updateMailNotifier',
} as const satisfies WorkOperations & Record<string, OperationId | readonly OperationId[]>;

/** For each operation that only reads, the operations that are refused for the same reasons. */
const alike: Readonly<Partial<Record<OperationId, readonly OperationId[]>>> = {
  getRequest: [],
  getTurn: ['streamTurn'],
  getReminder: ['updateReminder', 'deleteReminder'],
  getTuiState: ['getTuiHistory', 'notePrompt', 'getDialog', 'answerDialog'],
  getTuiScreen: [],
  getHeadlessState: ['setNextPromptSession'],
  getMailStatus: ['listMail', 'sendMail', 'postMail', 'fetchMailAttachment', ...operations.namesMessage],
};

/** The current facts for the page of a gateway. */
export const gatewayPageFacts: PageFacts = {
  values: (ask) => workValues(ask, operations, {}),
  refusals: async (ask) => ({
    ...(await workRefusals(ask, operations, {})),
    ...(await refusedAlike(ask, alike as Record<string, readonly string[]>)),
  }),
};
