/** One line of the diagnostic log before it is written (docs/decisions.md#diagnostic-log). */
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
