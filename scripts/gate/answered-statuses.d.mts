/** What a server answered; `path` is null where Node refused the request before there was one. */
export interface Answer {
  readonly server: string;
  readonly method: string | null;
  readonly path: string | null;
  readonly status: number;
}

export interface Rules {
  /** Names of responses that one function gives for every operation that refers to them. */
  readonly alike: readonly string[];
  /** Statuses that a document does not tell of, as every server of HTTP has them. */
  readonly ofHttp: readonly number[];
  /** Promises that no contract test provokes, with the file that holds each. */
  readonly elsewhere: readonly { readonly promise: string; readonly test: string; readonly why: string }[];
}

/** @param documents by the name of the surface. @returns how many promises there are, and what is amiss. */
export function compareAnswers(
  documents: Readonly<Record<string, { readonly paths: object }>>,
  answers: readonly Answer[],
  rules: Rules,
): { promises: number; findings: string[] };
