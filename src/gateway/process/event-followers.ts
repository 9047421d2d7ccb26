import type { DiagnosticLog } from '../../diagnostics/diagnostic-log.js';
import { logWarning } from '../../diagnostics/entry-sources.js';
import { entryOf } from '../../events/catalogue.js';
import type { EventFollower } from '../../events/event-store.js';
import { logOf, toLogLine } from '../../events/read-event.js';

/** Writes warnings and errors into the diagnostic log. */
export const warnInto =
  (diagnostics: Pick<DiagnosticLog, 'note'>): EventFollower =>
  (events) => {
    for (const event of events) {
      // Most events have this level and are skipped before their line is made.
      if (entryOf(event.kind)?.log?.level === 'info') continue;
      const logged = logOf(event);
      if (logged && logged.level !== 'info') diagnostics.note(logWarning(logged.level, logged.line));
    }
  };

/** Prints the lines of `gateway.log`, to be read in the gateway's window. */
export const printLog: EventFollower = (events) => {
  for (const event of events) {
    const line = toLogLine(event);
    if (line !== null) console.log(line);
  }
};
