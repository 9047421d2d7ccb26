/**
 * Writes a text and waits until it is written. Node gives children sockets, which are asynchronous, and process.exit drops output
 * that is not written yet.
 */
export function print(text: string | Buffer): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(text, () => resolve()));
}

export function printError(text: string): Promise<void> {
  return new Promise((resolve) => void process.stderr.write(text, () => resolve()));
}
