/**
 * How many of what, for people: `1 row`, `2 rows`.
 * @param count a number, or what is known of one, such as `200 or more`
 */
export const counted = (count: unknown, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The same as the subject of a sentence: `1 request waits`, `2 requests wait`. @param verbs of one and of several */
export const countedWith = (
  count: unknown,
  noun: string,
  [ofOne, ofSeveral]: readonly [string, string],
): string => `${counted(count, noun)} ${count === 1 ? ofOne : ofSeveral}`;
