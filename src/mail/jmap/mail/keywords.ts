/** Keywords of RFC 8621; servers give them in lower case. */
export const seen = '$seen';
export const answered = '$answered';
export const draft = '$draft';
/** A note that the operator posted here: a keyword, for no sender can set one from outside. */
export const operatorNote = 'houmao-operator';

export function hasKeyword(
  keywords: Readonly<Record<string, unknown>> | null | undefined,
  keyword: string,
): boolean {
  return Object.entries(keywords ?? {}).some(([name, set]) => set === true && name.toLowerCase() === keyword);
}
