import {
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { makeFolder } from '../../../foundation/make-folder.js';
import { MailRefusal } from '../../message/mail-fault.js';
import { newHexId } from '../../message/message-id.js';
import { isBelow, realPathOf } from '../root/mail-paths.js';

/**
 * A folder that is filled beside its place and moved there when it is complete. Mail is private: folders
 * are 0700, files 0600. Its states:
 *   filling: becomes settled by `settle`, gone by `discard`
 *   settled: is in its place; `discard` has no effect any more
 *   gone: nothing is left of it
 */
export class ArchiveFolder {
  readonly path: string;
  readonly #beside: string;
  readonly #signal: AbortSignal | undefined;

  /**
   * @param given its place; nothing may be there, and it must be outside of `root`.
   * @param signal ends the filling: the next copy throws its reason.
   * @throws {MailRefusal}
   */
  constructor(given: string, root: string, signal?: AbortSignal) {
    this.#signal = signal;
    this.path = realPathOf(given);
    if (this.path === root || isBelow(this.path, root))
      throw new MailRefusal('output_dir', `must lie outside of ${root}`);
    this.#refuseTaken();
    // The parent is not made here: Node's `mkdir` with `recursive` never ends in places such as /proc.
    if (!existsSync(dirname(this.path)))
      throw new MailRefusal('output_dir', `${dirname(this.path)} must exist`);
    this.#beside = join(dirname(this.path), `.${basename(this.path)}.tmp-${process.pid}-${newHexId()}`);
    mkdirSync(this.#beside, { mode: 0o700 });
  }

  /** Returns the path of something in the archive while the archive is filled. */
  inside(place: string): string {
    return join(this.#beside, place);
  }

  folder(place: string): void {
    makeFolder(this.inside(place), 0o700);
  }

  write(place: string, text: string): void {
    this.folder(dirname(place));
    writeFileSync(this.inside(place), text, { mode: 0o600, flag: 'wx' });
  }

  /** @throws the file system's error, also where something is there already. */
  async copy(source: string, place: string): Promise<void> {
    this.#signal?.throwIfAborted();
    this.folder(dirname(place));
    await copyFile(source, this.inside(place), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(this.inside(place), 0o600);
  }

  /** Makes a link to another file of the archive, which stays valid wherever the archive is moved to. */
  link(place: string, target: string): void {
    this.folder(dirname(place));
    symlinkSync(relative(dirname(place), target), this.inside(place));
  }

  /** @throws {MailRefusal} where something is in its place by now. */
  async settle(): Promise<void> {
    this.#refuseTaken();
    renameSync(this.#beside, this.path);
    const parent = await open(dirname(this.path));
    await parent.sync().finally(() => parent.close());
  }

  discard(): void {
    rmSync(this.#beside, { recursive: true, force: true });
  }

  #refuseTaken(): void {
    if (existsSync(this.path) || lstatSync(this.path, { throwIfNoEntry: false }))
      throw new MailRefusal('output_dir', `${this.path} must not exist yet`);
  }
}
