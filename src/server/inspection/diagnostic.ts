/** Something that keeps an agent from work, or from being seen. */
export interface Diagnostic {
  /** A stable name. */
  readonly kind: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

export const diagnostic = (
  kind: string,
  message: string,
  details: Readonly<Record<string, string>> = {},
): Diagnostic => ({ kind, message, details });
