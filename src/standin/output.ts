/**
 * Writes and waits until it is out. A pipe may take its time (Node gives children sockets), and process.exit
 * drops what is not out yet.
 */
export function print(text: string | Buffer): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(text, () => resolve()));
}

export function complain(text: string): Promise<void> {
  return new Promise((resolve) => void process.stderr.write(text, () => resolve()));
}
