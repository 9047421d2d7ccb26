/** The labels of a prompt. */
export interface Labelled {
  /**
   * Your own labels for this prompt, shown in the records of its request and turn, and a filter of `listRequests`: at most 16, under
   * keys of 1 to 64 letters, digits, dots, - and _, each value at most 512 characters.
   */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns the headers of a prompt as a part of a call. A header is ASCII: other characters are escaped. */
export const promptHeaders = ({
  idempotencyKey,
  metadata,
}: Labelled & { idempotencyKey?: string | undefined }) => ({
  headers: {
    'Idempotency-Key': idempotencyKey,
    'X-Houmao-Metadata':
      metadata &&
      JSON.stringify(metadata).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  },
});
