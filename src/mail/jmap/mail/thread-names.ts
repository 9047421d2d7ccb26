/** The inside of the angle brackets; a line of a header has 998 characters at most (RFC 5322, section 2.1.1). */
const pattern = /^[!-;=?-~]{1,900}$/;

/** Pure: names of messages that can stand in a header of ours. Those of strangers may be anything. */
export const usableNames = (names: readonly string[] | null | undefined): string[] =>
  (names ?? []).filter((name) => pattern.test(name));

/** Servers write a header that is much longer in a way that ends the others. Characters. */
const longestHeader = 8000;

/** Pure: the first message of a thread and as many of the newest as one header has room for. */
export function shortThread(names: readonly string[]): string[] {
  const [first, ...later] = names;
  if (first === undefined) return [];
  let room = longestHeader - first.length;
  const begin = later.findLastIndex((name) => {
    room -= name.length + 3;
    return room < 0;
  });
  return [first, ...later.slice(begin + 1)];
}
