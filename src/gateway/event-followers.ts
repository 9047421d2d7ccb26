import type { DiagnosticLog } from '../diagnostics/diagnostic-log.js';
import { warningOf } from '../diagnostics/log-line-warning.js';
import type { StoredEvent } from '../events/event-table.js';
import { toLogLine, toLogMessage } from './event-lines.js';

/** Told of events once they are on disk. It must not throw. */
export type EventFollower = (events: readonly StoredEvent[]) => void;

/** Notes what goes amiss in the diagnostic log. */
export const warnInto =
  (diagnostics: DiagnosticLog): EventFollower =>
  (events) => {
    for (const event of events) {
      const message = toLogMessage(event);
      const warning = message === null ? null : warningOf(message);
      if (warning) diagnostics.note(warning);
    }
  };

/** Shows what `gateway.log` gets, for whoever looks at the gateway's window. */
export const printLog: EventFollower = (events) => {
  for (const event of events) {
    const line = toLogLine(event);
    if (line !== null) console.log(line);
  }
};
