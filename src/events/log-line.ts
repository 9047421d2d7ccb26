import { sanitiseLine } from '../foundation/sanitise.js';

/** A line of a log for people, in its parts: `what name=value name=value rest`. */
export interface LogLine {
  what: string;
  /** Left out where undefined. */
  facts: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** Follows as it is. */
  rest: string;
}

export const line = (what: string, facts: LogLine['facts'] = {}, rest = ''): LogLine => ({
  what,
  facts,
  rest,
});

/** The line on one line, without its time. */
export function renderLine({ what, facts, rest }: LogLine): string {
  let text = what;
  for (const name in facts) {
    const value = facts[name];
    // `True` and `False` are what tools that read these logs have always found.
    if (value !== undefined)
      text += ` ${name}=${value === true ? 'True' : value === false ? 'False' : value}`;
  }
  return sanitiseLine(text + rest);
}
