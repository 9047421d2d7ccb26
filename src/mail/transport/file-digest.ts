import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export interface FileDigest {
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Reads a regular file once. Not blocking, for a pipe without a writer would be waited for; not following, for a real path has no
 * link left.
 * @param refuse throws for what cannot be read, by the rule that it breaks.
 */
export async function fileDigest(path: string, refuse: (rule: string) => never): Promise<FileDigest> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!(await file.stat()).isFile()) refuse('must be a regular file');
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
    return { sha256: hash.digest('hex'), sizeBytes };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    return refuse(`cannot be read (${code})`);
  } finally {
    await file?.close();
  }
}
