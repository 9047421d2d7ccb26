/**
 * Ports that `fetch` refuses to call, in every browser and in Node
 * (https://fetch.spec.whatwg.org/#port-blocking): other protocols use them. A server that listens on one can
 * hardly be reached. All lie below the ports that a system assigns by itself.
 */
const blockedPorts: ReadonlySet<number> = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103],
  ...[104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513],
  ...[514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720],
  ...[1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Returns a sentence that says why no server should listen on a port; null for a port without that problem. */
export const blockedPort = (port: number): string | null =>
  blockedPorts.has(port)
    ? `Browsers and Node refuse to call port ${port} (fetch blocks it, as other protocols use it).`
    : null;

/**
 * Reads an option's value as a port to listen on; 0 takes any free one. `trouble` is a sentence that says what is wrong with it.
 */
export function readPort(text: string): { port: number } | { trouble: string } {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    return { trouble: 'It must be a number from 0 to 65535; 0 takes any free port.' };
  const blocked = blockedPort(port);
  return blocked === null ? { port } : { trouble: blocked };
}
