/** One line of the diagnostic log before it is written (gateway §3.2). */
export interface DiagnosticEntry {
  level: 'info' | 'warning' | 'error';
  event: string;
  fields: Readonly<Record<string, unknown>>;
  /** What makes two warnings or errors the same; null for an info, which repeats as often as it happens. */
  dedupKey: string | null;
}

export interface StampedEntry extends DiagnosticEntry {
  timestampUtc: string;
}
