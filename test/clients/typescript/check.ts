// The checks of a caller: one line for each.
let failed = false;

/** Says `ok` or `failed` of one check, and gives what it gave. */
export async function check<T>(name: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await call();
    console.log(`ok ${name}`);
    return result;
  } catch (error) {
    failed = true;
    console.log(`failed ${name}: ${String(error).replaceAll('\n', ' ')}`);
    return undefined;
  }
}

/** @throws Error with what was there, unless the condition holds. */
export function expect(condition: boolean, what: unknown): asserts condition {
  if (!condition) throw new Error(JSON.stringify(what) ?? String(what));
}

/** @throws Error when it was not refused. @returns the error with which it was. */
export async function refusal(call: () => Promise<unknown>): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    return error;
  }
  throw new Error(`it was not refused: ${JSON.stringify(answer)}`);
}

/** The address of the surface. */
export const address = process.argv[2] ?? '';

process.on('beforeExit', () => {
  process.exitCode = failed ? 1 : 0;
});
