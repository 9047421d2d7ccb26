import type { GatewayControlHandlers } from '../../../generated/managed-agent/server/gateway-control-handlers.js';
import type { GatewayHeadlessHandlers } from '../../../generated/managed-agent/server/gateway-headless-handlers.js';
import type { GatewayMailNotifierHandlers } from '../../../generated/managed-agent/server/gateway-mail-notifier-handlers.js';
import type { GatewayRemindersHandlers } from '../../../generated/managed-agent/server/gateway-reminders-handlers.js';
import type { GatewayRequestsHandlers } from '../../../generated/managed-agent/server/gateway-requests-handlers.js';
import type { GatewayTuiHandlers } from '../../../generated/managed-agent/server/gateway-tui-handlers.js';
import type { ManagedAgentServer } from '../server.js';
import { passTo } from './pass-to.js';

type PassedHandlers = GatewayControlHandlers &
  GatewayRequestsHandlers &
  GatewayHeadlessHandlers &
  GatewayTuiHandlers &
  GatewayRemindersHandlers &
  GatewayMailNotifierHandlers;

/**
 * Everything below `/gateway` but its status, attach and detach. A body arrives with its defaults filled in, which are the
 * gateway's own; what has none stays left out (docs/decisions.md#passed-calls).
 */
export const passedHandlers = (server: ManagedAgentServer): PassedHandlers => {
  const pass = passTo(server);
  return {
    controlGatewayPrompt: pass('controlPrompt'),
    sendGatewayKeys: pass('sendKeys'),
    reconcileGateway: pass('reconcile'),
    getGatewayQueue: pass('getQueue'),
    updateGatewayQueue: pass('updateQueue'),

    submitGatewayRequest: pass('submitRequest'),
    listGatewayRequests: pass('listRequests'),
    getGatewayRequest: pass('getRequest'),
    cancelGatewayRequest: pass('cancelRequest'),
    getGatewayTurn: pass('getTurn'),
    listGatewayEvents: pass('listEvents'),

    getGatewayHeadlessState: pass('getHeadlessState'),
    setGatewayNextPromptSession: pass('setNextPromptSession'),
    getGatewayTuiState: pass('getTuiState'),
    getGatewayTuiHistory: pass('getTuiHistory'),
    noteGatewayPrompt: pass('notePrompt'),
    getGatewayDialog: pass('getDialog'),
    answerGatewayDialog: pass('answerDialog'),

    createGatewayReminders: pass('createReminders'),
    listGatewayReminders: pass('listReminders'),
    getGatewayReminder: pass('getReminder'),
    updateGatewayReminder: pass('updateReminder'),
    deleteGatewayReminder: pass('deleteReminder'),

    getGatewayMailNotifier: pass('getMailNotifier'),
    updateGatewayMailNotifier: pass('updateMailNotifier'),
    disableGatewayMailNotifier: pass('disableMailNotifier'),
  };
};
