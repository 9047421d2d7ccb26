/** A name that is one folder: nothing in it leads elsewhere. Other programs choose names, too. */
export const isPlainName = (name: string): boolean =>
  name !== '' &&
  name === name.trim() &&
  name !== '.' &&
  name !== '..' &&
  Buffer.byteLength(name) <= 255 &&
  !/[/\\\0]/.test(name);
