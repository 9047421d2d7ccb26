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
 * @param former the same lines in the form of earlier versions, which the file may hold in their place; null where those wrote
 *   none: such a line may be missing before one that is there.
 */
export function findRepair(
  tail: string,
  expected: readonly string[],
  former: readonly (string | null)[] = expected,
): Repair {
  const lines = tail.split('\n');
  const cut = lines.pop() ?? '';
  let present = 0;
  /** Of the next line that may be there, the first that a form fits. */
  const nextThat = (fits: (form: string) => boolean): { index: number; form: string } | null => {
    for (let index = present; index < expected.length; index += 1) {
      const form = [expected[index], former[index]].find((each) => each != null && fits(each));
      if (form != null) return { index, form };
      if (former[index] !== null) return null;
    }
    return null;
  };
  for (const line of lines) present = (nextThat((form) => line.endsWith(form))?.index ?? present - 1) + 1;
  if (cut === '') return { prefix: '', present };
  const begun = nextThat((form) => form.startsWith(cut));
  if (begun) return { prefix: `${begun.form.slice(cut.length)}\n`, present: begun.index + 1 };
  // Complete but for its newline, after text of another program.
  const whole = nextThat((form) => cut.endsWith(form));
  return { prefix: '\n', present: whole ? whole.index + 1 : present };
}
