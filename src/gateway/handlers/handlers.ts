import type { Handlers } from '../../../generated/gateway/server/index.js';
import type { Gateway } from '../gateway.js';
import { controlHandlers } from './control.js';
import { mailHandlers } from './mail.js';
import { mailNotifierHandlers } from './mail-notifier.js';
import { reminderHandlers } from './reminders.js';
import { eventHandlers, requestHandlers } from './requests.js';
import { headlessHandlers, metricsHandlers, statusHandlers } from './status.js';
import { tuiHandlers } from './tui.js';

/** Every operation of the contract; one that is missing does not compile. */
export const gatewayHandlers = (gateway: Gateway): Handlers => ({
  ...statusHandlers(gateway),
  ...requestHandlers(gateway),
  ...eventHandlers(gateway),
  ...metricsHandlers(gateway),
  ...controlHandlers(gateway),
  ...headlessHandlers(gateway),
  ...tuiHandlers(gateway),
  ...reminderHandlers(gateway),
  ...mailHandlers(gateway),
  ...mailNotifierHandlers(gateway),
});
