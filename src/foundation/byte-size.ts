const units = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 } as const;

/** Parses a number of bytes: `512K`, `10M`, `1G`, or a plain whole number; null for anything else. */
export function parseBytes(text: string): number | null {
  const [, count, unit] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? [];
  if (count === undefined) return null;
  return Number(count) * (unit ? units[unit.toUpperCase() as keyof typeof units] : 1);
}

/** Prints bytes as {@link parseBytes} reads them, in the largest unit that leaves a whole number. */
export function byteWords(bytes: number): string {
  const fitting = Object.entries(units)
    .reverse()
    .find(([, size]) => bytes >= size && bytes % size === 0);
  return fitting === undefined ? `${bytes}` : `${bytes / fitting[1]}${fitting[0]}`;
}
