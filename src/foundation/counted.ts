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

/** So many names tell which ones there are; of hundreds, their number does. */
const mostListed = 20;

/** A list for people: `alpha, beta`, of many the first and how many more there are. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).join(', ');
  return names.length <= mostListed ? shown : `${shown} and ${names.length - mostListed} more`;
}
