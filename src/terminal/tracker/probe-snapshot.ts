import { createHash } from 'node:crypto';

/** The pane of an agent, and the processes in it that are its tool. */
export interface PaneFacts {
  paneId: string | null;
  panePid: number | null;
  processNames: readonly string[];
}

/** What was captured: measures of a text with its escape sequences. */
export interface CapturedText {
  /** SHA-1 in hexadecimal; null when nothing was captured. */
  hash: string | null;
  /** In characters (code points). */
  length: number;
  /** The last 4000 characters. */
  excerpt: string;
}

/** One look at the agent's pane. */
export interface ProbeSnapshot extends PaneFacts {
  observedAt: Date;
  captured: CapturedText;
}

export const nothingCaptured: CapturedText = { hash: null, length: 0, excerpt: '' };

const excerptLength = 4000;
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

export const measureText = (text: string): CapturedText => ({
  hash: createHash('sha1').update(text).digest('hex'),
  length: text.length - (text.match(pairs)?.length ?? 0),
  // Twice as many units hold all characters that are asked for; a pair that this cut in two is not among the last.
  excerpt: Array.from(text.slice(-2 * excerptLength - 1))
    .slice(-excerptLength)
    .join(''),
});
