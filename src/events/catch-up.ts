/** What a projection file still lacks after a crash. */
export interface Repair {
  /** To append first: the rest of a line that was cut in two, or a newline after foreign text. */
  prefix: string;
  /** How many of the expected lines are in the file already, counted with the one that `prefix` completes. */
  present: number;
}

/**
 * Compares the tail of a projection file (from its checkpoint on) with the lines that should be there. Lines were
 * written in order, so those present are found by walking both; lines of other programs between them (a crash report on
 * a shared log) are skipped, and such a line without its newline may precede one of ours. The last line may be cut: it
 * is completed, not doubled.
 * @param expected lines without newline, oldest first.
 * @param former the same lines in the form of earlier versions, which the file may hold in their place.
 */
export function findRepair(tail: string, expected: readonly string[], former = expected): Repair {
  const formsOf = (index: number): string[] =>
    [expected[index], former[index]].filter((form) => form !== undefined);
  const lines = tail.split('\n');
  const cut = lines.pop() ?? '';
  let present = 0;
  for (const line of lines) {
    if (formsOf(present).some((form) => line.endsWith(form))) present += 1;
  }
  if (cut === '') return { prefix: '', present };
  const forms = formsOf(present);
  const next = forms.find((form) => form.startsWith(cut));
  if (next !== undefined) return { prefix: `${next.slice(cut.length)}\n`, present: present + 1 };
  // Complete but for its newline, after text of another program.
  if (forms.some((form) => cut.endsWith(form))) return { prefix: '\n', present: present + 1 };
  return { prefix: '\n', present };
}
